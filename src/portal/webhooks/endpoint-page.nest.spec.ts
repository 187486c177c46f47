import { describe, expect, it } from '@jest/globals';
import type { OwnApplication } from '../../auth/own-applications.js';
import type { DeliveryRow } from '../../webhooks/delivery-log.js';
import type { Endpoint } from '../../webhooks/endpoint-store.js';
import { endpointPage, SHOWN_EVENTS } from './endpoint-page.js';

const application = { id: 'app_a', name: 'Shop <b>', environment: 'sandbox' } as unknown as OwnApplication;
const endpoint = {
  ...{ id: `whe_${'0'.repeat(24)}`, applicationId: 'app_a', url: 'https://hooks.example.com/cars', description: '' },
  ...{ state: 'active', events: null, failingSince: null, previousUntil: null },
} as unknown as Endpoint;
/** An event of the size that the sandbox sends. */
const event = (at: number): DeliveryRow => ({
  ...{ eventId: `evt_${String(at).padStart(32, '0')}`, type: 'reservation.confirmed', applicationId: 'app_a', at },
  ...{ subject: 'res_zoXwNNbtnSK9ZKWhjM_F', state: 'delivered', attempts: 2, nextAt: at },
  ...{ lastAt: at, lastStatus: 200, lastError: null, lastMs: 12 },
  data: {
    ...{
      reservationId: 'res_zoXwNNbtnSK9ZKWhjM_F',
      version: 2,
      supplier: 'abg',
      state: 'confirmed',
      before: 'pending',
    },
    ...{ pickupDate: '2026-12-27T10:00:00', dropoffDate: '2026-12-31T10:00:00', priceDrift: null },
    total: { amountMinor: 14_313, currency: 'USD' },
  },
});

function shown(more: Partial<Endpoint> = {}) {
  const visitor = { accountId: 'acc_a', name: 'Ada', role: 'developer', environment: 'sandbox' } as never;
  const deliveries = Array.from({ length: SHOWN_EVENTS }, (_, at) => event(at));
  return String(endpointPage({ visitor, application, endpoint: { ...endpoint, ...more }, deliveries }).body);
}

describe('the page of a webhook endpoint', () => {
  it('weighs at most 40 KB with as many events as it shows', () => {
    expect(Buffer.byteLength(shown())).toBeLessThan(40_000);
  });

  it('leads back to the application and its endpoints', () => {
    expect(shown()).toContain(
      '<a href="/applications/app_a">Shop &lt;b></a> / <a href="/applications/app_a/webhooks">Webhooks</a> / Endpoint',
    );
  });

  it('has no empty column while no event can be sent again', () => {
    expect([shown(), shown({ state: 'disabled' })].map((html) => html.includes('>Action</th>'))).toEqual([true, false]);
  });
});
