import type { Operation } from '../../model/supplier.js';

/** The operations that a manifest can describe. */
export type ManifestOperation = Exclude<Operation, 'locationDetails'>;

/** What the expressions of one request may read. */
export interface RequestNames {
  /** Readable everywhere: path, query, headers, body, and as `$request` in the mapping of the answer. */
  readonly open: readonly string[];
  /** Credentials: readable in headers and bodies, never in a URL. */
  readonly secret: readonly string[];
  /** Personal data: readable only in bodies, because proxies and servers log URLs and headers. */
  readonly personal: readonly string[];
}

/** Names that every request may read. */
export const CALL_NAMES: readonly string[] = ['requestId', 'environment'];

const PLACES = ['pickup', 'dropoff', 'pickupDate', 'dropoffDate'];
const RENTAL = [...CALL_NAMES, 'brand', 'ref', ...PLACES, 'countryCode', 'age', 'extras', 'coverages'];
const BOOKING = [...RENTAL, 'reference', 'total', 'status', 'pickupLater', 'notifyCustomer', 'hold'];
const RENTER = ['driver', 'additionalDrivers', 'arrival', 'payment', 'remark'];
const KEY = [...CALL_NAMES, 'brand', 'ref', 'reference', 'confirmationNumber', 'pickup', 'pickupDate', 'hold'];

/** Names by operation: the members of the adapter's request (in a search, `additionalDrivers` is their number). */
export const REQUEST_NAMES: Readonly<Record<ManifestOperation, RequestNames>> = {
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
