import { z } from 'zod';
import { type CommandRun, type OpenedGateway } from '../cli/command-run.js';
import { switchSubjects } from '../cli/switch-command.js';
import { SchemaPipe } from '../http/schema.pipe.js';
import { ApiError } from '../status/api-error.js';
import type {
  OperationField,
  OperationValues,
  OperatorCaller,
  OperatorOperation,
  OperatorOperations,
} from '../system/operator-operations.js';
import type { AdminOperation } from './admin-operation.js';
import { capturedCommand, commandEffects } from './captured-command.js';
import { adminOperations } from './operations.js';
import { BASE, routeOf } from './router.js';

/** Operations without a form, and why. */
export const WITHOUT_PAGE: Readonly<Record<string, string>> = {
  auditReservations: 'asks every supplier for its bookings, which takes minutes',
  exportAuditLog: 'a file: /ops/audit/export',
};

const onPages = adminOperations.filter(({ id }) => !Object.hasOwn(WITHOUT_PAGE, id));
const TIME_TO_THE_MINUTE = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d)$/;

interface FieldSchema {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly default?: unknown;
  readonly description?: string;
}

/** The operations of the admin API for pages. `opened` is called for each, so that it has the suppliers of now. */
export function operatorOperations(opened: () => OpenedGateway): OperatorOperations {
  const prepare = (id: string, values: OperationValues) => prepared(operationOf(id), values);
  return {
    all: () => onPages.map((operation) => described(operation, opened())),
    preview: async (id, values, caller) => {
      const gateway = opened();
      const effects: string[] = [];
      const { operation, ...given } = prepare(id, values);
      await operation.run({
        ...{ gateway, ...given },
        command: async (words) => {
          effects.push(...(await commandEffects(words, gateway, commandOf(caller))));
          return { result: null, notices: [], changes: [] };
        },
      });
      return effects;
    },
    run: async (id, values, caller) => {
      const gateway = opened();
      const { operation, ...given } = prepare(id, values);
      const command = (words: readonly string[]) => capturedCommand(words, gateway, commandOf(caller));
      const answer = await operation.run({ gateway, ...given, command });
      if (Symbol.asyncIterator in answer) throw new Error(`${id} writes a stream, so it has no page`);
      return answer;
    },
  };
}

function commandOf({ person, name, address, requestId }: OperatorCaller): Pick<CommandRun, 'user' | 'origin'> {
  return { user: name, origin: { channel: 'page', agent: undefined, person, address, requestId } };
}

function operationOf(id: string): AdminOperation {
  const found = onPages.find((one) => one.id === id);
  if (!found) throw ApiError.of('resource_failure', `There is no operation "${id}".`);
  return found;
}

function described(operation: AdminOperation, gateway: OpenedGateway): OperatorOperation {
  const { id, tag, summary, command, method, path } = operation;
  const named = { id, tag, summary, command, call: `${method} ${BASE}${path}` };
  return { ...named, isChange: method !== 'GET', fields: fieldsOf(operation, gateway) };
}

function fieldsOf(operation: AdminOperation, gateway: OpenedGateway): readonly OperationField[] {
  const { properties, required } = shapeOf(operation);
  return [
    ...pathNames(operation).map((name) => ({
      ...{ name, kind: 'text' as const, values: suggested(operation, name, gateway) },
      ...{ isRequired: true, initial: '', hint: '' },
    })),
    ...Object.entries(properties).map(([name, schema]) => ({
      ...{ name, kind: formKindOf(name, schema), values: schema.enum ?? suggested(operation, name, gateway) },
      isRequired: required.includes(name),
      initial: schema.default === undefined || schema.default === false ? '' : String(schema.default),
      hint: schema.description ?? '',
    })),
  ];
}

function shapeOf({ body, query }: AdminOperation) {
  const schema = body ?? query ?? z.strictObject({});
  const json = z.toJSONSchema(schema, { io: 'input', reused: 'inline', unrepresentable: 'any' });
  const { properties = {}, required = [] } = json as {
    properties?: Readonly<Record<string, FieldSchema>>;
    required?: readonly string[];
  };
  return { properties, required };
}

function pathNames({ path }: AdminOperation): readonly string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
}

/** What a form asks with: the parts of the service are all known, so one of them is chosen. */
function formKindOf(name: string, schema: FieldSchema): OperationField['kind'] {
  return name === 'part' ? 'choice' : kindOf(schema);
}

function kindOf({ type, enum: values }: FieldSchema): OperationField['kind'] {
  if (values) return 'choice';
  if (type === 'array') return 'list';
  if (type === 'boolean') return 'flag';
  return type === 'integer' || type === 'number' ? 'number' : 'text';
}

/** Names that a field may have, as far as the gateway knows them by heart. */
function suggested({ tag }: AdminOperation, name: string, gateway: OpenedGateway): readonly string[] {
  const subjects = (...kinds: Parameters<typeof switchSubjects>[0][]) =>
    kinds.flatMap((kind) => switchSubjects(kind, gateway));
  if (name === 'supplier' || name === 'product') return subjects(name);
  if (name === 'part') return ['service', 'search', 'booking', 'token', ...subjects('supplier')];
  if (name !== 'subject') return [];
  if (tag === 'maintenance') return subjects('service', 'product');
  return tag === 'switches' ? subjects('operation', 'brand', 'product', 'supplier') : [];
}

/** The values of a form as the operation takes them. Throws ApiError with a problem per field. */
function prepared(operation: AdminOperation, values: OperationValues) {
  const missing = pathNames(operation).find((name) => (values[name] ?? '').trim() === '');
  if (missing !== undefined) throw ApiError.of('invalid_request', `"${missing}" is required.`, { field: missing });
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ''));
  const { params } = routeOf(operation.method, `${BASE}${path}`);
  const { properties } = shapeOf(operation);
  const given = Object.fromEntries(
    Object.entries(properties).flatMap(([name, schema]) => {
      const text = (values[name] ?? '').trim();
      return text === '' ? [] : [[name, typedValue(kindOf(schema), text)]];
    }),
  );
  const parsed = new SchemaPipe<Record<string, unknown>>(
    operation.body ?? operation.query ?? z.strictObject({}),
    kind(operation),
  );
  const input = parsed.transform(given);
  return { operation, params, query: operation.body ? {} : input, body: operation.body ? input : {} };
}

function kind({ body }: AdminOperation): 'body' | 'query' {
  return body ? 'body' : 'query';
}

function typedValue(as: OperationField['kind'], text: string): unknown {
  if (as === 'flag') return text === 'yes';
  if (as === 'list') return text.split(/[\s,]+/).filter((part) => part !== '');
  if (as === 'number') return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
  return text.replace(TIME_TO_THE_MINUTE, '$1T$2:00Z');
}
