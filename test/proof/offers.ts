import { dayAhead, vehiclesPath } from '../support/rental.js';
import type { GatewayClient } from './client.js';
import { SUPPLIERS, type SupplierId } from './plan.js';

const FRESH_MS = 8 * 60_000;
const TRIES = 10;
const PLACES = ['BOS', 'JFK', 'LAX'];
const DAYS_AHEAD = [20, 30, 40, 50];

interface FoundOffer {
  readonly offer_id: string;
  readonly supplier: SupplierId;
  readonly status: string;
}

/**
 * Offers to book, searched once and reused while they are valid. The same number always means the same car, place and
 * time.
 */
export class OfferPool {
  #searched: Promise<Readonly<Record<SupplierId, readonly string[]>>> | undefined;
  #searchedAt = 0;

  constructor(private readonly client: GatewayClient) {}

  /** An offer id of a supplier; `number` wraps around. */
  async take(supplier: SupplierId, number: number): Promise<string> {
    if (!this.#searched || Date.now() - this.#searchedAt > FRESH_MS) {
      this.#searchedAt = Date.now();
      this.#searched = this.#search();
    }
    const offers = (await this.#searched)[supplier];
    const offer = offers[number % offers.length];
    if (offer === undefined) throw new Error(`${supplier} has no offers`);
    return offer;
  }

  async #search(): Promise<Record<SupplierId, readonly string[]>> {
    const found: Record<SupplierId, string[]> = { abg: [], alpine: [], bravo: [], dune: [], ember: [] };
    for (const place of PLACES) {
      for (const days of DAYS_AHEAD) {
        const path = vehiclesPath({
          pickup_location: place,
          pickup_date: dayAhead(days),
          dropoff_date: dayAhead(days + 3),
          max_results: '500',
        });
        const vehicles = await this.#vehicles(path);
        for (const supplier of SUPPLIERS) {
          const own = vehicles.filter((offer) => offer.supplier === supplier && offer.status === 'available');
          found[supplier].push(...own.slice(0, 5).map(({ offer_id }) => offer_id));
        }
      }
    }
    return found;
  }

  /** A gateway that has just started may answer partially: search until every supplier has answered. */
  async #vehicles(path: string): Promise<readonly FoundOffer[]> {
    for (let tries = 0; tries < TRIES; tries += 1) {
      const reply = await this.client.insist(tries, { method: 'GET', path }, () => undefined);
      if (reply?.status === 200) return (JSON.parse(reply.text) as { vehicles: FoundOffer[] }).vehicles;
    }
    throw new Error(`no full answer to ${path}`);
  }
}
