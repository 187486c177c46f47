import { ApiError } from '../status/api-error.js';
import type { Reason } from '../status/reasons.js';
import { throttled } from '../status/throttled.js';
import { DIRECTIVE_FORMS, formatDirective, parseDirective } from './directive.js';
import { isMagicPlace, type MagicPlace } from './magic-places.js';

const MAX_SCENARIO_LENGTH = 1_000;

/** The gateway errors that `fault=` triggers: status → reason. */
export const GATEWAY_FAULTS = {
  401: 'authentication_failure',
  403: 'permissions_failure',
  408: 'timeout',
  429: 'throttled',
  500: 'unexpected_condition',
  503: 'maintenance',
} as const satisfies Readonly<Record<number, Reason>>;
type GatewayFault = keyof typeof GATEWAY_FAULTS;
const FAULT_STATUSES = Object.keys(GATEWAY_FAULTS).map((status) => Number(status) as GatewayFault);

/** What a booking calls at a supplier. `recheck` is the price check before a booking or change. */
export type BookingOperation = 'priceCheck' | 'recheck' | 'book' | 'retrieve' | 'modify' | 'cancel';

/** The sandbox scenario of a request (docs/sandbox.md). */
export interface Scenario {
  readonly source: 'header' | 'place' | 'application';
  /** The value of X-Sandbox-Applied. */
  readonly text: string;
  readonly seed?: number;
  readonly fault?: { readonly status: GatewayFault; readonly seconds: number };
  /**
   * The directive for a supplier in a search, given its position among the called suppliers; undefined for normal
   * behavior.
   */
  directiveFor(supplier: string, index: number, count: number): string | undefined;
  /**
   * The directive for one booking operation of a supplier; undefined for normal behavior. A scenario applies to the
   * operation that the caller requested. So only price changes apply to the recheck before a booking, and looking up a
   * booking always works.
   */
  bookingDirective(operation: BookingOperation, supplier: string): string | undefined;
}

type PlaceRule = { readonly at: 'all' | 'last' | 'second_last'; readonly directive: string };

/** What each magic place triggers. Those for bookings behave normally in searches and price checks. */
export const MAGIC_PLACE_RULES: Readonly<
  Record<
    MagicPlace,
    {
      readonly rules: readonly PlaceRule[];
      readonly booking?: Readonly<Partial<Record<BookingOperation, string>>>;
      readonly fault?: Scenario['fault'];
      readonly meaning: string;
    }
  >
> = {
  ZZT206F: { rules: [{ at: 'last', directive: 'error(503)' }], meaning: '206: one supplier failed' },
  ZZT206E: { rules: [{ at: 'last', directive: 'empty' }], meaning: '206: one supplier has no results' },
  ZZT206B: {
    rules: [
      { at: 'last', directive: 'error(503)' },
      { at: 'second_last', directive: 'empty' },
    ],
    meaning: '206: one supplier failed, one has no results',
  },
  ZZT404: { rules: [{ at: 'all', directive: 'empty' }], meaning: '404 no_results' },
  ZZT500S: { rules: [{ at: 'all', directive: 'error(503)' }], meaning: '500: every supplier failed' },
  ZZT408: { rules: [], fault: { status: 408, seconds: 0 }, meaning: '408 timeout' },
  ZZT503: { rules: [], fault: { status: 503, seconds: 30 }, meaning: '503 maintenance' },
  ZZT202: { rules: [], booking: { book: 'lost_then_found' }, meaning: 'booking: 202, later confirmed' },
  ZZTPRC: {
    rules: [],
    // The price is higher from the recheck on, so that the new total, once accepted, is what is booked.
    booking: { recheck: 'price(+10%)', book: 'price(+10%)', modify: 'price(+10%)' },
    meaning: 'booking: price increases between quote and booking',
  },
  ZZTSLD: { rules: [], booking: { book: 'sold_out' }, meaning: 'booking: sold out' },
};

/**
 * Chooses the scenario of a request: from the header, otherwise from a magic place, otherwise the application's
 * default. Throws ApiError 400 for an invalid header or any header outside the sandbox. `suppliers` holds the ids that
 * a header may name.
 */
export function chooseScenario(input: {
  readonly environment: 'sandbox' | 'production';
  readonly header: string | undefined;
  readonly places: readonly string[];
  readonly applicationDefault: string | undefined;
  readonly suppliers: readonly string[];
}): Scenario | undefined {
  if (input.environment !== 'sandbox') {
    if (input.header === undefined) return undefined;
    throw ApiError.of('invalid_request', 'X-Sandbox-Scenario works only in the sandbox. Remove the header.', {
      field: 'X-Sandbox-Scenario',
    });
  }
  if (input.header !== undefined) return parseScenario(input.header, 'header', input.suppliers);
  for (const place of input.places) {
    if (isMagicPlace(place)) return placeScenario(place, MAGIC_PLACE_RULES[place]);
  }
  if (input.applicationDefault === undefined) return undefined;
  // It was validated when it was stored. If a supplier was removed since then, that must not fail every call of the
  // application.
  const named = [...input.applicationDefault.matchAll(/\b(\w+)\s*=/g)].map(([, name = '']) => name);
  return parseScenario(input.applicationDefault, 'application', [...input.suppliers, ...named]);
}

function placeScenario(place: string, magic: (typeof MAGIC_PLACE_RULES)[MagicPlace]): Scenario {
  return {
    source: 'place',
    text: place,
    ...(magic.fault ? { fault: magic.fault } : {}),
    directiveFor: (_supplier, index, count) =>
      magic.rules.find(
        (rule) =>
          rule.at === 'all' ||
          (rule.at === 'last' && index === count - 1) ||
          (rule.at === 'second_last' && index === count - 2),
      )?.directive,
    bookingDirective: (operation) => magic.booking?.[operation],
  };
}

/**
 * Parses `alpine=ok; bravo=slow(300); *=empty; fault=503(30); seed=7`. Throws ApiError 400 with one problem per invalid
 * part.
 */
export function parseScenario(text: string, source: 'header' | 'application', suppliers: readonly string[]): Scenario {
  if (text.length > MAX_SCENARIO_LENGTH) {
    throw ApiError.of('invalid_request', `X-Sandbox-Scenario must have at most ${MAX_SCENARIO_LENGTH} characters.`, {
      field: 'X-Sandbox-Scenario',
    });
  }
  const directives = new Map<string, string>();
  const written: string[] = [];
  const faults: string[] = [];
  let seed: number | undefined;
  let fault: Scenario['fault'];
  for (const part of text
    .split(';')
    .map((piece) => piece.trim())
    .filter((piece) => piece !== '')) {
    const [name = '', value = ''] = part.split('=', 2).map((piece) => piece.trim());
    if (name === 'seed' && /^\d{1,9}$/.test(value)) seed = Number(value);
    else if (name === 'fault') {
      const match = /^(\d{3})(?:\((\d{1,5})\))?$/.exec(value);
      const status = FAULT_STATUSES.find((known) => String(known) === match?.[1]);
      if (status === undefined) faults.push(`fault must be one of ${FAULT_STATUSES.join(', ')}, such as fault=503(30)`);
      else fault = { status, seconds: Number(match?.[2] ?? 30) };
    } else if (name === '*' || suppliers.includes(name)) {
      const directive = parseDirective(value);
      if (directive) directives.set(name, formatDirective(directive));
      else faults.push(`"${value.slice(0, 40)}" is not a verb; use one of ${DIRECTIVE_FORMS.join(', ')}`);
    } else
      faults.push(
        `"${name.slice(0, 40)}" is not a simulated supplier; use one of ${suppliers.join(', ')}, *, fault, seed`,
      );
    written.push(`${name}=${value}`);
  }
  if (written.length === 0)
    faults.push(`the value is empty; use a value such as "${suppliers[0] ?? 'supplier'}=timeout"`);
  const [first, ...rest] = faults.slice(0, 20).map((details) => ({
    reason: 'invalid_request' as const,
    field: 'X-Sandbox-Scenario',
    details: `X-Sandbox-Scenario: ${details}.`,
  }));
  if (first) throw new ApiError([first, ...rest]);
  const directiveOf = (supplier: string): string | undefined => directives.get(supplier) ?? directives.get('*');
  return {
    source,
    text: written.join('; '),
    ...(seed === undefined ? {} : { seed }),
    ...(fault === undefined ? {} : { fault }),
    directiveFor: directiveOf,
    bookingDirective: (operation, supplier) => {
      if (operation === 'retrieve') return undefined;
      const directive = directiveOf(supplier);
      return operation === 'recheck' && !directive?.startsWith('price(') ? undefined : directive;
    },
  };
}

/**
 * Throws the error that `fault=` requests. For 408 it throws nothing: the caller shortens the request budget and lets
 * it run out.
 */
export function throwFault({ status, seconds }: NonNullable<Scenario['fault']>): void {
  if (status === 429) throw throttled(seconds);
  if (status !== 408)
    throw ApiError.of(GATEWAY_FAULTS[status], undefined, { headers: FAULT_HEADERS[status]?.(seconds) ?? {} });
}

const FAULT_HEADERS: Readonly<Partial<Record<GatewayFault, (seconds: number) => Record<string, string>>>> = {
  401: () => ({ 'www-authenticate': 'Bearer realm="cars", error="invalid_token"' }),
  503: (seconds) => ({ 'retry-after': String(seconds) }),
};
