import type { ApiField, ApiOperation } from '../console/api-operations.js';
import { exampleOf, type Variant } from '../console/examples.js';

type Pair = readonly [name: string, value: string];

/** An example request for an operation. Undefined parts are not sent. */
export interface ExampleRequest {
  readonly method: string;
  /** With variables instead of ids. */
  readonly path: string;
  readonly query: readonly Pair[];
  readonly headers: readonly Pair[];
  /** A JSON object. */
  readonly json?: Readonly<Record<string, unknown>>;
  readonly form?: readonly Pair[];
}

/** Fields that exclude a field in the example. */
const LEFT_OUT = ['quote_id'];

/**
 * The example of an operation, without the Authorization header. `variable` returns the reader's tool's variable for a field (`$TOKEN`,
 * `{{token}}`), or undefined to use the example value. `variant` has the values of one of its further examples.
 */
export function exampleRequest(
  operation: ApiOperation,
  variable: (field: string) => string | undefined,
  variant: Variant['values'] = {},
): ExampleRequest {
  const example = { ...exampleOf(operation), ...variant };
  const shownValue = ({ name, isRequired, choices }: ApiField): string => {
    if (variant[name] === '') return '';
    if ((example[name] === undefined && !isRequired) || LEFT_OUT.includes(name)) return '';
    return variable(name) ?? (example[name] || (choices[0] ?? ''));
  };
  const sent = operation.fields
    .map((field) => ({ field, value: shownValue(field) }))
    .filter(({ value }) => value !== '');
  const pairs = (place: ApiField['place']): readonly Pair[] =>
    sent.filter(({ field }) => field.place === place).map(({ field, value }) => [field.name, value]);
  const isJson = operation.bodyType === 'application/json';
  return {
    method: operation.method,
    path: pairs('path').reduce((path, [name, value]) => path.replace(`{${name}}`, value), operation.path),
    query: pairs('query'),
    headers: pairs('header'),
    ...(isJson ? { json: jsonOf(sent.filter(({ field }) => field.place === 'body')) } : {}),
    ...(operation.bodyType !== undefined && !isJson ? { form: pairs('body') } : {}),
  };
}

function jsonOf(
  values: readonly { readonly field: ApiField; readonly value: string }[],
): Readonly<Record<string, unknown>> {
  const body: Record<string, unknown> = {};
  for (const { field, value } of values) {
    const [last = '', ...outer] = field.name.split('.').reverse();
    const target = outer.reverse().reduce<Record<string, unknown>>((object, name) => {
      object[name] ??= {};
      return object[name] as Record<string, unknown>;
    }, body);
    target[last] = field.kind === 'number' ? Number(value) : value;
  }
  return body;
}

/** Shell variables from Getting started, and those that the reader sets. */
const OF_SHELL = ['client_id', 'client_secret', 'token', 'offer_id', 'reservation_id'];

/** The example as a curl command with shell variables such as `$BASE` and `$TOKEN`. */
export function curlOf(operation: ApiOperation): string {
  const variable = (field: string): string | undefined => {
    if (field === 'Idempotency-Key') return 'order-4711';
    return OF_SHELL.includes(field) ? `$${field.toUpperCase()}` : undefined;
  };
  const { method, path, query, headers, json, form = [] } = exampleRequest(operation, variable);
  const url = `$BASE${path}${query.length > 0 ? `?${query.map(([name, value]) => `${name}=${value}`).join('&')}` : ''}`;
  const sent = [...headers, ...(operation.isPublic ? [] : [['Authorization', 'Bearer $TOKEN'] as const])];
  return [
    `curl -i ${method === 'GET' ? '' : `-X ${method} `}"${url}"`,
    ...sent.map(([name, value]) => `-H "${name}: ${value}"`),
    ...form.map(([name, value]) => `--data-urlencode "${name}=${value}"`),
    ...(json
      ? ['-H "Content-Type: application/json"', `-d '${JSON.stringify(json).replace(/\$[A-Z_]+/g, `'"$&"'`)}'`]
      : []),
  ].join(' \\\n  ');
}
