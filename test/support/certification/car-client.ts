import type { Reservation } from '../booking.js';

/** An offer as the course needs it. */
export interface FoundOffer {
  readonly id: string;
  readonly total: string;
  readonly currency: string;
}

/** What a search returned. */
export interface Found {
  readonly offers: readonly FoundOffer[];
  readonly isPartial: boolean;
  /** Path of the next page; undefined = it is the last one. */
  readonly next: string | undefined;
}

/** A client of the API with which the course plays a customer. What fails is returned as undefined. */
export interface CarClient {
  locations(keyword: string): Promise<void>;
  /** Undefined: nothing was found. */
  search(query: Readonly<Record<string, string>>): Promise<Found | undefined>;
  page(path: string): Promise<Found | undefined>;
  price(offerId: string): Promise<void>;
  /** Books, even for a higher price. Undefined: nothing is booked. */
  book(body: Readonly<Record<string, unknown>>): Promise<Reservation | undefined>;
  /** Waits for the outcome. */
  follow(id: string): Promise<void>;
  change(id: string, body: Readonly<Record<string, unknown>>): Promise<void>;
  cancel(id: string): Promise<void>;
}

export interface Credentials {
  readonly applicationId: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

export const OPEN = ['pending', 'unknown', 'on_request', 'modify_pending'];
export const POLL_MS = 700;
