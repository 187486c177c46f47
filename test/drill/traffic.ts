import { setTimeout as wait } from 'node:timers/promises';
import { driver } from '../support/booking.js';
import type { Client, Offer } from '../support/client.js';
import { dayAhead, locationsPath, vehiclesPath } from '../support/rental.js';

const SEARCH_MS = 1_200;
const LOCATIONS_MS = 2_500;
const BOOKING_MS = 3_000;
const BRANDS = ['Avis', 'Alpine', 'Bravo'];
/** A search for a driver to whom few cars are rented: the drill is about failures, not about reading cars. */
const FEW_CARS = { pickup_location: 'CDG', age: '19' };
const KEYWORDS = ['boston', 'london', 'paris', 'madrid', 'denver', 'oslo'];

/** Calls of two applications until it is stopped: Trip Planner searches and books, Office Map only searches for locations. */
export function startTraffic(client: Client): { stop(): Promise<void> } {
  let isOver = false;
  let number = 0;
  const offers = new Map<string, Offer[]>();
  const repeat = async (everyMs: number, work: (count: number) => Promise<unknown>): Promise<void> => {
    const running = new Set<Promise<unknown>>();
    for (let count = 0; !isOver; count += 1) {
      // What a call answers is up to the drill; the gateway records it.
      const call = work(count).catch(() => undefined);
      running.add(call);
      void call.finally(() => running.delete(call));
      await wait(everyMs);
    }
    await Promise.all(running);
  };
  const search = async (): Promise<void> => {
    number += 1;
    const dates = {
      pickup_date: dayAhead(20 + (number % 60)),
      dropoff_date: dayAhead(22 + (number % 60) + (number % 7)),
    };
    const answer = await client.get(vehiclesPath({ ...FEW_CARS, ...dates, max_results: '30' }));
    if (answer.status !== 200 && answer.status !== 206) return;
    for (const offer of answer.body.vehicles)
      if (offer.status === 'available' && offer.rate.payment === 'pay_later')
        offers.set(offer.brand, [offer, ...(offers.get(offer.brand) ?? [])].slice(0, 20));
  };
  const locations = (application: 'demo' | 'demo-throttled') => async (count: number) => {
    const keyword = KEYWORDS[count % KEYWORDS.length] ?? 'boston';
    await client.get(locationsPath(keyword), { token: await client.token(application) });
  };
  const book = async (count: number): Promise<void> => {
    const offer = offers.get(BRANDS[count % BRANDS.length] ?? '')?.shift();
    if (!offer) return;
    const body = { offer_id: offer.offer_id, driver: driver('Sample') };
    const headers = { 'idempotency-key': `drill-booking-${count}` };
    await client.post('/cars/reservation/v1/', body, { headers });
  };
  const all = Promise.all([
    repeat(SEARCH_MS, search),
    repeat(LOCATIONS_MS, locations('demo')),
    repeat(LOCATIONS_MS, locations('demo-throttled')),
    repeat(BOOKING_MS, book),
  ]);
  return {
    stop: async () => {
      isOver = true;
      await Promise.race([all, wait(15_000)]);
    },
  };
}
