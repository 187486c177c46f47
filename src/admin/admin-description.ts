import { z } from 'zod';
import { statusWire } from '../status/status.wire.js';
import type { AdminOperation } from './admin-operation.js';
import { commandBody } from './command-stream.js';
import { adminOperations } from './operations.js';
import { BASE } from './router.js';

type Json = Record<string, unknown>;

const ERRORS: Readonly<Record<string, string>> = {
  400: 'The input is invalid, or the change is not possible now',
  401: 'No valid signature',
  403: 'The key may only read',
  404: 'There is no such thing',
  408: 'The operation takes too long',
  429: 'Too many calls without a valid signature',
  500: 'Internal error',
  503: 'A dependency is unavailable, or too many calls are in progress',
};
const ERROR_BODY: Json = {
  type: 'object',
  properties: { status: { $ref: '#/components/schemas/Status' } },
  required: ['status'],
  additionalProperties: false,
};
const NDJSON = 'application/x-ndjson';
const COMMANDS = {
  id: 'runCommand',
  tag: 'commands',
  summary: "Run any operators' command of gw; its output follows as NDJSON",
} as const;

/** The description of the admin API (OpenAPI 3.1), from the table of operations. */
export function adminDescription(): Json {
  const paths: Record<string, Json> = {
    [`${BASE}/commands`]: {
      post: {
        ...{ operationId: COMMANDS.id, tags: [COMMANDS.tag], summary: COMMANDS.summary, security: [{ signature: [] }] },
        requestBody: { required: true, content: { 'application/json': { schema: schemaOf(commandBody, 'input') } } },
        responses: { 200: { description: 'The output', content: lines() }, ...errors() },
      },
    },
  };
  for (const operation of adminOperations.filter(({ isOnlyOnPages }) => !isOnlyOnPages)) {
    const path = `${BASE}${operation.path}`;
    paths[path] = { ...paths[path], [operation.method.toLowerCase()]: operationJson(operation) };
  }
  return {
    openapi: '3.1.0',
    info: {
      ...{ title: 'Forecourt admin API', version: '1.0.0' },
      description: 'What operators can do with gw, as signed HTTP calls (docs/admin-api.md). It has a port of its own.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    paths,
    components: {
      securitySchemes: {
        signature: {
          ...{ type: 'apiKey', in: 'header', name: 'Signature' },
          description:
            'HTTP Message Signatures (RFC 9421) with Ed25519 over "@method" "@path" "@query" "content-digest", with created, keyid and nonce.',
        },
      },
      schemas: { Status: schemaOf(z.strictObject(statusWire.shape), 'output'), ErrorBody: ERROR_BODY },
    },
  };
}

function operationJson({ id, tag, summary, path, command, query, body, answer }: AdminOperation): Json {
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(command === '' ? {} : { description: `As \`gw ${command}\`.` }),
    security: [{ signature: [] }],
    parameters: [...pathParameters(path), ...queryParameters(query)],
    ...(body
      ? { requestBody: { required: true, content: { 'application/json': { schema: schemaOf(body, 'input') } } } }
      : {}),
    responses: {
      200: {
        description: 'Success',
        content: answer === 'ndjson' ? lines() : { 'application/json': { schema: answerSchema(answer) } },
      },
      ...errors(),
    },
  };
}

function answerSchema(answer: z.ZodObject): Json {
  const { properties, required, ...schema } = schemaOf(answer, 'output') as { properties: Json; required?: string[] };
  const status = { $ref: '#/components/schemas/Status' };
  return { ...schema, properties: { status, ...properties }, required: ['status', ...(required ?? [])] };
}

function errors(): Json {
  const schema = { $ref: '#/components/schemas/ErrorBody' };
  return Object.fromEntries(
    Object.entries(ERRORS).map(([code, description]) => [
      code,
      { description, content: { 'application/json': { schema } } },
    ]),
  );
}

function lines(): Json {
  return { [NDJSON]: { schema: { type: 'string', description: 'One JSON object per line.' } } };
}

function pathParameters(path: string): readonly Json[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    ...{ name, in: 'path', required: true },
    schema: { type: 'string', maxLength: 100 },
  }));
}

function queryParameters(query: z.ZodObject | undefined): readonly Json[] {
  return Object.entries((query?.shape ?? {}) as Record<string, z.ZodType>).map(([name, field]) => {
    const { description, ...schema } = schemaOf(field, 'input');
    const isRequired = !field.safeParse(undefined).success;
    return { name, in: 'query', required: isRequired, ...(description ? { description } : {}), schema };
  });
}

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): Json {
  const options = { io, reused: 'inline', unrepresentable: 'any' } as const;
  const { $schema: _dialect, '~standard': _standard, ...json } = z.toJSONSchema(schema, options) as Json;
  return json;
}
