import type { BookingLedger } from '../bookings.js';
import type { DialectSimulator, Inventory, SimulatedAnswer, SimulatedRequest } from '../world.js';
import { Problem, problemAnswer } from './answers.js';
import { answerBooking, answerBookings, answerCancel } from './booking-handlers.js';
import type { HoldContext } from './context.js';
import { answerConfirm, answerHold, answerRelease } from './hold-handlers.js';
import { answerAvailability, answerPrices, answerStations } from './search-handlers.js';

/** Configuration of a simulated supplier of this dialect. */
export interface HoldSimulatorOptions {
  readonly brand: string;
  readonly inventory: Inventory;
  /** The only valid API key. */
  readonly apiKey: string;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly ledger: BookingLedger;
}

/** `id` is the hold or booking number in the path; '' if there is none. */
type Operation = (request: SimulatedRequest, context: HoldContext, id: string) => SimulatedAnswer;

const OPERATIONS: readonly (readonly [call: RegExp, operation: Operation])[] = [
  [/^GET \/v1\/stations$/, answerStations],
  [/^POST \/v1\/availability$/, answerAvailability],
  [/^POST \/v1\/prices$/, answerPrices],
  [/^POST \/v1\/holds$/, answerHold],
  [/^POST \/v1\/holds\/(\w+)\/confirm$/, answerConfirm],
  [/^DELETE \/v1\/holds\/(\w+)$/, answerRelease],
  [/^GET \/v1\/bookings$/, answerBookings],
  [/^GET \/v1\/bookings\/(\w+)$/, answerBooking],
  [/^POST \/v1\/bookings\/(\w+)\/cancel$/, answerCancel],
];

/**
 * Simulates a supplier with bookings in two steps (README.md): a hold that expires after ten minutes, then its
 * confirmation. Scenario verbs: auth and throttled (every call), empty (searches find nothing; confirm and cancel are
 * done and answered without content), sold_out, price and on_request (availability, prices, hold, and confirmation if
 * it applies).
 */
export function createHoldSimulator({ apiKey, ...context }: HoldSimulatorOptions): DialectSimulator {
  function perform(request: SimulatedRequest): SimulatedAnswer {
    const { directive, headers, method, path } = request;
    if (directive.verb === 'auth' || headers['x-api-key'] !== apiKey)
      throw new Problem('UNAUTHORIZED', 'Send your key as X-Api-Key.');
    if (directive.verb === 'throttled') throw new Problem('TOO_MANY_REQUESTS', 'Wait a second.');
    for (const [call, operation] of OPERATIONS) {
      const match = call.exec(`${method} ${path}`);
      if (match) return operation(request, context, match[1] ?? '');
    }
    throw new Problem('NO_SUCH_RESOURCE', 'The API has no such method and path.');
  }

  function answer(request: SimulatedRequest): SimulatedAnswer {
    const requestId = request.headers['x-request-id'];
    const done = performed(() => perform(request));
    return typeof requestId === 'string' ? { ...done, headers: { ...done.headers, 'x-request-id': requestId } } : done;
  }

  return { answer, changesBookings, ledger: context.ledger };
}

/** A hold does not book and its release does not undo anything, so only the second step can be a lost booking. */
function changesBookings({ method, path }: SimulatedRequest): boolean {
  return method === 'POST' && (path.endsWith('/confirm') || path.endsWith('/cancel'));
}

function performed(operation: () => SimulatedAnswer): SimulatedAnswer {
  try {
    return operation();
  } catch (error) {
    if (error instanceof Problem) return problemAnswer(error);
    throw error;
  }
}
