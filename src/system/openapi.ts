import { z } from 'zod';
import type { Config } from '../config/config.schema.js';
import type { Json } from '../http/operation.decorator.js';
import { type ApiOperation, operations } from './api-operations.js';
import { EXAMPLES, exampleOf } from './openapi-examples.js';

/** A media type and not an operation of its own, because a path has one operation per method and the Accept header asks for it. */
const NDJSON = {
  'application/x-ndjson': {
    ...exampleOf('searchVehicles', 'lines'),
    schema: {
      type: 'string',
      description:
        'One JSON object per line: {search_id, request}, then each supplier with its vehicles as soon as it answers, and finally {status}.',
    },
  },
};

/** What operations are grouped by: products, and what they share. */
const TAGS: readonly { readonly name: string; readonly description: string }[] = [
  { name: 'Token', description: 'Access tokens: OAuth 2.0, and the GET operation.' },
  { name: 'Locations', description: 'The product Location Keyword Search: rental locations.' },
  {
    name: 'Places',
    description: 'The product Place Search: suggestions for cities, airports, stations and postal codes.',
  },
  {
    name: 'Availability',
    description: 'The product Car Availability: offers of all suppliers, and what one costs now.',
  },
  { name: 'Reservations', description: 'The product Car Reservation: book, read, change and cancel.' },
  { name: 'Suppliers', description: 'The product Supplier Content: suppliers, and what they can do.' },
  { name: 'Vehicles', description: 'The product Vehicle Content: SIPP codes in words, and names of values.' },
  { name: 'Pictures', description: 'Drawings of vehicles and marks of suppliers. Public.' },
  { name: 'Webhooks', description: 'The product Webhooks: events of reservations at your own addresses.' },
  { name: 'Sandbox', description: 'The test clock of a sandbox application. Production has none.' },
  { name: 'Operations', description: 'Health of the gateway, and this document.' },
];

/** The same token, got in either way. The token URL is relative to the server. */
const SECURITY_SCHEMES: Json = {
  bearer: { type: 'http', scheme: 'bearer', description: 'An access token from either token operation.' },
  oauth2: {
    type: 'oauth2',
    description: 'OAuth 2.0 with client credentials (RFC 6749). There are no scopes.',
    flows: { clientCredentials: { tokenUrl: '/oauth/token/v1', scopes: {} } },
  },
};
const PAGE = { 'text/html': { schema: { type: 'string', description: 'A page for printing (A4).' } } };

/** Headers of the answers of a product's version (spec §9, ruling 21), including errors once a version was chosen. */
const VERSION_HEADERS: Readonly<Record<string, string>> = {
  'X-Api-Version': 'The version that answered, such as v1.1.',
  Deprecation: 'Only for a deprecated version: the deprecation date, as @ and Unix seconds (RFC 9745).',
  Sunset: 'Only for a deprecated version: when it will be retired, if known (RFC 8594).',
  Link: 'Only for a deprecated version: the same resource in the newest Live major, rel="successor-version".',
};

const HEADER_REFERENCES = Object.fromEntries(
  Object.keys(VERSION_HEADERS).map((name) => [name, { $ref: `#/components/headers/${name}` }]),
);

/** The settings that the description depends on. */
export type DescribedSettings = Pick<Config, 'search' | 'environment'>;

/** By settings. */
const documents = new WeakMap<DescribedSettings, Json>();

/**
 * The API description (OpenAPI 3.1) from the schemas of requests and answers and the configured bounds. That of production
 * lacks what only the sandbox has. Built once for the same settings, because it takes 50 ms: don't change it.
 */
export function openApiDocument(settings: DescribedSettings): Json {
  const known = documents.get(settings);
  if (known) return known;
  const document = buildDocument(settings);
  documents.set(settings, document);
  return document;
}

function buildDocument({ search, environment }: DescribedSettings): Json {
  const described = operations.filter(({ isSandboxOnly }) => environment === 'sandbox' || !isSandboxOnly);
  const tags = new Set(described.map(({ tag }) => tag));
  const bounds: Bounds = {
    timeout_ms: { minimum: search.timeoutMs.min, maximum: search.timeoutMs.max },
    max_results: { maximum: search.maxResults, default: search.defaultResults },
  };
  const paths: Record<string, Json> = {};
  for (const operation of described) {
    operation.paths.forEach((path, index) => {
      paths[path] ??= {};
      paths[path][operation.method] = operationJson(operation, path, index, bounds);
    });
  }
  const schemas = components();
  const used = schemasIn(paths, schemas);
  const text = JSON.stringify(paths);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Forecourt',
      version: '1.9.0',
      description:
        'One API for many car-rental suppliers. Every answer reports the suppliers that failed. The path segment v1 means the newest minor of major 1; ' +
        'v1.1 or v1.0.1 pins that version. Without the segment, the newest Live major answers. Each path may end with a slash. ' +
        'The examples are answers of the sandbox.',
      contact: { name: 'The operators of this gateway' },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags: TAGS.filter(({ name }) => tags.has(name)),
    paths,
    components: {
      securitySchemes: SECURITY_SCHEMES,
      examples: Object.fromEntries(
        Object.entries(EXAMPLES).filter(([name]) => text.includes(`"#/components/examples/${name}"`)),
      ),
      headers: Object.fromEntries(
        Object.entries(VERSION_HEADERS).map(([name, description]) => [
          name,
          { description, required: false, schema: { type: 'string' } },
        ]),
      ),
      schemas: Object.fromEntries(Object.entries(schemas).filter(([id]) => used.has(id))),
    },
  };
}

/** The ids of the schemas that a part of the description refers to, including through others. The rest only serve to build schemas. */
function schemasIn(part: Json, schemas: Readonly<Record<string, unknown>>, found = new Set<string>()): Set<string> {
  for (const [, id = ''] of JSON.stringify(part).matchAll(/"#\/components\/schemas\/([^"]+)"/g))
    if (!found.has(id)) schemasIn(schemas[id] as Json, schemas, found.add(id));
  return found;
}

function operationJson(operation: ApiOperation, path: string, alias: number, bounds: Bounds): Json {
  return {
    // Further paths of an operation get ids by their position in the list.
    operationId: alias === 0 ? operation.id : `${operation.id}Alias${alias}`,
    summary: operation.summary,
    ...(operation.description === undefined ? {} : { description: operation.description }),
    tags: [operation.tag],
    security: operation.isPublic ? [] : [{ bearer: [] }, { oauth2: [] }],
    parameters: [
      ...pathParameters(path),
      ...(operation.headers ?? []),
      // Leave out query parameters that replace those of the path.
      ...(operation.query && (!path.includes('{') || operation.paths.every((one) => one.includes('{')))
        ? queryParameters(operation.query, bounds)
        : []),
    ],
    ...(operation.body
      ? {
          requestBody: {
            required: true,
            content: {
              [operation.bodyType ?? 'application/json']: {
                schema: inline(operation.body, 'input'),
                ...exampleOf(operation.id, 'request'),
              },
            },
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
                  [contentType]: { schema: reference(schema), ...exampleOf(operation.id, status) },
                  ...(operation.streams && status === '200' ? NDJSON : {}),
                  ...(operation.hasPage && status === '200' ? PAGE : {}),
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

/**
 * Describes a query value by its parsed type (a number, a list), or by its text if a transformation hides that type.
 */
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

/** Schemas in the order of the releases, so that a diff shows only changes. Other schemas follow by name. */
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

/** `METHOD /path` of every described operation, for the test that compares them with the server's routes. */
export function describedRoutes(): readonly string[] {
  return operations.flatMap((operation) => operation.paths.map((path) => `${operation.method.toUpperCase()} ${path}`));
}
