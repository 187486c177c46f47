import { ApiError } from '../status/api-error.js';
import type { AdminOperation } from './admin-operation.js';
import { adminOperations } from './operations.js';

/** All operations are below this path. */
export const BASE = '/admin/v1';

/** What a variable part of a path may be: ids, versions, names of brands. */
const PART = /^\w[\w .:-]{0,99}$/;
const VARIABLE = /^\{(\w+)\}$/;

/** The operation of a path, and its variable parts by name. */
export interface RoutedCall {
  readonly operation: AdminOperation;
  readonly params: Readonly<Record<string, string>>;
}

const routes = adminOperations.map((operation) => ({
  operation,
  parts: `${BASE}${operation.path}`.split('/').map((part) => ({ text: part, name: VARIABLE.exec(part)?.[1] })),
}));

/** Finds the operation of a method and path. Throws ApiError: 404 without one, 400 for an id that can't be one. */
export function routeOf(method: string, path: string): RoutedCall {
  const given = path.split('/', 20);
  for (const { operation, parts } of routes) {
    if (operation.method !== method || parts.length !== given.length) continue;
    if (!parts.every(({ text, name }, at) => (name === undefined ? text === given[at] : given[at] !== ''))) continue;
    const variables = parts.flatMap(({ name }, at) => (name === undefined ? [] : [[name, given[at] ?? ''] as const]));
    return { operation, params: decoded(Object.fromEntries(variables)) };
  }
  throw ApiError.of('resource_failure', `There is no ${method} ${path.slice(0, 200)} (see /admin/openapi.json).`);
}

function decoded(groups: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(groups).map(([name, text]) => {
      const value = decodedPart(text);
      if (value === undefined || !PART.test(value))
        throw ApiError.of('invalid_format', `"${name}" in the path is not an id or name.`, { field: name });
      return [name, value];
    }),
  );
}

function decodedPart(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** Query parameters by name: a text, or a list if one is repeated. */
export function queryOf(target: string): Readonly<Record<string, string | string[]>> {
  const at = target.indexOf('?');
  const query = new URLSearchParams(at === -1 ? '' : target.slice(at + 1));
  return Object.fromEntries(
    [...new Set(query.keys())].map((name) => {
      const all = query.getAll(name);
      return [name, all.length === 1 ? (all[0] ?? '') : all];
    }),
  );
}
