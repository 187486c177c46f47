import { z } from 'zod';
import type { Config } from '../config/config.schema.js';
import type { Json } from '../http/operation.decorator.js';
import { type ApiOperation, operations } from './api-operations.js';

const NDJSON = {
  'application/x-ndjson': {
    schema: {
      type: 'string',
      description:
        'A JSON object a line: {search_id, request}, then each supplier as it settles with its vehicles, last {status}.',
    },
  },
};

/** Headers of what a version of a product answers (spec §9, ruling 21): also of an error, once a version was chosen. */
const VERSION_HEADERS: Readonly<Record<string, string>> = {
  'X-Api-Version': 'The version that answered, such as v1.1.',
  Deprecation: 'Of a deprecated version: since when, @ and Unix seconds (RFC 9745).',
  Sunset: 'Of a deprecated version: when it will be retired, if that is known (RFC 8594).',
  Link: 'Of a deprecated version: the same resource in the newest Live major, rel="successor-version".',
};

const HEADER_REFERENCES = Object.fromEntries(
  Object.keys(VERSION_HEADERS).map((name) => [name, { $ref: `#/components/headers/${name}` }]),
);

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
      paths[path][operation.method] = operationJson(operation, path, index, bounds);
    });
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Forecourt',
      version: '1.1.0',
      description:
        'One API over many car-rental suppliers. Every answer says which supplier gave nothing. The segment v1 means the newest minor of 1; ' +
        'v1.1 or v1.0.1 in its place holds on to that version, and without the segment the newest Live major answers.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    paths,
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
      headers: Object.fromEntries(
        Object.entries(VERSION_HEADERS).map(([name, description]) => [
          name,
          { description, required: false, schema: { type: 'string' } },
        ]),
      ),
      schemas: components(),
    },
  };
}

function operationJson(operation: ApiOperation, path: string, alias: number, bounds: Bounds): Json {
  return {
    // The other ways to the same operation are told apart by their place in its list.
    operationId: alias === 0 ? operation.id : `${operation.id}Alias${alias}`,
    summary: operation.summary,
    ...(operation.description === undefined ? {} : { description: operation.description }),
    tags: [operation.tag],
    security: operation.isPublic ? [] : [{ bearer: [] }],
    parameters: [
      ...pathParameters(path),
      ...(operation.headers ?? []),
      // What the path names is not named again in the query.
      ...(operation.query && !path.includes('{') ? queryParameters(operation.query, bounds) : []),
    ],
    ...(operation.body
      ? {
          requestBody: {
            required: true,
            content: { [operation.bodyType ?? 'application/json']: { schema: inline(operation.body, 'input') } },
          },
        }
      : {}),
    responses: Object.fromEntries(
      Object.entries(operation.answers).map(([status, [meaning, schema, contentType = 'application/json']]) => [
        status,
        {
          description: meaning,
          ...(path.startsWith('/cars/') && status.startsWith('2') ? { headers: HEADER_REFERENCES } : {}),
          ...(schema
            ? {
                content: {
                  [contentType]: { schema: reference(schema) },
                  ...(operation.streams && status === '200' ? NDJSON : {}),
                },
              }
            : {}),
        },
      ]),
    ),
  };
}

function pathParameters(path: string): Json[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
}

/** Bounds that the configuration sets, by parameter. */
type Bounds = Readonly<Record<string, Json>>;

/** A query value is described by what it becomes (a number, a list), or by its text where a transformation hides that. */
function parameterSchema(name: string, field: z.ZodType, bounds: Bounds): Json {
  const output = inline(field, 'output');
  const json =
    'type' in output || 'enum' in output || 'anyOf' in output ? output : { ...inline(field, 'input'), ...output };
  const items =
    json.type === 'array' && Object.keys((json.items ?? {}) as Json).length === 0 ? { items: { type: 'string' } } : {};
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
  const {
    $schema: _dialect,
    '~standard': _standard,
    ...json
  } = z.toJSONSchema(schema, { ...OPTIONS, io, reused: 'inline' }) as Json;
  return json;
}

function reference(schema: z.ZodType): Json {
  const id = z.globalRegistry.get(schema)?.id;
  return id === undefined ? inline(schema, 'output') : { $ref: `#/components/schemas/${id}` };
}

/** As in the releases, so that the diff of two descriptions shows only what changed. Other schemas follow by name. */
const SCHEMA_ORDER = [
  ...['LocationSummary', 'Location', 'Money', 'Stay', 'Vehicle', 'Price', 'Offer', 'Status', 'ErrorBody'],
  ...['Quote', 'RatesAnswer', 'VehiclesAnswer', 'FoundLocation', 'LocationsAnswer', 'Reservation', 'ReservationAnswer'],
  ...['TokenAnswer', 'OAuthTokenAnswer', 'Introspection', 'OAuthMetadata', 'OAuthError', 'StateAnswer'],
];

function rankOf(id: string): number {
  const rank = SCHEMA_ORDER.indexOf(id);
  return rank === -1 ? SCHEMA_ORDER.length : rank;
}

function components(): Json {
  const { schemas } = z.toJSONSchema(z.globalRegistry, {
    ...OPTIONS,
    uri: (id) => `#/components/schemas/${id}`,
  }) as unknown as {
    schemas: Record<string, Json>;
  };
  const ids = Object.keys(schemas).sort((one, other) => rankOf(one) - rankOf(other) || (one < other ? -1 : 1));
  return Object.fromEntries(
    ids.map((id) => {
      const { $schema: _dialect, $id: _id, ...schema } = schemas[id] ?? {};
      return [id, schema];
    }),
  );
}

/** `METHOD /path` of every operation described, for the test that holds them against the server's routes. */
export function describedRoutes(): readonly string[] {
  return operations.flatMap((operation) => operation.paths.map((path) => `${operation.method.toUpperCase()} ${path}`));
}
