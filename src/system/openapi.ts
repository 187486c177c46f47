import { z } from 'zod';
import { ratesBody } from '../catalog/rates.schema.js';
import { ratesAnswer } from '../catalog/rates.wire.js';
import { vehiclesBody, vehiclesQuery } from '../catalog/vehicles.schema.js';
import { vehiclesAnswer } from '../catalog/vehicles.wire.js';
import type { Config } from '../config/config.schema.js';
import { locationsQuery } from '../locations/locations.schema.js';
import { locationsAnswer } from '../locations/locations.wire.js';
import { errorBody, statusWire } from '../status/status.wire.js';

type Json = Record<string, unknown>;

const tokenAnswer = z
  .strictObject({
    access_token: z.string(),
    token_type: z.literal('Bearer'),
    expires_in: z.int().describe('Remaining lifetime in whole seconds.'),
    status: statusWire,
  })
  .meta({ id: 'TokenAnswer' });

const stateAnswer = z.looseObject({ state: z.string() }).meta({ id: 'StateAnswer' });

interface OperationDoc {
  readonly id: string;
  readonly method: 'get' | 'post';
  readonly paths: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly tag: string;
  readonly query?: z.ZodType;
  readonly body?: z.ZodType;
  readonly headers?: readonly Json[];
  readonly isPublic?: boolean;
  /** A 200 may also come as application/x-ndjson, when Accept asks for it. */
  readonly streams?: boolean;
  /** Status → what it means and the schema of its body (null = none). */
  readonly answers: Readonly<Record<number, readonly [meaning: string, schema: z.ZodType | null, contentType?: string]>>;
}

const header = (name: string, description: string, required = false): Json => ({
  name,
  in: 'header',
  required,
  description,
  schema: { type: 'string' },
});

const REQUEST_HEADERS = [
  header('client_id', 'Optional; must be the application the token was issued to.'),
  header('X-Request-Id', 'Optional; echoed, and sent on to suppliers.'),
  header('X-Sandbox-Scenario', 'Sandbox only: what each supplier shall do, such as "alpine=ok; bravo=timeout".'),
];

const SEARCH_HEADERS = [...REQUEST_HEADERS, header('Prefer', '"partial=200" answers a partial result with 200 instead of 206.')];

const ERRORS: OperationDoc['answers'] = {
  400: ['Something in the request must be changed: invalid_request, invalid_format, invalid_range.', errorBody],
  401: ['authentication_failure or required.', errorBody],
  403: ['permissions_failure: not subscribed to the product.', errorBody],
  404: ['no_results or resource_failure.', errorBody],
  408: ['timeout; the connection is closed.', errorBody],
  429: ['throttled; see Retry-After.', errorBody],
  500: ['supplier_failure (one entry a supplier) or unexpected_condition.', errorBody],
  503: ['maintenance; see Retry-After.', errorBody],
};

/** Every operation that is served; a test holds this list against the routes of the running server. */
const operations: readonly OperationDoc[] = [
  {
    id: 'getAccessToken',
    method: 'get',
    paths: ['/oauth/token/v1'],
    tag: 'Token',
    summary: 'Get an access token',
    description: 'Exchanges client_id and client_secret, sent as headers, for a bearer token of 7199 seconds.',
    isPublic: true,
    headers: [header('client_id', 'Of your application.', true), header('client_secret', 'Of your application.', true)],
    answers: {
      200: ['A fresh token.', tokenAnswer],
      400: ERRORS[400] ?? ['', null],
      401: ERRORS[401] ?? ['', null],
      408: ERRORS[408] ?? ['', null],
      429: ERRORS[429] ?? ['', null],
      500: ERRORS[500] ?? ['', null],
      503: ERRORS[503] ?? ['', null],
    },
  },
  {
    id: 'searchLocations',
    method: 'get',
    paths: ['/cars/locations/v1', '/cars/locations'],
    tag: 'Locations',
    summary: 'Search rental locations',
    description: 'By keyword or around a point; the best three over all suppliers.',
    query: locationsQuery,
    headers: [...SEARCH_HEADERS, header('If-None-Match', 'ETag of an earlier answer.')],
    answers: {
      200: ['All suppliers answered.', locationsAnswer],
      206: ['Some suppliers gave nothing; the errors name them.', locationsAnswer],
      304: ['Unchanged since If-None-Match.', null],
      ...ERRORS,
    },
  },
  {
    id: 'searchVehicles',
    method: 'get',
    paths: ['/cars/catalog/v1/vehicles', '/cars/catalog/vehicles'],
    tag: 'Availability',
    summary: 'Search vehicles',
    description: 'Offers of all suppliers for one rental. With Accept: application/x-ndjson they stream in as suppliers answer.',
    query: vehiclesQuery,
    streams: true,
    headers: SEARCH_HEADERS,
    answers: {
      200: ['All suppliers answered.', vehiclesAnswer],
      206: ['Some suppliers gave nothing; the errors name them.', vehiclesAnswer],
      ...ERRORS,
    },
  },
  {
    id: 'searchVehiclesByBody',
    method: 'post',
    paths: ['/cars/catalog/v1/vehicles', '/cars/catalog/vehicles'],
    tag: 'Availability',
    summary: 'Search vehicles with a body',
    description:
      'As by GET, and for what may not stand in a URL. A partial result is a 200 with error entries: spec §7.2 allows no 206 on POST.',
    body: vehiclesBody,
    streams: true,
    headers: SEARCH_HEADERS,
    answers: { 200: ['The offers; errors name suppliers that gave nothing.', vehiclesAnswer], ...ERRORS },
  },
  {
    id: 'priceOffer',
    method: 'post',
    paths: ['/cars/catalog/v1/vehicles/rates', '/cars/catalog/vehicles/rates'],
    tag: 'Availability',
    summary: 'Price an offer',
    description:
      'Asks the supplier what an offer (or an earlier quote) costs now with the extras and coverages chosen. Creates nothing at the supplier.',
    body: ratesBody,
    headers: REQUEST_HEADERS,
    answers: {
      200: ['The quote.', ratesAnswer],
      ...ERRORS,
      404: ['no_results with cause sold_out, or resource_failure: no such id, or with cause rate_expired one that is over.', errorBody],
    },
  },
  {
    id: 'live',
    method: 'get',
    paths: ['/health/live'],
    tag: 'Operations',
    summary: 'The process runs',
    isPublic: true,
    answers: { 200: ['Yes.', stateAnswer] },
  },
  {
    id: 'ready',
    method: 'get',
    paths: ['/health/ready'],
    tag: 'Operations',
    summary: 'The process can serve',
    isPublic: true,
    answers: { 200: ['Yes.', stateAnswer], 503: ['No.', stateAnswer] },
  },
  {
    id: 'metrics',
    method: 'get',
    paths: ['/metrics'],
    tag: 'Operations',
    summary: 'Prometheus metrics',
    isPublic: true,
    answers: { 200: ['Text.', z.string(), 'text/plain'] },
  },
  {
    id: 'openapi',
    method: 'get',
    paths: ['/openapi.json'],
    tag: 'Operations',
    summary: 'This document',
    isPublic: true,
    answers: { 200: ['OpenAPI 3.1.', z.looseObject({})] },
  },
];

const NDJSON = {
  'application/x-ndjson': {
    schema: {
      type: 'string',
      description: 'A JSON object a line: {search_id, request}, then each supplier as it settles with its vehicles, last {status}.',
    },
  },
};

/** The API description (OpenAPI 3.1), made from the schemas that validate requests and describe answers, and the bounds of the configuration. */
export function openApiDocument(search: Config['search']): Json {
  const bounds: Bounds = {
    timeout_ms: { minimum: search.timeoutMs.min, maximum: search.timeoutMs.max },
    max_results: { maximum: search.maxResults, default: search.defaultResults },
  };
  const paths: Record<string, Json> = {};
  for (const operation of operations) {
    operation.paths.forEach((path, index) => {
      paths[path] ??= {};
      paths[path][operation.method] = operationJson(operation, index, bounds);
    });
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Forecourt',
      version: '1.0.0',
      description: 'One API over many car-rental suppliers. Every answer says which supplier gave nothing.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    paths,
    components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } }, schemas: components() },
  };
}

function operationJson(operation: OperationDoc, alias: number, bounds: Bounds): Json {
  return {
    operationId: alias === 0 ? operation.id : `${operation.id}Unversioned`,
    summary: operation.summary,
    ...(operation.description === undefined ? {} : { description: operation.description }),
    tags: [operation.tag],
    security: operation.isPublic ? [] : [{ bearer: [] }],
    parameters: [...(operation.headers ?? []), ...(operation.query ? queryParameters(operation.query, bounds) : [])],
    ...(operation.body
      ? { requestBody: { required: true, content: { 'application/json': { schema: inline(operation.body, 'input') } } } }
      : {}),
    responses: Object.fromEntries(
      Object.entries(operation.answers).map(([status, [meaning, schema, contentType = 'application/json']]) => [
        status,
        {
          description: meaning,
          ...(schema
            ? { content: { [contentType]: { schema: reference(schema) }, ...(operation.streams && status === '200' ? NDJSON : {}) } }
            : {}),
        },
      ]),
    ),
  };
}

/** Bounds that the configuration sets, by parameter. */
type Bounds = Readonly<Record<string, Json>>;

/** A query value is described by what it becomes (a number, a list), or by its text where a transformation hides that. */
function parameterSchema(name: string, field: z.ZodType, bounds: Bounds): Json {
  const output = inline(field, 'output');
  const json = 'type' in output || 'enum' in output || 'anyOf' in output ? output : { ...inline(field, 'input'), ...output };
  const items = json.type === 'array' && Object.keys((json.items ?? {}) as Json).length === 0 ? { items: { type: 'string' } } : {};
  return { ...json, ...items, ...bounds[name] };
}

function queryParameters(schema: z.ZodType, bounds: Bounds): Json[] {
  if (!(schema instanceof z.ZodObject)) throw new Error('a query schema is an object');
  return Object.entries(schema.shape as Record<string, z.ZodType>).map(([name, field]) => {
    const { description, ...rest } = parameterSchema(name, field, bounds);
    const isList = rest.type === 'array';
    return {
      name,
      in: 'query',
      required: !field.safeParse(undefined).success,
      ...(description === undefined ? {} : { description }),
      ...(isList ? { style: 'form', explode: false } : {}),
      schema: rest,
    };
  });
}

const OPTIONS = { target: 'draft-2020-12', unrepresentable: 'any' } as const;

function inline(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _dialect, '~standard': _standard, ...json } = z.toJSONSchema(schema, { ...OPTIONS, io, reused: 'inline' }) as Json;
  return json;
}

function reference(schema: z.ZodType): Json {
  const id = z.globalRegistry.get(schema)?.id;
  return id === undefined ? inline(schema, 'output') : { $ref: `#/components/schemas/${id}` };
}

function components(): Json {
  const { schemas } = z.toJSONSchema(z.globalRegistry, { ...OPTIONS, uri: (id) => `#/components/schemas/${id}` }) as unknown as {
    schemas: Record<string, Json>;
  };
  return Object.fromEntries(Object.entries(schemas).map(([id, { $schema: _dialect, $id: _id, ...schema }]) => [id, schema]));
}

/** `METHOD /path` of every operation described, for the test that holds them against the server's routes. */
export function describedRoutes(): readonly string[] {
  return operations.flatMap((operation) => operation.paths.map((path) => `${operation.method.toUpperCase()} ${path}`));
}
