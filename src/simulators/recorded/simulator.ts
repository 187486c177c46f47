import type { BookingLedger, SimulatedBooking } from '../bookings.js';
import type { DialectSimulator, SimulatedAnswer, SimulatedRequest } from '../world.js';
import { answerMeaning, sent } from './answers.js';
import { fixedHeaders } from './auth.js';
import { bookingAnswer, bookingListAnswer, numberIn, type RecordedContext, storeBooking } from './booking-handlers.js';
import { type CallName, callsOf, type ManifestCall, type RequestValues, recognizedCall } from './calls.js';
import { pathOf, withValues } from './inverse.js';
import { type ErrorRule, type Manifest, manifestSchema } from './options.js';
import { carsFor, depotsFor } from './search-handlers.js';

const SESSION = 'simulated-session';
/** A hold does not book yet, and its release does not undo anything. */
const WRITES: ReadonlySet<CallName> = new Set(['book', 'modify', 'cancel']);

/** Configuration of a supplier with recorded answers. */
export interface RecordedSimulatorOptions {
  /** `options` of the supplier's file: the manifest. */
  readonly options: unknown;
  readonly credentials: Readonly<Record<string, string>>;
  readonly brands: readonly string[];
  /**
   * Folder of the recorded answers, `searchVehicles.json` and so on; read for each call, so that changes take effect
   * immediately.
   */
  readonly folder: string;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly ledger: BookingLedger;
}

/**
 * A REST supplier simulated from its own manifest (docs/rest-manifest.md, "Simulated from recorded responses"): accepts the
 * calls that the manifest makes, answers them as recorded, refuses according to the manifest's error rules, and keeps
 * bookings. Throws a ZodError for a manifest that cannot be simulated.
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
  const context: RecordedContext = { ...rest, manifest, brand };
  const fixed = fixedHeaders(manifest, credentials);
  return {
    answer: (request) => {
      const session = sessionAnswer(manifest, request);
      if (session) return session;
      const known = recognizedCall(calls, request);
      if (!known) return sent({ error: `the manifest has no call ${request.method} ${request.path}` }, 404);
      return answer(known.call, known.values, request, {
        context,
        isAuthorized: isAuthorized(manifest, fixed, request),
      });
    },
    changesBookings: (request) => WRITES.has(recognizedCall(calls, request)?.call.name ?? 'session'),
    ledger: rest.ledger,
  };
}

interface Setting {
  readonly context: RecordedContext;
  readonly isAuthorized: boolean;
}

function answer(
  call: ManifestCall,
  values: RequestValues,
  { directive }: SimulatedRequest,
  { context, isAuthorized }: Setting,
): SimulatedAnswer {
  const { manifest, folder } = context;
  const says = (is: (rule: ErrorRule) => boolean, otherwise: number): SimulatedAnswer =>
    answerMeaning(manifest, call, is) ?? sent({ error: 'no rule of the manifest has this meaning' }, otherwise);
  if (directive.verb === 'auth' || (!isAuthorized && call.name !== 'session'))
    return says(({ means }) => means === 'auth', 401);
  if (directive.verb === 'throttled') return says(({ means }) => means === 'throttled', 429);
  const isSoldOut = directive.verb === 'sold_out';
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
          ? depotsFor(manifest, folder, values, directive)
          : carsFor(manifest, folder, call.name, values, directive);
      return found === undefined
        ? sent({ error: `there is no recorded answer: add ${call.name}.json` }, 501)
        : sent(found);
    }
    case 'hold':
    case 'book': {
      const held = call.name === 'book' ? context.ledger.byConfirmation(numberIn(values) ?? '') : undefined;
      const status = call.name === 'hold' ? 'held' : directive.verb === 'on_request' ? 'on_request' : 'confirmed';
      const made = isSoldOut ? undefined : storeBooking(values, context, status, held);
      return made ? completed(call, made, directive.verb === 'empty', context) : soldOut();
    }
    case 'find':
      return sent(bookingListAnswer(context.ledger.byReference(String(values.get('reference') ?? '')), context));
    case 'retrieve':
    case 'modify':
    case 'cancel':
    case 'release': {
      const booking = context.ledger.byConfirmation(numberIn(values) ?? '');
      if (!booking)
        return says(({ means }) => means === 'not_found' || (call.name === 'retrieve' && means === 'empty'), 404);
      if (call.name === 'retrieve') return sent(bookingAnswer(call, booking, context));
      if (call.name === 'modify') {
        const changed = isSoldOut ? undefined : storeBooking(values, context, booking.status, booking);
        return changed ? completed(call, changed, directive.verb === 'empty', context) : soldOut();
      }
      const ended = context.ledger.put({ ...booking, status: call.name === 'cancel' ? 'cancelled' : 'released' });
      return completed(call, ended, directive.verb === 'empty', context);
    }
  }
}

/** The answer of a completed call, or (scenario empty) a success without content. */
function completed(
  call: ManifestCall,
  booking: SimulatedBooking,
  isContentless: boolean,
  context: RecordedContext,
): SimulatedAnswer {
  return sent(isContentless ? {} : bookingAnswer(call, booking, context));
}

/** The token endpoint of RFC 6749, if the manifest uses OAuth. */
function sessionAnswer({ auth }: Manifest, { path, method, directive }: SimulatedRequest): SimulatedAnswer | undefined {
  if (auth.kind !== 'oauth2' || method !== 'POST' || path !== auth.path || directive.verb === 'auth') return undefined;
  return sent({ access_token: SESSION, token_type: 'Bearer', expires_in: 3_600 });
}

function isAuthorized(
  { auth }: Manifest,
  fixed: Readonly<Record<string, string>>,
  { headers }: SimulatedRequest,
): boolean {
  if (auth.kind === 'oauth2') return headers.authorization === `Bearer ${SESSION}`;
  if (auth.kind === 'token')
    return Object.keys(auth.headers).every((name) => String(headers[name.toLowerCase()]).includes(SESSION));
  return Object.entries(fixed).every(([name, value]) => headers[name] === value);
}
