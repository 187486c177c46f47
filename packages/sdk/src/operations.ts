import type { paths } from './generated/api.js';

/** Operations with methods of their own on the client, because a partial result or a second booking is at stake. */
type Covered = '/cars/reservation/v1' | '/cars/catalog/v1/searches/{search_id}' | `/oauth/${string}`;
type HasPartial<P extends keyof paths> = paths[P] extends { get: { responses: { 206: unknown } } } ? P : never;

/** The paths that `request` takes: never one whose answer can be partial. */
export type OpenPath = { [P in keyof paths]: P extends Covered | HasPartial<P> ? never : P }[keyof paths];

type Operation = { responses: unknown };
/** The methods of a path. */
export type MethodOf<P extends OpenPath> = {
  [M in keyof paths[P]]: paths[P][M] extends Operation ? M : never;
}[keyof paths[P]] &
  string;

type JsonOf<Answer> = Answer extends { content: { 'application/json': infer Json } } ? Json : undefined;
/** The JSON of the successful answers of an operation; undefined for one without content. */
export type AnswerOf<Op> = Op extends { responses: infer All }
  ? { [Status in keyof All]: Status extends 200 | 201 | 202 | 204 ? JsonOf<All[Status]> : never }[keyof All]
  : never;

type PathOf<Op> = Op extends { parameters: { path: infer Path } } ? { readonly path: Path } : { readonly path?: never };
type QueryOf<Op> = Op extends { parameters: { query?: infer Query } } ? { readonly query?: Query } : object;
type BodyOf<Op> = Op extends { requestBody: { content: { 'application/json': infer Body } } }
  ? { readonly body: Body }
  : Op extends { requestBody?: { content: { 'application/json': infer Body } } }
    ? { readonly body?: Body }
    : { readonly body?: never };
/** What an operation takes: `path` values, `query`, JSON `body`. */
export type InputOf<Op> = PathOf<Op> & QueryOf<Op> & BodyOf<Op>;

type Values = Readonly<Record<string, unknown>>;

/** A path with its values filled in, and with a query; lists are written with commas, absent values not at all. */
export function pathWith(template: string, values: Values = {}, query: Values = {}): string {
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values[name])));
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, Array.isArray(value) ? value.join(',') : String(value)]],
  );
  return pairs.length === 0 ? path : `${path}?${new URLSearchParams(pairs)}`;
}
