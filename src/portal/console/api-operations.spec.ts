import { describe, expect, it } from '@jest/globals';
import { type ApiField, apiOperations } from './api-operations.js';
import { exampleOf } from './examples.js';
import { preparationOf } from './operation-form.js';

/** An OpenAPI document with these operations by `METHOD path`. */
const document = (operations: Readonly<Record<string, object>>) => {
  const paths: Record<string, Record<string, object>> = {};
  for (const [route, operation] of Object.entries(operations)) {
    const [method = '', path = ''] = route.split(' ');
    const rest = { summary: 'Does it', tags: ['Cars'], security: [{ bearer: [] }], parameters: [], responses: {} };
    paths[path] = { ...paths[path], [method.toLowerCase()]: { ...rest, ...operation } };
  }
  return { paths };
};
const fieldsOf = (operation: object): readonly ApiField[] =>
  apiOperations(document({ 'POST /cars': { operationId: 'do', ...operation } }))[0]?.fields ?? [];
const bodyFields = (schema: object) =>
  fieldsOf({ requestBody: { content: { 'application/json': { schema: { type: 'object', ...schema } } } } });

describe('operations of the console', () => {
  it('appear once, with their other paths', () => {
    const operations = apiOperations(
      document({
        'GET /cars/v1': { operationId: 'search' },
        'GET /cars': { operationId: 'searchAlias1' },
        'GET /cars/v1/': { operationId: 'searchAlias2' },
        'POST /oauth': { operationId: 'issue', security: [] },
      }),
    );
    expect(operations.map(({ id, method, path, aliases, isPublic }) => [id, method, path, aliases, isPublic])).toEqual([
      ['search', 'GET', '/cars/v1', ['/cars', '/cars/v1/'], false],
      ['issue', 'POST', '/oauth', [], true],
    ]);
  });

  it('have required fields first, then their own, then headers', () => {
    const parameter = (place: string, name: string, required = false) => ({
      in: place,
      name,
      required,
      schema: { type: 'string' },
    });
    const fields = fieldsOf({
      parameters: [parameter('header', 'X-Request-Id'), parameter('query', 'age'), parameter('path', 'id', true)],
      requestBody: {
        content: {
          'application/json': { schema: { properties: { remark: {}, offer: {} }, required: ['offer'] } },
        },
      },
    });
    expect(fields.map(({ name }) => name)).toEqual(['id', 'offer', 'age', 'remark', 'X-Request-Id']);
  });

  it('have one field per member of an object; what an optional object requires is not required', () => {
    const person = { type: 'object', properties: { name: {}, age: {} }, required: ['name'] };
    const fields = bodyFields({ properties: { driver: person, guest: person }, required: ['driver'] });
    expect(fields.map(({ name, isRequired }) => `${name} ${isRequired}`)).toEqual([
      'driver.name true',
      'driver.age false',
      'guest.name false',
      'guest.age false',
    ]);
  });

  it.each<[string, object, Partial<ApiField>]>([
    ['text', { type: 'string' }, { kind: 'text', choices: [] }],
    ['a number', { type: 'integer', default: 25 }, { kind: 'number', default: '25' }],
    ['a flag', { type: 'boolean', default: false }, { kind: 'flag', choices: ['true', 'false'], default: 'false' }],
    ['a choice', { type: 'string', enum: ['a', 'b'] }, { kind: 'choice', choices: ['a', 'b'] }],
    ['a constant', { const: 'client_credentials' }, { kind: 'choice', choices: ['client_credentials'] }],
    ['a list', { type: 'array', items: { type: 'string' } }, { kind: 'list' }],
    ['a list of objects', { type: 'array', items: { properties: { id: {} } } }, { kind: 'json' }],
    [
      'a list or a single value',
      { anyOf: [{ type: 'string' }, { type: 'array' }], description: 'Brands.' },
      {
        kind: 'list',
        description: 'Brands.',
      },
    ],
    ['a value or null', { anyOf: [{ type: 'null' }, { type: 'number' }] }, { kind: 'number' }],
  ])('show %s', (_case, schema, expected) => {
    expect(bodyFields({ properties: { it: schema } })[0]).toMatchObject(expected);
  });
});

describe('the examples of the console', () => {
  it('have dates after today, at the instant the page is shown', () => {
    const [search] = apiOperations(document({ 'GET /cars': { operationId: 'searchVehicles' } }));
    if (!search) throw new Error('no operation');
    expect(exampleOf(search, Date.parse('2027-12-20T23:00:00Z'))).toMatchObject({
      pickup_date: '2028-01-19T10:00:00',
      dropoff_date: '2028-01-23T10:00:00',
      max_results: '3',
    });
  });

  it('name what has to be there first', () => {
    const named = (...names: string[]) => names.map((name) => ({ name }) as ApiField);
    expect(preparationOf(named('remark'))).toBeUndefined();
    expect(preparationOf(named('offer_id', 'quote_id'))).toBe('offer');
    expect(preparationOf(named('offer_id', 'reservation_id'))).toBe('reservation');
  });
});
