import { type CodeRequest, Variable } from '../assets/request-code.js';
import type { ApiField, ApiOperation } from '../console/api-operations.js';
import { exampleOf, type Variant } from '../console/examples.js';

type Pair<Value> = readonly [name: string, value: Value];

/** An example request for an operation. Undefined parts are not sent. */
export interface ExampleRequest<Value> {
  readonly method: string;
  /** With `{name}` for the values of `path`. */
  readonly template: string;
  readonly path: readonly Pair<Value>[];
  readonly query: readonly Pair<Value>[];
  readonly headers: readonly Pair<Value>[];
  /** A JSON object. */
  readonly json?: Readonly<Record<string, unknown>>;
  readonly form?: readonly Pair<Value>[];
}

/** Fields that exclude a field in the example. */
const LEFT_OUT = ['quote_id'];

/**
 * The example of an operation, without the Authorization header. `variable` returns the reader's tool's variable for a field
 * (`{{token}}`), or undefined to use the example value. `variant` has the values of one of its further examples.
 */
export function exampleRequest<Kind = never>(
  operation: ApiOperation,
  variable: (field: string) => Kind | undefined,
  variant: Variant['values'] = {},
): ExampleRequest<string | Kind> {
  const example = { ...exampleOf(operation), ...variant };
  const shownValue = ({ name, isRequired, choices }: ApiField): string | Kind => {
    if (variant[name] === '') return '';
    if ((example[name] === undefined && !isRequired) || LEFT_OUT.includes(name)) return '';
    return variable(name) ?? (example[name] || (choices[0] ?? ''));
  };
  const sent = operation.fields
    .map((field) => ({ field, value: shownValue(field) }))
    .filter(({ value }) => value !== '');
  const pairs = (place: ApiField['place']) =>
    sent.filter(({ field }) => field.place === place).map(({ field, value }) => [field.name, value] as const);
  const isJson = operation.bodyType === 'application/json';
  return {
    method: operation.method,
    template: operation.path,
    path: pairs('path'),
    query: pairs('query'),
    headers: pairs('header'),
    ...(isJson ? { json: jsonOf(sent.filter(({ field }) => field.place === 'body')) } : {}),
    ...(operation.bodyType !== undefined && !isJson ? { form: pairs('body') } : {}),
  };
}

function jsonOf(
  values: readonly { readonly field: ApiField; readonly value: unknown }[],
): Readonly<Record<string, unknown>> {
  const body: Record<string, unknown> = {};
  for (const { field, value } of values) {
    const [last = '', ...outer] = field.name.split('.').reverse();
    const target = outer.reverse().reduce<Record<string, unknown>>((object, name) => {
      object[name] ??= {};
      return object[name] as Record<string, unknown>;
    }, body);
    target[last] = typed(field, value);
  }
  return body;
}

/** Numbers and flags as such; the console has the same rule. */
function typed({ kind }: ApiField, value: unknown): unknown {
  if (kind === 'number' && typeof value === 'string') return Number(value);
  return kind === 'flag' ? value === 'true' : value;
}

/** Ids and secrets, which the reader's code takes from its environment. */
const FROM_ENVIRONMENT = /^(?:client_id|client_secret|token|(?:offer|search|location|reservation|endpoint)_id)$/;

/** Values of the documentation's own examples that differ from the console's: short answers. */
const SHORT: Variant['values'] = { max_results: '1' };

/** The example of an operation as the documentation shows it, with environment variables for ids and secrets. */
export function codeRequest(operation: ApiOperation): CodeRequest {
  const variable = (field: string): string | Variable | undefined => {
    if (field === 'Idempotency-Key') return 'order-4711';
    return FROM_ENVIRONMENT.test(field) ? new Variable(field.toUpperCase()) : undefined;
  };
  const hasResults = operation.id.startsWith('searchVehicles');
  const example = exampleRequest(operation, variable, hasResults ? SHORT : {});
  const fieldOf = (name: string) => operation.fields.find((field) => field.name === name);
  const named = ([name, value]: Pair<string | Variable>) => ({ name, value });
  return {
    id: operation.id,
    method: example.method,
    template: example.template,
    path: Object.fromEntries(example.path),
    query: Object.fromEntries(
      example.query.map(([name, value]) => {
        const field = fieldOf(name);
        return [name, field ? typed(field, value) : value];
      }),
    ),
    headers: [
      ...example.headers.map(named),
      ...(operation.isPublic ? [] : [{ name: 'Authorization', value: ['Bearer ', new Variable('TOKEN')] }]),
      ...(example.json ? [{ name: 'Content-Type', value: 'application/json' }] : []),
    ],
    json: example.json,
    form: example.form?.map(named),
  };
}
