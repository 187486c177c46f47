import { expect, it } from '@jest/globals';
import { serviceCounts } from '../metrics/service-counts.js';
import { countCall } from './count-call.js';
import type { ContextRequest } from './open-request.js';

/** What a call counts as: its kind and how many failed; undefined = it isn't counted. */
function counted(url: string, status: number, rest: object = {}): string | undefined {
  serviceCounts.take();
  countCall({ routeOptions: { url }, raw: { complete: true }, ...rest } as ContextRequest, status);
  const [row] = serviceCounts.take();
  return row && `${row.part} ${row.operation} ${row.failed}`;
}

it.each<[string, number, object, string | undefined]>([
  ['/cars/catalog/v1/vehicles', 200, {}, 'api search 0'],
  ['/cars/locations/v1', 206, {}, 'api search 0'],
  ['/cars/catalog/v1/vehicles', 404, {}, 'api search 0'],
  ['/cars/catalog/v1/vehicles', 408, {}, 'api search 1'],
  ['/cars/catalog/v1/vehicles', 503, {}, 'api search 1'],
  ['/cars/reservation/v1', 500, {}, 'api booking 1'],
  ['/oauth/token/v1', 200, {}, 'api token 0'],
  ['/oauth/token/v1', 401, {}, undefined],
  ['/cars/catalog/v1/vehicles', 400, {}, undefined],
  ['/cars/reservation/v1', 429, {}, undefined],
  ['/cars/reservation/v1', 503, { isMaintenance: true }, undefined],
  ['/cars/reservation/v1', 500, { context: { scenario: {} } }, undefined],
  ['/cars/catalog/v1/vehicles', 500, { context: { isCutShort: true } }, undefined],
  ['/cars/catalog/v1/vehicles', 503, { context: { isCutShort: true } }, 'api search 1'],
  ['/cars/catalog/v1/vehicles', 206, { context: { isCutShort: true } }, 'api search 0'],
  ['/docs', 500, {}, undefined],
  // A body that never came.
  ['/oauth/token/v1', 408, { raw: { complete: false } }, undefined],
  ['/cars/reservation/v1', 408, { raw: { complete: false } }, undefined],
  ['/cars/reservation/v1', 503, { raw: { complete: false } }, 'api booking 1'],
  // Neither a search nor a booking.
  ['/cars/webhooks/v1/endpoints/:endpoint_id/deliveries', 503, {}, undefined],
  ['/cars/places/v1', 503, {}, undefined],
])('a call of %s that is answered with %d (%j) counts as %s', (url, status, rest, expected) => {
  expect(counted(url, status, rest)).toBe(expected);
});

it('a call counts for the account that makes it', () => {
  serviceCounts.take();
  const call = (accountId: string, status: number) =>
    countCall(
      {
        routeOptions: { url: '/cars/reservation/v1' },
        raw: { complete: true },
        context: { accountId },
      } as ContextRequest,
      status,
    );
  call('acc_v', 201);
  for (let index = 0; index < 20; index += 1) call('acc_a', 500);
  expect(serviceCounts.take()).toMatchObject([
    { part: 'api', operation: 'booking', account: 'acc_v', calls: 1, failed: 0 },
    { part: 'api', operation: 'booking', account: 'acc_a', calls: 20, failed: 20 },
  ]);
});
