import { describe, expect, it } from '@jest/globals';
import { operations as described } from '../system/api-operations.js';
import { Operations } from './operations.js';

const operations = new Operations(described);

describe('Operations', () => {
  it.each([
    ['GET', '/cars/catalog/v1/vehicles', 'searchVehicles'],
    ['POST', '/cars/catalog/v1/vehicles', 'searchVehiclesByBody'],
    ['GET', '/oauth/token/v1', 'getAccessToken'],
    ['POST', '/oauth/token/v1', 'issueToken'],
    ['DELETE', '/cars/reservation/v1/:reservation_id', 'cancelReservation'],
    ['GET', '/usage', undefined],
    ['PATCH', '/cars/catalog/v1/vehicles', undefined],
  ])('%s %s is %s', (method, route, id) => {
    expect(operations.of(route, method)).toBe(id);
  });

  it.each([
    'pickup_date',
    'driver',
    'first_name',
    'extra_id',
    'accepted_total',
    'X-Sandbox-Scenario',
    'Idempotency-Key',
    'If-Match',
  ])('%s is a name in the API description', (word) => {
    expect(operations.isField(word)).toBe(true);
  });

  it.each(['Ada', 'ada@example.com', '', 'properties', 'toString'])(
    '%j is not a name in the API description',
    (word) => {
      expect(operations.isField(word)).toBe(false);
    },
  );
});
