import type { BookingLedger } from '../bookings.js';
import type { DialectSimulator, Inventory, SimulatedAnswer, SimulatedRequest } from '../world.js';
import { FlatError, failed, refused } from './answers.js';
import { answerBook, answerBooking, answerBookings, answerCancel, answerChange } from './booking-handlers.js';
import type { FlatContext } from './context.js';
import { answerDepots, answerPrice, answerQuotes } from './search-handlers.js';

/** Configuration of a simulated supplier of this dialect. */
export interface FlatSimulatorOptions {
  readonly brand: string;
  readonly inventory: Inventory;
  /** The only valid API key. */
  readonly apiKey: string;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly ledger: BookingLedger;
}

/** `number` is the booking number in the path; '' if there is none. */
type Operation = (request: SimulatedRequest, context: FlatContext, number: string) => SimulatedAnswer;

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

/**
 * Simulates the flat JSON dialect (README.md, with its scenario verbs). A booking takes one step and can be changed.
 */
export function createFlatSimulator({ apiKey, ...context }: FlatSimulatorOptions): DialectSimulator {
  return { answer: (request) => answer(request, apiKey, context), changesBookings, ledger: context.ledger };
}

function answer(request: SimulatedRequest, apiKey: string, context: FlatContext): SimulatedAnswer {
  const { directive, headers, method, path } = request;
  if (directive.verb === 'auth' || headers['ember-key'] !== apiKey) return failed(401, 'unknown key');
  if (directive.verb === 'throttled') return failed(429, 'too many calls');
  try {
    for (const [call, operation] of OPERATIONS) {
      const match = call.exec(`${method} ${path}`);
      if (match) return operation(request, context, match[1] ?? '');
    }
  } catch (error) {
    if (error instanceof FlatError) return refused(error);
    throw error;
  }
  return failed(404, 'unknown call');
}

function changesBookings({ method, path }: SimulatedRequest): boolean {
  return path.startsWith('/rest/bookings') && method !== 'GET';
}
