import type { ApiOperation } from './api-operations.js';

const DAY_MS = 86_400_000;

/** Ids from an earlier response: initially empty, and filled in by the console from its last responses. */
const FROM_RESPONSE = '';

type Example = Readonly<Record<string, string>>;

const RENTAL = { pickup_location: 'BOS', pickup_date: '+30', dropoff_date: '+34', max_results: '3' };

/** Working example values by operation and field. Dates are days from now, with Z those of instants. */
const EXAMPLES: Readonly<Record<string, Example>> = {
  issueToken: { client_id: FROM_RESPONSE, client_secret: FROM_RESPONSE },
  revokeToken: { client_id: FROM_RESPONSE, client_secret: FROM_RESPONSE },
  introspectToken: { client_id: FROM_RESPONSE, client_secret: FROM_RESPONSE },
  searchLocations: { keyword: 'boston', country_code: 'US' },
  searchPlaces: { keyword: 'münchen' },
  readLocation: { location_id: FROM_RESPONSE },
  searchVehicles: RENTAL,
  searchVehiclesByBody: { ...RENTAL, brand: '', page_size: '10' },
  readSearch: { search_id: FROM_RESPONSE },
  priceOffer: { offer_id: FROM_RESPONSE, quote_id: FROM_RESPONSE },
  createReservation: {
    offer_id: FROM_RESPONSE,
    quote_id: FROM_RESPONSE,
    'driver.first_name': 'Ada',
    'driver.last_name': 'Sample',
    'driver.email': 'ada@example.com',
    'Idempotency-Key': FROM_RESPONSE,
  },
  listReservations: { limit: '3' },
  readReservation: { reservation_id: FROM_RESPONSE },
  readVoucher: { reservation_id: FROM_RESPONSE, 'Accept-Language': 'en' },
  listSuppliers: { 'Accept-Language': 'en' },
  readSupplier: { supplier_id: 'alpine', 'Accept-Language': 'de' },
  listNames: { 'Accept-Language': 'fr' },
  readVehicleContent: { sipp_code: 'ECMR', 'Accept-Language': 'en' },
  vehiclePicture: { picture: 'sedan-medium.svg' },
  supplierMark: { mark: 'AR-180.svg' },
  createWebhookEndpoint: { url: 'https://example.com/webhooks' },
  readWebhookEndpoint: { endpoint_id: FROM_RESPONSE },
  changeWebhookEndpoint: { endpoint_id: FROM_RESPONSE, description: 'Bookings' },
  deleteWebhookEndpoint: { endpoint_id: FROM_RESPONSE },
  rotateWebhookSecret: { endpoint_id: FROM_RESPONSE },
  listWebhookDeliveries: { endpoint_id: FROM_RESPONSE },
  testWebhookEndpoint: { endpoint_id: FROM_RESPONSE },
  replayWebhookEvents: { endpoint_id: FROM_RESPONSE, since: '2027-05-01T10:00:00Z' },
  changeReservation: { reservation_id: FROM_RESPONSE, remark: 'Second key please', Prefer: 'return=representation' },
  replaceReservation: { reservation_id: FROM_RESPONSE, offer_id: FROM_RESPONSE, quote_id: FROM_RESPONSE },
  moveTestClock: { now: '+1Z' },
  cancelReservation: { reservation_id: FROM_RESPONSE, Prefer: 'return=representation' },
};

/** Example values for the fields of an operation; empty ones are filled in by the caller. Dates are relative to `now`. */
export function exampleOf({ id }: ApiOperation, now = Date.now()): Example {
  return Object.fromEntries(
    Object.entries(EXAMPLES[id] ?? {}).map(([name, value]) => [
      name,
      /^\+\d+Z?$/.test(value) ? dateAhead(value, now) : value,
    ]),
  );
}

/** Another example of an operation: values that differ from the first one's; empty ones are not sent. */
export interface Variant {
  readonly label: string;
  readonly values: Example;
}

const VARIANTS: Readonly<Record<string, readonly Variant[]>> = {
  searchVehicles: [
    { label: 'Filters', values: { transmission: 'automatic', seats_min: '5' } },
    { label: 'Facets', values: { facets: 'price,category,payment' } },
    { label: 'Groups', values: { group_by: 'car', max_results: '20' } },
    {
      label: 'Around a point',
      values: { pickup_location: '', pickup_latitude: '42.36', pickup_longitude: '-71.06', pickup_radius_km: '50' },
    },
  ],
};

/** Further examples of an operation; empty for most. */
export function variantsOf({ id }: ApiOperation): readonly Variant[] {
  return VARIANTS[id] ?? [];
}

/** The date that `+30` or `+30Z` means. */
function dateAhead(days: string, now: number): string {
  const day = new Date(now + Number.parseInt(days, 10) * DAY_MS).toISOString().slice(0, 10);
  return `${day}T10:00:00${days.endsWith('Z') ? 'Z' : ''}`;
}

/** Ids of the operations that use an operation's response. */
export const NEXT_STEPS: Readonly<Record<string, readonly string[]>> = {
  searchLocations: ['readLocation', 'searchVehicles'],
  searchPlaces: ['searchLocations', 'searchVehicles'],
  readLocation: ['searchVehicles'],
  searchVehicles: ['priceOffer', 'createReservation', 'replaceReservation'],
  searchVehiclesByBody: ['readSearch', 'priceOffer', 'createReservation', 'replaceReservation'],
  readSearch: ['priceOffer', 'createReservation', 'replaceReservation'],
  priceOffer: ['createReservation', 'replaceReservation'],
  createReservation: ['readReservation', 'readVoucher', 'changeReservation', 'cancelReservation'],
  listReservations: ['readReservation', 'changeReservation', 'cancelReservation'],
  readReservation: ['changeReservation', 'replaceReservation', 'cancelReservation'],
  createWebhookEndpoint: ['readWebhookEndpoint', 'testWebhookEndpoint', 'listWebhookDeliveries'],
  testWebhookEndpoint: ['listWebhookDeliveries'],
  changeReservation: ['readReservation', 'searchVehicles', 'cancelReservation'],
  replaceReservation: ['readReservation', 'cancelReservation'],
  cancelReservation: ['readReservation', 'searchVehicles'],
};
