import { KIND_WORDS } from './failure-words.js';
import type { Problem } from './problems.js';

/** What to press for a problem, and when. */
export interface Advice {
  /** A choice of the switch; undefined = no button helps. */
  readonly button: 'maintenance' | 'shadow' | 'drain' | undefined;
  /** Whether to press it now, not only if something else happens. */
  readonly isNow: boolean;
  readonly text: string;
}

const OURS = {
  everywhere: 'No switch helps: all suppliers fail alike. Check our network and its way out (DNS, proxy, firewall).',
  lag: 'No switch helps: our gateways lag. Add gateways, or lower the load.',
  file: 'No switch helps: our file of this supplier was changed when it began. Check that change first, and undo it.',
} as const;

/** Bookings whose outcome is unknown cost more than missing offers. */
const BOOKINGS = {
  timeout: 'Press it now: each further booking may have an unknown outcome. The gateway looks those up by itself.',
  unreachable: 'Press it now: further bookings fail or have an unknown outcome.',
} as const;

const FAILING_BOOKINGS =
  'Press it now, and call the supplier: callers still get its offers, but bookings of them fail.';

/** How advice begins whose button is for now. */
const NOW = 'Press it now';
/** From which share on most calls of the operations fail. */
const MOST = 0.5;
const MINUTE_MS = 60_000;
/** What waiting for answers ends with. */
const LATE = new Set(['timeout', 'unreachable']);

/**
 * A supplier's problems that need an answer each, and those that probably are part of the first, the most urgent one: they began with
 * it or later, and what to press for it helps against them too, or nothing does. `problems`: the most urgent first.
 */
export function apart(problems: readonly Problem[]): {
  readonly separate: readonly Problem[];
  readonly related: readonly Problem[];
} {
  const [cause, ...others] = problems;
  if (!cause) return { separate: [], related: [] };
  const isRelated = (problem: Problem): boolean =>
    problem.since !== undefined &&
    cause.since !== undefined &&
    problem.since >= cause.since - MINUTE_MS &&
    (adviceOf(cause).button !== undefined || adviceOf(problem).button === undefined);
  return { separate: [cause, ...others.filter((one) => !isRelated(one))], related: others.filter(isRelated) };
}

/** What to do about a problem. `all`: the problems of the same supplier. */
export function adviceOf(problem: Problem, all: readonly Problem[] = []): Advice {
  const { button, text } = choiceFor(problem, all);
  return { button, text, isNow: button !== undefined && text.startsWith(NOW) };
}

function choiceFor({ kind, reason, parts }: Problem, all: readonly Problem[]): Pick<Advice, 'button' | 'text'> {
  if (reason) return { button: undefined, text: OURS[reason] };
  const words = KIND_WORDS[kind];
  if (!words) return { button: 'maintenance', text: 'Open a failed exchange below, and call the supplier.' };
  if (kind === 'slow' && all.some((other) => LATE.has(other.kind)))
    return { button: undefined, text: 'Nothing for this alone: calls also fail, see there.' };
  const isBooking = parts.some(({ operation }) => operation === 'book');
  const isFailing = isBooking && words.button === 'maintenance';
  const text = isFailing
    ? (BOOKINGS[kind as keyof typeof BOOKINGS] ?? FAILING_BOOKINGS)
    : ((failedShare(parts) >= MOST ? words.pressMost : undefined) ?? words.press);
  return { button: words.button, text };
}

/** The share of failures in all calls of the operations that have a problem. */
function failedShare(parts: Problem['parts']): number {
  const calls = parts.reduce((sum, part) => sum + part.calls, 0);
  return parts.reduce((sum, part) => sum + part.share * part.calls, 0) / Math.max(1, calls);
}
