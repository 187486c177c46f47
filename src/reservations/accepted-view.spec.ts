import { createSecretKey } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { sampleOffer } from '../representations/fixtures/sample-offer.js';
import { LocationFactsCache } from '../representations/location-view.js';
import { acceptedView } from './accepted-view.js';
import { sampleRental } from './fixtures/sample-reservation.js';

it('shows the times that are booked, not those to which the price check rounded', () => {
  const supplier = { id: 'uno' } as Parameters<typeof acceptedView>[0]['supplier'];
  const request = { ...sampleRental, pickupDate: '2027-02-01T10:15:00', extras: [], coverages: [] };
  const offer = { ...sampleOffer, pickupDate: '2027-02-01T10:30:00', dropoffDate: '2027-02-04T10:30:00' };
  const {
    pickup,
    dropoff,
    lists_local: listsLocal,
  } = acceptedView(
    { supplier, request, offer, previous: offer.price.total },
    new LocationFactsCache(createSecretKey(Buffer.alloc(32, 7))),
  );
  expect([pickup.date, dropoff.date]).toEqual(['2027-02-01T10:15:00', sampleRental.dropoffDate]);
  expect(listsLocal).toBe(true);
  expect(pickup.date_utc).toBe('2027-02-01T15:15:00Z');
});

it('has the beginnings of long terms: each booking stores them twice', () => {
  const supplier = { id: 'uno' } as Parameters<typeof acceptedView>[0]['supplier'];
  const request = { ...sampleRental, extras: [], coverages: [] };
  const offer = { ...sampleOffer, terms: [{ kind: 'conditions', text: 'x'.repeat(100_000) }] };
  const facts = new LocationFactsCache(createSecretKey(Buffer.alloc(32, 7)));
  const { terms } = acceptedView({ supplier, request, offer, previous: offer.price.total }, facts);
  // An ellipsis has three bytes.
  expect(terms[0]?.text?.length).toBe(19_998);
});
