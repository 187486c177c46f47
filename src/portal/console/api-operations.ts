import type { Json } from '../../http/operation.decorator.js';

/** An input field for one value of a request. */
export interface ApiField {
  readonly place: 'path' | 'query' | 'header' | 'body';
  /** In a body, a dotted path through the enclosing objects. */
  readonly name: string;
  readonly isRequired: boolean;
  /** list: comma-separated. flag: true or false. json: entered as JSON. */
  readonly kind: 'text' | 'number' | 'choice' | 'flag' | 'list' | 'json';
  /** For choices and flags; otherwise empty. */
  readonly choices: readonly string[];
  /** May be empty. */
  readonly description: string;
  readonly default?: string;
}

/** An operation of the API at its canonical path. */
export interface ApiOperation {
  readonly id: string;
  /** In uppercase. */
  readonly method: string;
  readonly path: string;
  /** Other paths to the same operation. */
  readonly aliases: readonly string[];
  readonly tag: string;
  readonly summary: string;
  /** May be empty. */
  readonly description: string;
  /** Needs no access token. */
  readonly isPublic: boolean;
  /** Media type of the body, if there is one. */
  readonly bodyType?: string;
  /** Required fields first, then the operation's own, then those shared by every operation. */
  readonly fields: readonly ApiField[];
  readonly answers: readonly { readonly status: string; readonly meaning: string; readonly schema?: Json }[];
  /** As in the document, with nested schemas. */
  readonly parameters: readonly Parameter[];
  /** The schema of the body, if there is one. */
  readonly bodySchema?: Json;
}

interface Schema {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly const?: string;
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly default?: string | number | boolean;
  readonly description?: string;
}

/** A parameter of an operation in the document. */
export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

interface ResponseObject {
  readonly description: string;
  readonly content?: Readonly<Record<string, { readonly schema: Json }>>;
}

interface OperationObject {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly [string];
  readonly security: readonly object[];
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
  readonly responses: Readonly<Record<string, ResponseObject>>;
}

/** The operations of the gateway's OpenAPI document, in its order, with their alias paths. */
export function apiOperations(document: Json): readonly ApiOperation[] {
  // openApiDocument generates this shape.
  const paths = document.paths as Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  return all
    .filter(({ operation }) => !isAlias(operation.operationId))
    .map(({ path, method, operation }) => ({
      ...described(operation),
      method: method.toUpperCase(),
      path,
      aliases: all
        .filter(
          (other) =>
            other.operation.operationId.replace(/Alias\d+$/, '') === operation.operationId && other.path !== path,
        )
        .map((other) => other.path),
    }));
}

function isAlias(operationId: string): boolean {
  return /Alias\d+$/.test(operationId);
}

function described(operation: OperationObject): Omit<ApiOperation, 'method' | 'path' | 'aliases'> {
  const [bodyType, body] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
  const fields = [
    ...operation.parameters.flatMap(({ in: place, name, required, description, schema }) =>
      fieldsOf(place, name, description === undefined ? schema : { ...schema, description }, required),
    ),
    ...(body ? membersOf('', body.schema, true) : []),
  ];
  return {
    id: operation.operationId,
    tag: operation.tags[0],
    summary: operation.summary,
    description: operation.description ?? '',
    isPublic: operation.security.length === 0,
    ...(bodyType === undefined ? {} : { bodyType }),
    fields: fields.toSorted((one, other) => rankOf(one) - rankOf(other)),
    answers: Object.entries(operation.responses).map(answerOf),
    parameters: operation.parameters,
    ...(body ? { bodySchema: body.schema as Json } : {}),
  };
}

function answerOf([status, { description, content = {} }]: [string, ResponseObject]): ApiOperation['answers'][number] {
  const [body] = Object.values(content);
  return { status, meaning: description, ...(body ? { schema: body.schema } : {}) };
}

function rankOf({ isRequired, place }: ApiField): number {
  if (isRequired) return 0;
  return place === 'header' ? 2 : 1;
}

/** The fields of an object in a body; `prefix` is empty or ends with a dot. Required members of an optional object are not required. */
function membersOf(prefix: string, schema: Schema, isRequired: boolean): readonly ApiField[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, member]) =>
    fieldsOf('body', `${prefix}${name}`, member, isRequired && (schema.required ?? []).includes(name)),
  );
}

function fieldsOf(place: ApiField['place'], name: string, described: Schema, isRequired: boolean): readonly ApiField[] {
  const schema = {
    ...mainAlternative(described),
    ...(described.description === undefined ? {} : { description: described.description }),
  };
  if (schema.properties) return membersOf(`${name}.`, schema, isRequired);
  const choices =
    schema.type === 'boolean' ? ['true', 'false'] : (schema.enum ?? (schema.const === undefined ? [] : [schema.const]));
  return [
    {
      place,
      name,
      isRequired,
      kind: kindOf(schema),
      choices,
      description: schema.description ?? '',
      ...(schema.default === undefined ? {} : { default: String(schema.default) }),
    },
  ];
}

/** The most expressive of several alternatives: a list before a single value, anything before null. */
function mainAlternative(schema: Schema): Schema {
  const { anyOf = [] } = schema;
  return anyOf.find(({ type }) => type === 'array') ?? anyOf.find(({ type }) => type !== 'null') ?? schema;
}

function kindOf({ type, enum: values, const: constant, items }: Schema): ApiField['kind'] {
  if (type === 'boolean') return 'flag';
  if (values || constant !== undefined) return 'choice';
  if (type === 'array') return items?.properties ? 'json' : 'list';
  return type === 'number' || type === 'integer' ? 'number' : 'text';
}
