import { describe, expect, it } from '@jest/globals';
import { codeOf } from '../assets/request-code.js';
import type { ApiField, ApiOperation } from '../console/api-operations.js';
import { codeRequest, exampleRequest } from './example-request.js';

const field = (place: ApiField['place'], name: string, more: Partial<ApiField> = {}): ApiField => ({
  place,
  name,
  isRequired: false,
  kind: 'text',
  choices: [],
  description: '',
  ...more,
});
const operation = (id: string, fields: readonly ApiField[], more: Partial<ApiOperation> = {}): ApiOperation => ({
  id,
  method: 'POST',
  path: '/cars/reservation/v1/',
  aliases: [],
  tag: 'Cars',
  summary: '',
  description: '',
  isPublic: false,
  fields,
  answers: [],
  parameters: [],
  ...more,
});
const curlOf = (one: ApiOperation) => codeOf(codeRequest(one), 'https://cars.example').curl;

const booking = operation(
  'createReservation',
  [
    field('body', 'offer_id'),
    field('body', 'quote_id'),
    field('body', 'driver.first_name', { isRequired: true }),
    field('body', 'driver.last_name', { isRequired: true }),
    field('body', 'driver.age', { kind: 'number' }),
    field('header', 'Idempotency-Key'),
    field('header', 'X-Request-Id'),
  ],
  { bodyType: 'application/json' },
);
const token = operation(
  'issueToken',
  [field('body', 'grant_type', { isRequired: true, choices: ['client_credentials'] })],
  {
    path: '/oauth/token/v1',
    isPublic: true,
    bodyType: 'application/x-www-form-urlencoded',
  },
);
const reading = operation('readReservation', [field('path', 'reservation_id', { isRequired: true })], {
  method: 'GET',
  path: '/cars/reservation/v1/{reservation_id}',
});
const search = operation('searchLocations', [field('query', 'keyword'), field('query', 'radius')], {
  method: 'GET',
  path: '/cars/locations/v1/',
});

describe('an example request', () => {
  it('sends required fields and those with an example, as one JSON object', () => {
    const variable = (name: string) => (name === 'offer_id' ? '{{offer_id}}' : undefined);
    expect(exampleRequest(booking, variable)).toMatchObject({
      headers: [],
      json: { offer_id: '{{offer_id}}', driver: { first_name: 'Ada', last_name: 'Sample' } },
    });
  });

  it('sends numbers as numbers', () => {
    const { json } = exampleRequest(booking, (name) => (name === 'driver.first_name' ? undefined : ''));
    expect(json).toEqual({ driver: { first_name: 'Ada' } });
    const aged = operation(
      'createReservation',
      [field('body', 'age', { kind: 'number', isRequired: true, choices: ['35'] })],
      { bodyType: 'application/json' },
    );
    expect(exampleRequest(aged, () => undefined).json).toEqual({ age: 35 });
  });

  it('sends a form as pairs, and the only choice of a field', () => {
    expect(exampleRequest(token, () => undefined)).toMatchObject({ form: [['grant_type', 'client_credentials']] });
  });

  it('has the ids of its path', () => {
    expect(exampleRequest(reading, () => 'res_1').path).toEqual([['reservation_id', 'res_1']]);
  });
});

describe('the curl command of an operation', () => {
  it('lets the shell fill in variables inside of JSON and the path', () => {
    expect(curlOf(booking)).toBe(
      [
        `curl -i -X POST 'https://cars.example/cars/reservation/v1/'`,
        `-H 'Idempotency-Key: order-4711'`,
        '-H "Authorization: Bearer $TOKEN"',
        `-H 'Content-Type: application/json'`,
        `-d '{\n  "offer_id": "'"$OFFER_ID"'",\n  "driver": {\n    "first_name": "Ada",\n    "last_name": "Sample"\n  }\n}'`,
      ].join(' \\\n  '),
    );
    expect(curlOf(reading)).toContain('curl -i "https://cars.example/cars/reservation/v1/$RESERVATION_ID"');
  });

  it('has no token if the operation needs none', () => {
    expect(curlOf(token)).toBe(
      `curl -i -X POST 'https://cars.example/oauth/token/v1' \\\n  --data-urlencode 'grant_type=client_credentials'`,
    );
  });

  it('has the query of a GET', () => {
    expect(curlOf(search)).toBe(
      `curl -i 'https://cars.example/cars/locations/v1/?keyword=boston' \\\n  -H "Authorization: Bearer $TOKEN"`,
    );
  });
});
