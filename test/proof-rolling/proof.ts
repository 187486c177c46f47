import { setTimeout as wait } from 'node:timers/promises';
import type { Reply } from '../proof/client.js';
import { OfferPool } from '../proof/offers.js';
import { PROJECT } from '../support/project.js';
import { dayAhead, locationsPath, vehiclesPath } from '../support/rental.js';
import type { RollingWorld } from './world.js';

/** Clients that each send one request after the other. */
const CLIENTS = 6;
/** One request in so many books, and one searches for cars; the others search for locations. */
const BOOKS_EVERY = 20;
const SEARCHES_EVERY = 10;

/** What was observed. */
export interface RollingRun {
  readonly requests: number;
  /** Requests that were sent again, to the other gateway, because a gateway was stopping. */
  readonly repeated: number;
  /** The answers to requests that weren't answered with success in the end. */
  readonly failed: readonly string[];
  readonly bookings: number;
  /** Booked for the client, but not in the database or at the supplier. */
  readonly lost: readonly string[];
  /** At the supplier more than once, or without a client who knows it. */
  readonly doubled: readonly string[];
}

/**
 * Replaces the previous version by this one on one gateway after the other and back again, while clients search and book.
 * Ends after both and at least `requests` requests.
 */
export async function runRolling(
  world: RollingWorld,
  previous: string,
  requests: number,
  tell: (line: string) => void,
): Promise<RollingRun> {
  const offers = new OfferPool(world.client);
  const [failed, made]: [string[], string[]] = [[], []];
  let [sent, repeated, isRolled] = [0, 0, false];
  const one = async (number: number): Promise<void> => {
    const answers: (Reply | undefined)[] = [];
    const isBooking = number % BOOKS_EVERY === 0;
    const call = isBooking ? booking(number, await offers.take('alpine', number / BOOKS_EVERY)) : search(number);
    const reply = await world.client.insist(number, call, (seen) => answers.push(seen));
    repeated += answers.length - 1;
    if (!reply || reply.status >= 300)
      failed.push(`${call.method} ${call.path}: ${reply?.status} ${reply?.text.slice(0, 200)}`);
    else if (isBooking)
      made.push((JSON.parse(reply.text) as { reservation: { reservation_id: string } }).reservation.reservation_id);
  };
  const clients = Array.from({ length: CLIENTS }, async () => {
    while (!isRolled || sent < requests) {
      sent += 1;
      await one(sent);
    }
  });
  const steps = [
    [0, PROJECT, 'forward'],
    [1, PROJECT, 'forward'],
    [1, previous, 'back'],
    [0, previous, 'back'],
  ] as const;
  const rolling = (async () => {
    for (const [index, [gateway, build, way]] of steps.entries()) {
      while (sent < (requests * (index + 1)) / (steps.length + 1)) await wait(50);
      await world.replace(gateway, build);
      tell(`gateway ${gateway} rolled ${way} after ${sent} requests, ${failed.length} failed`);
    }
  })().finally(() => {
    isRolled = true;
  });
  await Promise.all([rolling, ...clients]);
  return { requests: sent, repeated, failed, bookings: made.length, ...(await compare(world, made)) };
}

async function compare(world: RollingWorld, made: readonly string[]): Promise<Pick<RollingRun, 'lost' | 'doubled'>> {
  const stored = new Set(
    (await world.query(`select id from reservations where state = 'confirmed'`)).map(({ id }) => String(id)),
  );
  const counts = new Map<string, number>();
  for (const reference of await world.bookedReferences()) counts.set(reference, (counts.get(reference) ?? 0) + 1);
  const known = new Set(made);
  return {
    lost: made.filter((id) => !stored.has(id) || !counts.has(id)),
    doubled: [
      ...made.filter((id, index) => made.indexOf(id) !== index),
      ...[...counts].filter(([reference, count]) => count > 1 || !known.has(reference)).map(([reference]) => reference),
    ],
  };
}

function booking(number: number, offer: string) {
  return {
    method: 'POST',
    path: '/cars/reservation/v1/',
    headers: { 'idempotency-key': `rolling-${number}` },
    body: {
      offer_id: offer,
      driver: { first_name: 'Ada', last_name: `Sample${number}`, email: 'ada@example.com', phone: '+1 617 555 0100' },
    },
  } as const;
}

function search(number: number) {
  const pickup = 20 + (number % 200);
  const path =
    number % SEARCHES_EVERY === 1
      ? vehiclesPath({ pickup_date: dayAhead(pickup), dropoff_date: dayAhead(pickup + 3) })
      : locationsPath('BOS', { country_code: 'US' });
  return { method: 'GET', path } as const;
}
