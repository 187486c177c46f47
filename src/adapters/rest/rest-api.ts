import { unlessShown } from '../../model/contradicted-refusal.js';
import { type SupplierContext, SupplierError, type SupplierHttpCall } from '../../model/supplier.js';
import { Evaluation, Expression } from './expression.js';
import type { BodyTree } from './expression.schema.js';
import type { Manifest, Step } from './options.js';
import { type Accepted, readBody, readReply } from './reply.js';
import type { RequestSpec } from './request.schema.js';
import type { RequestValues } from './requests.js';
import { fillHeader, fillPairs, fillPath, type Template } from './template.js';
import { AnswerReader } from './wire.js';
import { xmlOf } from './xml.js';

/** What one call needs besides its step. `accepted`: outcomes of rules that are answers, not failures. */
export interface Ask {
  readonly values: RequestValues;
  /** Whether the engine may repeat the call: reads yes, writes never. */
  readonly repeatable: boolean;
  readonly accepted?: readonly Accepted[];
  /** Whether the answer shows that what it refuses was done; then the outcome is in doubt. */
  readonly showsDone?: (reader: AnswerReader) => boolean;
  /** Whether an answer that a rule takes for nothing shows what was asked for; then it is unclear. */
  readonly showsFound?: (reader: AnswerReader) => boolean;
  /** Replaces the manifest's query (for a link to the next page). */
  readonly query?: string | undefined;
}

/** The supplier's API within one operation. */
export class RestApi {
  constructor(
    private readonly manifest: Manifest,
    /** Headers of an authentication that needs no session. */
    private readonly authHeaders: Readonly<Record<string, string>>,
    private readonly context: SupplierContext,
  ) {}

  /**
   * Makes the call of a step and reads its answer; undefined if a rule says that there is nothing to read. Throws
   * SupplierError for every failure, and for a success that doesn't meet the step's `expects`.
   */
  async ask(
    { request, errors, expects }: Step,
    { values, repeatable, accepted = [], showsDone, showsFound, query }: Ask,
  ): Promise<AnswerReader | undefined> {
    const call = buildCall(request, values, { shared: this.manifest.headers, fixed: this.authHeaders, query });
    const answer = await this.context.http.send(call, repeatable);
    const rules = [...errors, ...this.manifest.errors];
    const readerOf = (body: unknown) => new AnswerReader(this.manifest, body, values.open);
    const isTrue = (condition: Ask['showsDone']) => {
      const read = condition && readBody(answer, this.manifest);
      return read !== undefined && condition?.(readerOf(read.value)) === true;
    };
    const reply = unlessShown(
      () => readReply(answer, rules, accepted, values.open, this.manifest),
      () => isTrue(showsDone),
    );
    if (!reply && isTrue(showsFound))
      throw new SupplierError('bad_payload', `answered ${answer.status}: both nothing and something`);
    if (!reply) return undefined;
    const reader = readerOf(reply.body);
    if (answer.status !== 204 && expects && !reader.holds(expects, reply.body)) {
      throw new SupplierError('bad_payload', `answered ${answer.status}, but "${expects.text}" does not hold`);
    }
    return reader;
  }
}

/**
 * Headers besides those of the request: `shared` by all calls of the manifest; `fixed` by the authentication, which
 * always takes precedence.
 */
export interface CallSurroundings {
  readonly shared: Readonly<Record<string, Template>>;
  readonly fixed?: Readonly<Record<string, string>>;
  readonly query?: string | undefined;
}

/** Builds a call. Throws SupplierError, unsent, if a path value is missing or a value can't be sent in its place. */
export function buildCall(
  request: RequestSpec,
  { open, secret, personal }: RequestValues,
  surroundings: CallSurroundings,
): SupplierHttpCall {
  const evaluation = new Evaluation({ request: open });
  const query = surroundings.query ?? fillPairs(request.query, open, evaluation);
  const inHeaders = { ...open, ...secret };
  const body = bodyOf(request, { ...inHeaders, ...personal }, evaluation);
  const headers: Record<string, string> = body === undefined ? {} : { 'content-type': body.type };
  for (const [name, template] of Object.entries({ ...surroundings.shared, ...request.headers })) {
    const value = fillHeader(name, template, inHeaders, evaluation);
    if (value !== undefined) headers[name.toLowerCase()] = value;
  }
  return {
    method: request.method,
    path: fillPath(request.path, open, evaluation) + (query === '' ? '' : `?${query}`),
    headers: { ...headers, ...surroundings.fixed },
    ...(body && { body: body.text }),
  };
}

function bodyOf(
  { json, form, xml }: RequestSpec,
  values: object,
  evaluation: Evaluation,
): { readonly type: string; readonly text: string } | undefined {
  if (form) return { type: 'application/x-www-form-urlencoded', text: fillPairs(form, values, evaluation) };
  if (xml) return { type: 'application/xml; charset=utf-8', text: xmlOf(fillTree(xml, values, evaluation)) };
  return json === undefined
    ? undefined
    : { type: 'application/json', text: JSON.stringify(fillTree(json, values, evaluation)) };
}

/** Absent values are left out, never sent as null. */
function fillTree(tree: BodyTree, values: object, evaluation: Evaluation): unknown {
  if (tree instanceof Expression) return withoutNulls(evaluation.value(tree, values));
  if (Array.isArray(tree)) return tree.map((member) => fillTree(member, values, evaluation) ?? null);
  if (typeof tree !== 'object') return tree;
  return Object.fromEntries(Object.entries(tree).map(([name, member]) => [name, fillTree(member, values, evaluation)]));
}

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value ?? undefined;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withoutNulls(member)]));
}
