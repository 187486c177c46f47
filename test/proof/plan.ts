import { DECLINED_CARD, REJECTED_LAST_NAME } from '../../src/simulators/bookings.js';
import { createStream, hashText } from '../../src/simulators/random.js';
import type { Kept } from './evidence.js';
import type { WireFault } from './wire.js';

/** Every dialect, by the supplier that speaks it; dune and ember are manifests, with and without a hold. */
export const SUPPLIERS = ['abg', 'alpine', 'bravo', 'dune', 'ember'] as const;
export type SupplierId = (typeof SUPPLIERS)[number];

/** How long a gateway waits for a supplier to book, change or cancel. */
export const WRITE_TIMEOUT_MS = 1_000;
/** How long after that a supplier may still carry it out (setting settleSeconds). */
export const SETTLE_MS = 3_000;

/** How a supplier treats one call (a verb of X-Sandbox-Scenario), and what happens to it on the wire; absent = nothing. */
export interface Fault {
  readonly name: string;
  readonly verb?: string;
  readonly wire?: WireFault;
}

/**
 * How the client sends its booking: once, the same one to several gateways concurrently, or disconnecting and
 * returning.
 */
export type Manner =
  | { readonly kind: 'once' }
  | { readonly kind: 'together'; readonly times: number }
  | { readonly kind: 'leaves'; readonly afterMs: number };

export interface ChangePlan {
  readonly part: keyof Kept;
  readonly value: string;
  readonly fault: Fault;
}

/** What one client will do: all of it follows from the seed and the number of the intent. */
export interface IntentPlan {
  readonly key: string;
  readonly supplier: SupplierId;
  readonly fault: Fault;
  readonly firstName: string;
  readonly lastName: string;
  readonly booked: Kept;
  /** Which of the supplier's offers, wrapping around. Twins (same renter, same place and time) have the same one. */
  readonly offer: number;
  /** A card that the supplier declines. */
  readonly card?: string;
  /** Accepts any current price. */
  readonly anyPrice: boolean;
  readonly manner: Manner;
  readonly changes: readonly ChangePlan[];
  /** The fault of the cancellation, and how long the client waits before it; absent = it is not cancelled. */
  readonly cancel?: { readonly fault: Fault; readonly afterMs: number };
  /** The gateway that is called first. */
  readonly gateway: 0 | 1;
}

/**
 * How long the suppliers take to accept an on-request booking (ON_REQUEST_MS of the simulated world); gateways notice
 * when they next poll.
 */
const ACCEPTED_AFTER_MS = 5_000;

type Draw = () => number;
const NONE: Fault = { name: 'none' };
type Weighted = readonly (readonly [weight: number, name: string, verb?: (draw: Draw) => string])[];

/** Faults of a writing call; a late effect still comes before the supplier counts as settled. */
const WRITE_FAULTS: Weighted = [
  [6, 'timeout', () => 'timeout'],
  [8, 'lost_then_found', () => 'lost_then_found'],
  [6, 'lost_for_good', () => 'lost_for_good'],
  [4, 'reset', () => 'reset'],
  [5, 'error', (draw) => `error(${[500, 502, 503, 504][Math.floor(draw() * 4)]})`],
  [4, 'garbage', () => 'garbage'],
  [3, 'html', () => 'html'],
  [5, 'truncated', () => 'truncated'],
  [5, 'empty', () => 'empty'],
  [6, 'slow around', (draw) => slow(draw, 0.7, 1.1)],
  [6, 'slow beyond', (draw) => slow(draw, 1.2, 2.6)],
  [2, 'auth', () => 'auth'],
  [2, 'throttled', () => 'throttled'],
];

const BOOK_FAULTS: Weighted = [
  [24, 'none'],
  ...WRITE_FAULTS,
  [2, 'price refused', () => 'price(+10%)'],
  [2, 'price accepted', () => 'price(+10%)'],
  [3, 'sold_out', () => 'sold_out'],
  [5, 'on_request', () => 'on_request'],
  [2, 'on_request, rejected', () => 'on_request'],
  [2, 'card declined'],
  [4, 'twice'],
  [3, 'twice, answer lost', () => 'lost_then_found'],
  [4, 'late'],
  [4, 'hidden'],
];

/** How long after its request a booking is made or shown: after the settle time, and before the last late check. */
const LATE_MS = { least: 6_000, most: 10_000 };
/** How long after its first delivery a request is delivered again. */
const TWICE_MS = 1_500;

const CHANGE_FAULTS: Weighted = [[24, 'none'], ...WRITE_FAULTS];

/** At this interval, this many intents of a supplier belong to one renter at one place and time. */
const TWIN_GROUP = 12;
const TWIN_GROUPS_EVERY = 4;

/** The plan of one intent. `index` counts from 0. */
export function planIntent(seed: number, index: number): IntentPlan {
  const draw = createStream(hashText(seed, `intent ${index}`));
  const supplier = SUPPLIERS[index % SUPPLIERS.length] ?? 'abg';
  const drawn = withWire(pick(BOOK_FAULTS, draw), draw);
  const fault = isPossible(drawn, supplier) ? drawn : NONE;
  const group = Math.floor(index / TWIN_GROUP);
  const isTwin = group % TWIN_GROUPS_EVERY === 0 && fault.name !== 'on_request, rejected';
  // What hides a booking hides its renter: no other renter may have that name.
  const alone = `${fault.wire?.kind === 'hidden' ? 'Unseen' : 'Sample'}${letters(index)}`;
  const renter = isTwin && fault.wire?.kind !== 'hidden' ? `Twin${letters(group)}` : alone;
  const booked = {
    email: `ada.${index}@example.com`,
    flight: draw() < 0.5 ? flightNumber(draw) : '',
    remark: draw() < 0.5 ? `booked ${index}` : '',
  };
  return {
    key: `proof-${seed}-${index}`,
    supplier,
    fault,
    // Many people have the one last name that is rejected: their first names distinguish them.
    firstName: fault.name === 'on_request, rejected' ? `Ada${letters(index)}` : 'Ada',
    lastName: fault.name === 'on_request, rejected' ? REJECTED_LAST_NAME : renter,
    booked,
    offer: fault.name === 'on_request, rejected' ? index : group,
    ...(fault.name === 'card declined' ? { card: DECLINED_CARD } : {}),
    anyPrice: fault.name === 'price accepted',
    manner: pickManner(draw),
    changes: draw() < 0.25 ? planChanges(index, draw) : [],
    ...planCancel(fault, draw),
    gateway: draw() < 0.5 ? 0 : 1,
  };
}

function withWire(fault: Fault, draw: Draw): Fault {
  const afterMs = Math.round(LATE_MS.least + draw() * (LATE_MS.most - LATE_MS.least));
  const [kind] = fault.name.split(',');
  if (kind === 'late') return { ...fault, wire: { kind, afterMs } };
  if (kind === 'hidden') return { ...fault, wire: { kind, forMs: afterMs } };
  return kind === 'twice' ? { ...fault, wire: { kind, afterMs: Math.round(draw() * TWICE_MS) } } : fault;
}

/** dune and ember take no cards; abg does not find bookings by reference, so nothing reveals a second one there. */
function isPossible({ name, wire }: Fault, supplier: SupplierId): boolean {
  if (name === 'card declined') return supplier !== 'dune' && supplier !== 'ember';
  return supplier !== 'abg' || (wire?.kind !== 'twice' && wire?.kind !== 'hidden');
}

/** Requests are often cancelled while a gateway may be asking whether they were accepted. */
function planCancel({ verb }: Fault, draw: Draw): Pick<IntentPlan, 'cancel'> {
  const isRequest = verb === 'on_request';
  if (draw() >= (isRequest ? 0.6 : 0.15)) return {};
  return {
    cancel: {
      fault: pick(CHANGE_FAULTS, draw),
      afterMs: isRequest ? ACCEPTED_AFTER_MS + draw() * ACCEPTED_AFTER_MS : 0,
    },
  };
}

function planChanges(index: number, draw: Draw): ChangePlan[] {
  return Array.from({ length: 1 + Math.floor(draw() * 3) }, (_, count) => {
    const part = (['email', 'flight', 'remark'] as const)[Math.floor(draw() * 3)] ?? 'email';
    const value = {
      email: `ada.${index}.${count}@example.com`,
      flight: flightNumber(draw),
      remark: `changed ${index} ${count}`,
    }[part];
    return { part, value, fault: pick(CHANGE_FAULTS, draw) };
  });
}

function pickManner(draw: Draw): Manner {
  const drawn = draw();
  if (drawn < 0.15) return { kind: 'together', times: 2 + Math.floor(draw() * 3) };
  if (drawn < 0.25) return { kind: 'leaves', afterMs: Math.floor(draw() ** 2 * WRITE_TIMEOUT_MS * 1.5) };
  return { kind: 'once' };
}

function pick(list: Weighted, draw: Draw): Fault {
  let left = draw() * list.reduce((sum, [weight]) => sum + weight, 0);
  for (const [weight, name, verb] of list) {
    left -= weight;
    if (left < 0) return verb ? { name, verb: verb(draw) } : { name };
  }
  return NONE;
}

function slow(draw: Draw, least: number, most: number): string {
  return `slow(${Math.round(WRITE_TIMEOUT_MS * (least + draw() * (most - least)))})`;
}

function flightNumber(draw: Draw): string {
  return `QX${1 + Math.floor(draw() * 9_000)}`;
}

/** A number as letters, so that it can be part of a name. */
function letters(number: number): string {
  const rest = Math.floor(number / 26);
  return (rest > 0 ? letters(rest - 1) : '') + String.fromCharCode(97 + (number % 26));
}
