import type { BookingLedger } from '../bookings.js';
import type { DialectSimulator, Inventory, SimulatedAnswer, SimulatedRequest } from '../world.js';
import { Problem, problemAnswer } from './answers.js';
import { answerBooking, answerBookings, answerCancel } from './booking-handlers.js';
import type { HoldHandlers } from './handlers.js';
import { answerConfirm, answerHold, answerRelease } from './hold-handlers.js';
import { answerAvailability, answerPrices, answerStations } from './search-handlers.js';

/** What a simulated supplier of this dialect is made from. */
export interface HoldSimulatorOptions {
  readonly brand: string;
  readonly inventory: Inventory;
  /** The one key that is known. */
  readonly apiKey: string;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly ledger: BookingLedger;
}

/** `id` is what the path names: a hold or a booking number; '' where it names none. */
type Operation = (request: SimulatedRequest, desk: HoldHandlers, id: string) => SimulatedAnswer;

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
 * A supplier whose bookings take two steps (README.md): a hold that falls away after ten minutes, then its confirmation. Scenario verbs:
 * auth and throttled (every call), empty (searches find nothing; confirm and cancel are done and answer without content), sold_out, price
 * and on_request (availability, prices, hold; the confirmation, too, where it makes sense).
 */
export function createHoldSimulator({ apiKey, ...desk }: HoldSimulatorOptions): DialectSimulator {
  function perform(request: SimulatedRequest): SimulatedAnswer {
    const { directive, headers, method, path } = request;
    if (directive.verb === 'auth' || headers['x-api-key'] !== apiKey)
      throw new Problem('UNAUTHORIZED', 'Send your key as X-Api-Key.');
    if (directive.verb === 'throttled') throw new Problem('TOO_MANY_REQUESTS', 'Wait a second.');
    for (const [call, operation] of OPERATIONS) {
      const match = call.exec(`${method} ${path}`);
      if (match) return operation(request, desk, match[1] ?? '');
    }
    throw new Problem('NO_SUCH_RESOURCE', 'The API has no such method and path.');
  }

  function answer(request: SimulatedRequest): SimulatedAnswer {
    const requestId = request.headers['x-request-id'];
    const done = performed(() => perform(request));
    return typeof requestId === 'string' ? { ...done, headers: { ...done.headers, 'x-request-id': requestId } } : done;
  }

  return { answer, changesBookings, ledger: desk.ledger };
}

/** A hold books nothing yet and its release undoes nothing: of two steps, the one that may get lost is the second. */
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
