import type { ApiOperation } from './api-operations.js';

const DAY_MS = 86_400_000;

/** Ids that only an earlier answer gives: shown empty, filled in by the console from its last answers. */
const FROM_AN_ANSWER = '';

type Example = Readonly<Record<string, string>>;

const RENTAL = { pickup_location: 'BOS', pickup_date: '+30', dropoff_date: '+34', max_results: '3' };

/** Operation → its fields with values that work at once. A date is told as days ahead. */
const EXAMPLES: Readonly<Record<string, Example>> = {
  issueToken: { client_id: FROM_AN_ANSWER, client_secret: FROM_AN_ANSWER },
  revokeToken: { client_id: FROM_AN_ANSWER, client_secret: FROM_AN_ANSWER },
  introspectToken: { client_id: FROM_AN_ANSWER, client_secret: FROM_AN_ANSWER },
  searchLocations: { keyword: 'boston', country_code: 'US' },
  searchVehicles: RENTAL,
  searchVehiclesByBody: { ...RENTAL, brand: '' },
  priceOffer: { offer_id: FROM_AN_ANSWER, quote_id: FROM_AN_ANSWER },
  createReservation: {
    offer_id: FROM_AN_ANSWER,
    quote_id: FROM_AN_ANSWER,
    'driver.first_name': 'Ada',
    'driver.last_name': 'Sample',
    'driver.email': 'ada@example.com',
    'Idempotency-Key': FROM_AN_ANSWER,
  },
  readReservation: { reservation_id: FROM_AN_ANSWER },
  changeReservation: { reservation_id: FROM_AN_ANSWER, remark: 'Second key please', Prefer: 'return=representation' },
  replaceReservation: { reservation_id: FROM_AN_ANSWER, offer_id: FROM_AN_ANSWER, quote_id: FROM_AN_ANSWER },
  cancelReservation: { reservation_id: FROM_AN_ANSWER, Prefer: 'return=representation' },
};

/** Values for the fields of an operation that make a good first request; empty = filled in by the caller. Dates count from `now`. */
export function exampleOf({ id }: ApiOperation, now = Date.now()): Example {
  return Object.fromEntries(
    Object.entries(EXAMPLES[id] ?? {}).map(([name, value]) => [
      name,
      /^\+\d+$/.test(value) ? dateAhead(Number(value), now) : value,
    ]),
  );
}

function dateAhead(days: number, now: number): string {
  return `${new Date(now + days * DAY_MS).toISOString().slice(0, 10)}T10:00:00`;
}

/** What one does after an operation: ids of operations that go on with its answer. */
export const NEXT_STEPS: Readonly<Record<string, readonly string[]>> = {
  searchLocations: ['searchVehicles'],
  searchVehicles: ['priceOffer', 'createReservation', 'replaceReservation'],
  searchVehiclesByBody: ['priceOffer', 'createReservation', 'replaceReservation'],
  priceOffer: ['createReservation', 'replaceReservation'],
  createReservation: ['readReservation', 'changeReservation', 'cancelReservation'],
  readReservation: ['changeReservation', 'replaceReservation', 'cancelReservation'],
  changeReservation: ['readReservation', 'searchVehicles', 'cancelReservation'],
  replaceReservation: ['readReservation', 'cancelReservation'],
  cancelReservation: ['readReservation', 'searchVehicles'],
};
