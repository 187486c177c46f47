import type { SimulatedRequest } from '../world.js';
import { type Expression, templateParts } from './expression.js';
import type { ErrorRule, Manifest, Step } from './options.js';

type RequestSpec = Step['request'];

/** The purpose of a call in a manifest; its recorded answer is `<name>.json`. */
export type CallName =
  | 'session'
  | 'searchLocations'
  | 'searchVehicles'
  | 'priceCheck'
  | 'hold'
  | 'book'
  | 'release'
  | 'retrieve'
  | 'find'
  | 'modify'
  | 'cancel';

/** One call of a manifest with its own rules and the condition of its success. */
export interface ManifestCall {
  readonly name: CallName;
  readonly request: RequestSpec;
  readonly errors: readonly ErrorRule[];
  readonly expects?: Expression | undefined;
}

/** The values of a request by the expression that wrote them: `reference` → "res_000042". */
export type RequestValues = ReadonlyMap<string, unknown>;

/** Every call that a manifest can make. */
export function callsOf({
  auth,
  searchLocations,
  searchVehicles,
  priceCheck,
  book,
  retrieve,
  modify,
  cancel,
}: Manifest): readonly ManifestCall[] {
  const steps: readonly (readonly [CallName, Step | undefined])[] = [
    ['searchLocations', searchLocations],
    ['searchVehicles', searchVehicles],
    ['priceCheck', priceCheck],
    ['hold', book?.hold],
    ['book', book],
    ['release', book?.hold?.release],
    ['retrieve', retrieve?.byNumber],
    ['find', retrieve?.byReference],
    ['modify', modify],
    ['cancel', cancel],
  ];
  const calls = steps.flatMap(([name, step]) =>
    step ? [{ name, request: step.request, errors: step.errors, expects: step.expects }] : [],
  );
  return auth.kind === 'token' ? [...calls, { name: 'session', request: auth.request, errors: [] }] : calls;
}

/**
 * The call that matches a request, and its values; among calls with the same method and path, the one with the best
 * matching constants. Undefined = none.
 */
export function recognizedCall(
  calls: readonly ManifestCall[],
  request: SimulatedRequest,
): { readonly call: ManifestCall; readonly values: RequestValues } | undefined {
  const candidates = calls.flatMap((call) => {
    const inPath = call.request.method === request.method ? pathWords(call.request, request.path) : undefined;
    return inPath ? [{ call, inPath, fit: fitOf(call.request, request) }] : [];
  });
  const best = candidates.sort((one, other) => other.fit - one.fit)[0];
  if (!best) return undefined;
  return {
    call: best.call,
    values: new Map([
      ...best.inPath,
      ...queryWords(best.call.request, request),
      ...bodyWords(best.call.request, request),
    ]),
  };
}

/** The number of a call's constants in a request, minus the number of members that the call does not have. */
function fitOf({ query, form, json }: RequestSpec, request: SimulatedRequest): number {
  const own = new Set([...Object.keys(query), ...Object.keys(form ?? {}), ...(isTree(json) ? Object.keys(json) : [])]);
  const names = [...request.query.keys(), ...Object.keys(bodyOf(request))];
  return names.reduce((fit, name) => fit + (own.has(name) ? 1 : -1), 0);
}

function pathWords({ path }: RequestSpec, asked: string): readonly (readonly [string, unknown])[] | undefined {
  const parts = templateParts(path);
  const pattern = parts
    .map((part, index) => (index % 2 === 0 ? part.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&') : '([^/]+)'))
    .join('');
  const found = new RegExp(`^${pattern}$`).exec(asked);
  if (!found) return undefined;
  const names = parts.filter((_part, index) => index % 2 === 1);
  return names.map((name, index) => [name, decodeURIComponent(found[index + 1] ?? '')]);
}

function queryWords({ query }: RequestSpec, request: SimulatedRequest): readonly (readonly [string, unknown])[] {
  return Object.entries(query).flatMap(([name, expression]) => {
    const value = request.query.get(name);
    return value === null ? [] : [[expression, value] as const];
  });
}

function bodyWords({ form, json }: RequestSpec, request: SimulatedRequest): readonly (readonly [string, unknown])[] {
  const body = bodyOf(request);
  return form || json !== undefined ? treeValues(form ?? json, body) : [];
}

/** The values at the places of a body's expressions. */
function treeValues(tree: unknown, value: unknown): readonly (readonly [string, unknown])[] {
  if (typeof tree === 'string') return value === undefined ? [] : [[tree, value]];
  if (!isTree(tree) || !isTree(value)) return [];
  return Object.entries(tree).flatMap(([name, member]) => treeValues(member, value[name]));
}

function bodyOf({ body, headers }: SimulatedRequest): Readonly<Record<string, unknown>> {
  if (body === '') return {};
  if (String(headers['content-type']).startsWith('application/x-www-form-urlencoded'))
    return Object.fromEntries(new URLSearchParams(body));
  const parsed: unknown = JSON.parse(body);
  return isTree(parsed) ? parsed : {};
}

/** Whether a value is an object or a list. */
function isTree(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
