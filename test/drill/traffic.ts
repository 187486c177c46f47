import { setTimeout as wait } from 'node:timers/promises';
import { driver } from '../support/booking.js';
import type { Client } from '../support/client.js';
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
  const search = (count: number) => client.get(vehiclesPath({ ...FEW_CARS, ...datesOf(count), max_results: '30' }));
  const locations = (application: 'demo' | 'demo-throttled') => async (count: number) => {
    const keyword = KEYWORDS[count % KEYWORDS.length] ?? 'boston';
    await client.get(locationsPath(keyword), { token: await client.token(application) });
  };
  const book = async (count: number): Promise<void> => {
    const brand = BRANDS[count % BRANDS.length] ?? '';
    const answer = await client.get(vehiclesPath({ ...datesOf(count), brand, max_results: '10' }));
    if (answer.status !== 200) return;
    const offer = answer.body.vehicles.find(
      ({ status, rate }) => status === 'available' && rate.payment === 'pay_later',
    );
    if (!offer) return;
    const body = { offer_id: offer.offer_id, driver: driver('Sample') };
    await client.post('/cars/reservation/v1/', body, { headers: { 'idempotency-key': `drill-booking-${count}` } });
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

/** Different for each search, so that none is answered from memory. */
function datesOf(count: number): { readonly pickup_date: string; readonly dropoff_date: string } {
  return { pickup_date: dayAhead(20 + (count % 60)), dropoff_date: dayAhead(22 + (count % 60) + (count % 7)) };
}
