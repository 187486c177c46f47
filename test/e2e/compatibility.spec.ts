import { breakingChanges, type Json } from '../compat/breaking-changes.js';

/** A description of one operation that accepts and returns `Thing`. */
function described(changes: {
  method?: string;
  path?: string;
  parameters?: readonly Json[];
  body?: Json;
  answer?: Json;
  status?: string;
  security?: readonly Json[];
}): Json {
  const json = (schema: Json): Json => ({ content: { 'application/json': { schema } } });
  const operation = {
    security: changes.security ?? [],
    parameters: changes.parameters ?? [parameter('keyword')],
    requestBody: { required: true, ...json(changes.body ?? thing()) },
    responses: { [changes.status ?? '200']: { description: 'x', ...json({ $ref: '#/components/schemas/Thing' }) } },
  };
  return {
    paths: { [changes.path ?? '/things/v1']: { [changes.method ?? 'post']: operation } },
    components: { schemas: { Thing: holdingItself(changes.answer ?? thing()) } },
  };
}

/** Recursive, as a reservation's schema may be: a comparison that follows references must terminate. */
const holdingItself = (schema: Json): Json => ({
  ...schema,
  properties: { ...(schema.properties as Json), next: { $ref: '#/components/schemas/Thing' } },
});

const parameter = (name: string, more: Json = {}): Json => ({
  name,
  in: 'query',
  schema: { type: 'string', maxLength: 10 },
  ...more,
});

function thing(properties: Json = {}, more: Json = {}): Json {
  return {
    type: 'object',
    properties: {
      name: { type: 'string' },
      kind: { type: 'string', enum: ['a', 'b'] },
      count: { type: 'integer', minimum: 1 },
      tags: { type: 'array', items: { type: 'string' } },
      price: { anyOf: [{ type: 'string' }, { type: 'null' }] },
      ...properties,
    },
    required: ['name'],
    additionalProperties: false,
    ...more,
  };
}

function without(name: string): Json {
  const { [name]: _gone, ...properties } = thing().properties as Json;
  return { ...thing(), properties };
}

const kind = (...values: string[]): Json => ({ kind: { type: 'string', enum: values } });

describe('finds a change that breaks callers (spec §9.5)', () => {
  test.each<[string, Json, string]>([
    ['a removed path', described({ path: '/others/v1' }), '/things/v1: the path is gone'],
    ['a removed method', described({ method: 'put' }), 'POST /things/v1: the method is gone'],
    ['a removed answer', described({ status: '201' }), 'POST /things/v1: the answer 200 is gone'],
    ['a newly required token', described({ security: [{ bearer: [] }] }), 'needs a token now'],
    ['a removed parameter', described({ parameters: [] }), 'the query parameter keyword is gone'],
    [
      'a new required parameter',
      described({ parameters: [parameter('keyword'), parameter('x', { required: true })] }),
      'x is required now',
    ],
    [
      'a parameter that becomes required',
      described({ parameters: [parameter('keyword', { required: true })] }),
      'keyword is required now',
    ],
    [
      'a parameter with another type',
      described({ parameters: [parameter('keyword', { schema: { type: 'number' } })] }),
      'type was string',
    ],
    [
      'a shorter parameter',
      described({ parameters: [parameter('keyword', { schema: { type: 'string', maxLength: 9 } })] }),
      'maxLength was 10 and is 9',
    ],
    ['a removed body field', described({ body: without('kind') }), 'body: the field kind is gone'],
    [
      'a body field that becomes required',
      described({ body: thing({}, { required: ['name', 'kind'] }) }),
      'the field kind is required now',
    ],
    [
      'a new required body field',
      described({ body: thing({ x: {} }, { required: ['name', 'x'] }) }),
      'the field x is required now',
    ],
    ['a removed enum value of a body', described({ body: thing(kind('a')) }), 'body.kind: the value "b" is gone'],
    [
      'an enum added to a body',
      described({ body: thing({ name: { type: 'string', enum: ['x'] } }) }),
      'only some values are allowed now',
    ],
    [
      'a narrower number',
      described({ body: thing({ count: { type: 'integer', minimum: 2 } }) }),
      'minimum was 1 and is 2',
    ],
    [
      'a pattern added to a body',
      described({ body: thing({ name: { type: 'string', pattern: '^x' } }) }),
      'the pattern is another',
    ],
    [
      'a removed alternative of a body',
      described({ body: thing({ price: { anyOf: [{ type: 'string' }] } }) }),
      'price',
    ],
    ['a removed answer field', described({ answer: without('count') }), '200: the field count is gone'],
    [
      'a renamed answer field',
      described({ answer: { ...without('count'), total: {} } }),
      '200: the field count is gone',
    ],
    [
      'an answer field that becomes optional',
      described({ answer: thing({}, { required: [] }) }),
      'the field name may be missing now',
    ],
    [
      'an answer field that becomes nullable',
      described({ answer: thing({ name: { type: ['string', 'null'] } }) }),
      'string or null',
    ],
    [
      'an answer field with another type',
      described({ answer: thing({ count: { type: 'number' } }) }),
      'type was integer and is number',
    ],
    ['a removed enum value of an answer', described({ answer: thing(kind('b')) }), '200.kind: the value "a" is gone'],
    [
      'a list with other items',
      described({ answer: thing({ tags: { type: 'array', items: { type: 'integer' } } }) }),
      '200.tags[]: the type',
    ],
  ])('%s', (_case, current, sentence) => {
    const found = breakingChanges(described({}), current);
    expect(found.join('\n')).toContain(sentence);
  });
});

describe('accepts a change that does not break callers (spec §9.4)', () => {
  const more = described({});
  test.each<[string, Json]>([
    ['nothing', described({})],
    ['a path', { ...more, paths: { ...(more.paths as Json), '/others/v1': {} } }],
    ['a new optional parameter', described({ parameters: [parameter('keyword'), parameter('x')] })],
    [
      'a longer parameter',
      described({ parameters: [parameter('keyword', { schema: { type: 'string', maxLength: 11 } })] }),
    ],
    ['a new optional body field', described({ body: thing({ x: { type: 'string' } }) })],
    ['a wider body type', described({ body: thing({ count: { type: ['number', 'null'] } }) })],
    ['a body field that becomes optional', described({ body: thing({}, { required: [] }) })],
    ['a new enum value of a body', described({ body: thing(kind('a', 'b', 'c')) })],
    ['a new answer field', described({ answer: thing({ x: { type: 'string' } }, { required: ['name', 'x'] }) })],
    ['a new enum value of an answer', described({ answer: thing(kind('a', 'b', 'c')) })],
    ['a narrower answer', described({ answer: thing({ count: { type: 'integer', minimum: 5 } }) })],
  ])('%s', (_case, current) => {
    expect(breakingChanges(described({}), current)).toEqual([]);
  });

  test('does not compare a path that is not held', () => {
    expect(breakingChanges(described({}), described({ path: '/others/v1' }), (path) => path !== '/things/v1')).toEqual(
      [],
    );
  });
});
