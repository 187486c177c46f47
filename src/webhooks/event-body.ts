import type { Money } from '../model/money.js';
import { moneyView } from '../representations/money-view.js';

/** What the triggers store about a reservation. Null = none. */
export interface ReservationFacts {
  readonly reservationId: string;
  readonly version: number;
  readonly supplier: string;
  readonly state: string;
  readonly before: string | null;
  readonly pickupDate: string | null;
  readonly dropoffDate: string | null;
  readonly total: Money | null;
  readonly priceDrift: { readonly accepted: Money; readonly actual: Money } | null;
}

/** What the trigger stores about a deprecated version. Instants are as PostgreSQL writes them. */
export interface DeprecationFacts {
  readonly productId: string;
  readonly productVersion: string;
  readonly deprecatedAt: string;
  readonly sunsetAt: string | null;
}

/** An event as stored. */
export interface StoredEvent {
  readonly eventId: string;
  readonly type: string;
  readonly applicationId: string;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly data: ReservationFacts | DeprecationFacts | { readonly endpointId: string };
}

/** An event as sent: its id, references, state, times and price, never data of a renter. */
export function eventOf({ type, at, applicationId, data }: StoredEvent): object {
  return { type, timestamp: new Date(at).toISOString(), data: { application_id: applicationId, ...dataOf(data) } };
}

/** The body of an event, the same in every attempt. */
export function eventBody(event: StoredEvent): string {
  return JSON.stringify(eventOf(event));
}

function dataOf(data: StoredEvent['data']): object {
  if ('endpointId' in data) return { endpoint_id: data.endpointId };
  if ('productId' in data) {
    const { productId, productVersion, deprecatedAt, sunsetAt } = data;
    const iso = (instant: string) => new Date(instant).toISOString();
    return {
      product_id: productId,
      version: productVersion,
      deprecated_at: iso(deprecatedAt),
      sunset_at: sunsetAt === null ? undefined : iso(sunsetAt),
    };
  }
  const { priceDrift } = data;
  return {
    reservation_id: data.reservationId,
    version: data.version,
    supplier: data.supplier,
    state: data.state,
    previous_state: data.before ?? undefined,
    pickup_date: data.pickupDate ?? undefined,
    dropoff_date: data.dropoffDate ?? undefined,
    total: moneyView(data.total ?? undefined),
    price_drift: priceDrift
      ? { accepted: moneyView(priceDrift.accepted), actual: moneyView(priceDrift.actual) }
      : undefined,
  };
}
