import type { BookingLedger } from '../bookings.js';
import type { DialectSimulator, Inventory, SimulatedAnswer, SimulatedRequest } from '../world.js';
import { FlatError, failed, refused } from './answers.js';
import { answerBook, answerBooking, answerBookings, answerCancel, answerChange } from './booking-handlers.js';
import type { FlatHandlers } from './handlers.js';
import { answerDepots, answerPrice, answerQuotes } from './search-handlers.js';

/** What a simulated supplier of this dialect is made from. */
export interface FlatSimulatorOptions {
  readonly brand: string;
  readonly inventory: Inventory;
  /** The one key that is known. */
  readonly apiKey: string;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly ledger: BookingLedger;
}

/** `number` is what the path names; '' where it names none. */
type Operation = (request: SimulatedRequest, desk: FlatHandlers, number: string) => SimulatedAnswer;

const OPERATIONS: readonly (readonly [call: RegExp, operation: Operation])[] = [
  [/^GET \/rest\/depots$/, answerDepots],
  [/^POST \/rest\/quotes$/, answerQuotes],
  [/^POST \/rest\/price$/, answerPrice],
  [/^POST \/rest\/bookings$/, answerBook],
  [/^GET \/rest\/bookings$/, answerBookings],
  [/^GET \/rest\/bookings\/(\d+)$/, answerBooking],
  [/^PUT \/rest\/bookings\/(\d+)$/, answerChange],
  [/^DELETE \/rest\/bookings\/(\d+)$/, answerCancel],
];

/** A supplier that speaks flat JSON (README.md, with its scenario verbs). Bookings take one step and can be changed. */
export function createFlatSimulator({ apiKey, ...desk }: FlatSimulatorOptions): DialectSimulator {
  return { answer: (request) => answer(request, apiKey, desk), changesBookings, ledger: desk.ledger };
}

function answer(request: SimulatedRequest, apiKey: string, desk: FlatHandlers): SimulatedAnswer {
  const { directive, headers, method, path } = request;
  if (directive.verb === 'auth' || headers['ember-key'] !== apiKey) return failed(401, 'the key is not known');
  if (directive.verb === 'throttled') return failed(429, 'too many calls');
  try {
    for (const [call, operation] of OPERATIONS) {
      const match = call.exec(`${method} ${path}`);
      if (match) return operation(request, desk, match[1] ?? '');
    }
  } catch (error) {
    if (error instanceof FlatError) return refused(error);
    throw error;
  }
  return failed(404, 'there is no such call');
}

function changesBookings({ method, path }: SimulatedRequest): boolean {
  return path.startsWith('/rest/bookings') && method !== 'GET';
}
