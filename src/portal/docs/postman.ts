import type { ApiOperation } from '../console/api-operations.js';
import { type Variant, variantsOf } from '../console/examples.js';
import { exampleRequest } from './example-request.js';

const SCHEMA = 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json';

/** Fields that are variables of the collection, set by the reader or by the scripts below. */
const VARIABLES = [
  'client_id',
  'client_secret',
  'token',
  'offer_id',
  'search_id',
  'reservation_id',
  'location_id',
  'endpoint_id',
  'pickup_date',
  'dropoff_date',
  'brand',
];

/** Runs before each request: sets dates a month ahead and gets a token if there is no valid one. */
const BEFORE_EACH = `
const variables = pm.collectionVariables;
const dayAhead = (days) => new Date(Date.now() + days * 86400000).toISOString().slice(0, 10) + 'T10:00:00';
variables.set('pickup_date', dayAhead(30));
variables.set('dropoff_date', dayAhead(34));
if (!variables.get('token') || Number(variables.get('token_ends')) < Date.now()) {
  const header = { client_id: variables.get('client_id'), client_secret: variables.get('client_secret') };
  pm.sendRequest({ url: variables.get('base_url') + '/oauth/token/v1', method: 'GET', header }, (error, response) => {
    if (error || response.code !== 200) return console.error('No access token. Check base_url, client_id and client_secret.', error || response.text());
    const { access_token, expires_in } = response.json();
    variables.set('token', access_token);
    variables.set('token_ends', Date.now() + expires_in * 1000);
  });
}`;

/** Runs after each request: stores its ids for the next one. `revocation`: name of the request that revokes the token. */
const afterEach = (revocation: string): string => `
const text = pm.response.text();
const body = text.startsWith('{') ? JSON.parse(text) : {};
if (body.vehicles && body.vehicles[0]) pm.collectionVariables.set('offer_id', body.vehicles[0].offer_id);
if (body.page && body.page.kept_until) pm.collectionVariables.set('search_id', body.search_id);
if (body.locations && body.locations[0]) pm.collectionVariables.set('location_id', body.locations[0].location_id);
if (body.endpoint) pm.collectionVariables.set('endpoint_id', body.endpoint.endpoint_id);
if (body.reservation) pm.collectionVariables.set('reservation_id', body.reservation.reservation_id);
if (pm.info.requestName === ${JSON.stringify(revocation)}) pm.collectionVariables.unset('token');`;

/**
 * The API as a Postman collection (v2.1), with one folder per tag and a request for each example of an operation, in an order in which all can be run. It gets
 * its own token. `brand` must support changes to bookings.
 */
export function postmanCollection(operations: readonly ApiOperation[], baseUrl: string, brand: string): object {
  const tags = [...new Set(operations.map(({ tag }) => tag))];
  const revocation = operations.find(({ id }) => id === 'revokeToken')?.summary ?? '';
  return {
    info: {
      name: 'Forecourt',
      description:
        "Set your application's client_id and client_secret, then send any request. The collection gets a token automatically.",
      schema: SCHEMA,
    },
    auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{token}}', type: 'string' }] },
    event: [script('prerequest', BEFORE_EACH), script('test', afterEach(revocation))],
    variable: [
      { key: 'base_url', value: baseUrl },
      ...VARIABLES.map((key) => ({ key, value: key === 'brand' ? brand : '' })),
      { key: 'token_ends', value: '0' },
    ],
    item: tags.map((tag) => ({
      name: tag,
      item: operations
        .filter((operation) => operation.tag === tag)
        .sort((one, other) => Number(one.method === 'DELETE') - Number(other.method === 'DELETE'))
        .flatMap((operation) => [
          requestItem(operation),
          ...variantsOf(operation).map((one) => requestItem(operation, one)),
        ]),
    })),
  };
}

function script(listen: 'prerequest' | 'test', text: string): object {
  return { listen, script: { type: 'text/javascript', exec: text.trim().split('\n') } };
}

function requestItem(operation: ApiOperation, variant?: Variant): object {
  const variable = (field: string): string | undefined => {
    if (field === 'Idempotency-Key') return '{{$guid}}';
    return VARIABLES.includes(field) ? `{{${field}}}` : undefined;
  };
  const { method, template, query, headers, json, form, ...example } = exampleRequest(
    operation,
    variable,
    variant?.values,
  );
  const path = example.path.reduce((filled, [name, value]) => filled.replace(`{${name}}`, value), template);
  const text = query.map(([key, value]) => `${key}=${value}`).join('&');
  return {
    name: variant ? `${operation.summary}: ${variant.label}` : operation.summary,
    request: {
      method,
      description: operation.description,
      ...(operation.isPublic ? { auth: { type: 'noauth' } } : {}),
      header: [...headers, ...(json ? [['Content-Type', 'application/json'] as const] : [])].map(([key, value]) => ({
        key,
        value,
      })),
      url: {
        raw: `{{base_url}}${path}${text === '' ? '' : `?${text}`}`,
        host: ['{{base_url}}'],
        path: path.split('/').slice(1),
        query: query.map(([key, value]) => ({ key, value })),
      },
      ...(json
        ? { body: { mode: 'raw', raw: JSON.stringify(json, null, 2), options: { raw: { language: 'json' } } } }
        : {}),
      ...(form ? { body: { mode: 'urlencoded', urlencoded: form.map(([key, value]) => ({ key, value })) } } : {}),
    },
    response: [],
  };
}
