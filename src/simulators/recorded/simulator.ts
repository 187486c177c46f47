import type { BookingLedger, SimulatedBooking } from '../bookings.js';
import type { DialectSimulator, SimulatedAnswer, SimulatedRequest } from '../world.js';
import { answerMeaning, sent } from './answers.js';
import { fixedHeaders } from './auth.js';
import { type BookingHandlers, entered, listed, numberIn, told } from './booking-handlers.js';
import { type CallName, callsOf, type Heard, type ManifestCall, understood } from './calls.js';
import { pathOf, withValues } from './inverse.js';
import { type ErrorRule, type Manifest, manifestSchema } from './options.js';
import { carsFor, depotsFor } from './search-handlers.js';

const SESSION = 'simulated-session';
/** A hold books nothing yet and its release undoes nothing. */
const WRITES: ReadonlySet<CallName> = new Set(['book', 'modify', 'cancel']);

/** What a supplier of recorded answers is made from. */
export interface RecordedSimulatorOptions {
  /** `options` of its file: the manifest. */
  readonly options: unknown;
  readonly credentials: Readonly<Record<string, string>>;
  readonly brands: readonly string[];
  /** Folder of the recorded answers, `searchVehicles.json` and so on; read at each call, so that a changed one is played at once. */
  readonly folder: string;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly ledger: BookingLedger;
}

/**
 * A REST supplier turned round from its own manifest (docs/rest-manifest.md, "Played from recorded answers"): it takes the calls that the
 * manifest makes, answers them as recorded, refuses in the words of the manifest's own error rules, and keeps a book of what is booked.
 * Throws a ZodError for a manifest that cannot be played.
 */
export function createRecordedSimulator({
  options,
  credentials,
  brands,
  ...rest
}: RecordedSimulatorOptions): DialectSimulator {
  const manifest = manifestSchema.parse(options);
  const calls = callsOf(manifest);
  const [brand = ''] = brands;
  const desk: BookingHandlers = { ...rest, manifest, brand };
  const fixed = fixedHeaders(manifest, credentials);
  return {
    answer: (request) => {
      const session = sessionAnswer(manifest, request);
      if (session) return session;
      const known = understood(calls, request);
      if (!known) return sent({ error: `the manifest makes no call ${request.method} ${request.path}` }, 404);
      return answer(known.call, known.heard, request, { desk, isLetIn: isLetIn(manifest, fixed, request) });
    },
    changesBookings: (request) => WRITES.has(understood(calls, request)?.call.name ?? 'session'),
    ledger: rest.ledger,
  };
}

interface Setting {
  readonly desk: BookingHandlers;
  readonly isLetIn: boolean;
}

function answer(
  call: ManifestCall,
  heard: Heard,
  { directive }: SimulatedRequest,
  { desk, isLetIn }: Setting,
): SimulatedAnswer {
  const { manifest, folder } = desk;
  const says = (is: (rule: ErrorRule) => boolean, otherwise: number): SimulatedAnswer =>
    answerMeaning(manifest, call, is) ?? sent({ error: 'no rule of the manifest says this' }, otherwise);
  if (directive.verb === 'auth' || (!isLetIn && call.name !== 'session'))
    return says(({ means }) => means === 'auth', 401);
  if (directive.verb === 'throttled') return says(({ means }) => means === 'throttled', 429);
  const isGone = directive.verb === 'sold_out';
  const soldOut = (): SimulatedAnswer => says(({ refusal }) => refusal === 'sold_out', 409);
  switch (call.name) {
    case 'session':
      return sent(
        withValues({}, manifest.auth.kind === 'token' ? [[pathOf(manifest.auth.token) ?? ['token'], SESSION]] : []),
      );
    case 'searchLocations':
    case 'searchVehicles':
    case 'priceCheck': {
      const found =
        call.name === 'searchLocations'
          ? depotsFor(manifest, folder, heard, directive)
          : carsFor(manifest, folder, call.name, heard, directive);
      return found === undefined
        ? sent({ error: `there is no recorded answer: write ${call.name}.json` }, 501)
        : sent(found);
    }
    case 'hold':
    case 'book': {
      const held = call.name === 'book' ? desk.ledger.byConfirmation(numberIn(heard) ?? '') : undefined;
      const status = call.name === 'hold' ? 'held' : directive.verb === 'on_request' ? 'on_request' : 'confirmed';
      const made = isGone ? undefined : entered(heard, desk, status, held);
      return made ? said(call, made, directive.verb === 'empty', desk) : soldOut();
    }
    case 'find':
      return sent(listed(desk.ledger.byReference(String(heard.get('reference') ?? '')), desk));
    case 'retrieve':
    case 'modify':
    case 'cancel':
    case 'release': {
      const booking = desk.ledger.byConfirmation(numberIn(heard) ?? '');
      if (!booking)
        return says(({ means }) => means === 'not_found' || (call.name === 'retrieve' && means === 'empty'), 404);
      if (call.name === 'retrieve') return sent(told(call, booking, desk));
      if (call.name === 'modify') {
        const changed = isGone ? undefined : entered(heard, desk, booking.status, booking);
        return changed ? said(call, changed, directive.verb === 'empty', desk) : soldOut();
      }
      const ended = desk.ledger.put({ ...booking, status: call.name === 'cancel' ? 'cancelled' : 'released' });
      return said(call, ended, directive.verb === 'empty', desk);
    }
  }
}

/** Done, and told, or (scenario empty) answered by a success that says nothing. */
function said(call: ManifestCall, booking: SimulatedBooking, isMute: boolean, desk: BookingHandlers): SimulatedAnswer {
  return sent(isMute ? {} : told(call, booking, desk));
}

/** RFC 6749, where the manifest says so. */
function sessionAnswer({ auth }: Manifest, { path, method, directive }: SimulatedRequest): SimulatedAnswer | undefined {
  if (auth.kind !== 'oauth2' || method !== 'POST' || path !== auth.path || directive.verb === 'auth') return undefined;
  return sent({ access_token: SESSION, token_type: 'Bearer', expires_in: 3_600 });
}

function isLetIn({ auth }: Manifest, fixed: Readonly<Record<string, string>>, { headers }: SimulatedRequest): boolean {
  if (auth.kind === 'oauth2') return headers.authorization === `Bearer ${SESSION}`;
  if (auth.kind === 'token')
    return Object.keys(auth.headers).every((name) => String(headers[name.toLowerCase()]).includes(SESSION));
  return Object.entries(fixed).every(([name, value]) => headers[name] === value);
}
