import type { Operation } from '../../model/supplier.js';

/** What the expressions of one request may read. */
export interface RequestNames {
  /** Everywhere: path, query, headers, body, and as `$request` in the mapping of the answer. */
  readonly open: readonly string[];
  /** In headers and bodies, never in a URL: credentials. */
  readonly secret: readonly string[];
  /** In bodies only: what tells of the renter must not stand in a URL or a header, which everybody on the way writes down. */
  readonly personal: readonly string[];
}

/** What every request may read. */
export const CALL_NAMES: readonly string[] = ['requestId', 'environment'];

const PLACES = ['pickup', 'dropoff', 'pickupDate', 'dropoffDate'];
const RENTAL = [...CALL_NAMES, 'brand', 'ref', ...PLACES, 'countryCode', 'age', 'extras', 'coverages'];
const BOOKING = [...RENTAL, 'reference', 'total', 'status', 'pickupLater', 'notifyCustomer', 'hold'];
const RENTER = ['driver', 'additionalDrivers', 'arrival', 'payment', 'remark'];
const KEY = [...CALL_NAMES, 'brand', 'ref', 'reference', 'confirmationNumber', 'pickup', 'pickupDate', 'hold'];

/** By operation: the members of our request, as the port has them (`additionalDrivers` of a search is their number). */
export const REQUEST_NAMES: Readonly<Record<Operation, RequestNames>> = {
  searchLocations: {
    open: [...CALL_NAMES, 'keyword', 'countryCode', 'brands', 'near', 'page', 'cursor'],
    secret: [],
    personal: [],
  },
  searchVehicles: {
    open: [
      ...CALL_NAMES,
      ...PLACES,
      'countryCode',
      'age',
      'brands',
      'currency',
      'sippCodes',
      'discountCodes',
      'additionalDrivers',
    ],
    secret: [],
    personal: ['dateOfBirth', 'loyalty'],
  },
  priceCheck: { open: RENTAL, secret: [], personal: [] },
  book: { open: BOOKING, secret: [], personal: RENTER },
  modify: { open: [...BOOKING, 'confirmationNumber', 'changes'], secret: [], personal: RENTER },
  retrieve: { open: KEY, secret: [], personal: ['firstName', 'lastName'] },
  cancel: { open: KEY, secret: [], personal: ['firstName', 'lastName'] },
};
