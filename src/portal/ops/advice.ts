import { KIND_WORDS } from './failure-words.js';
import type { Problem } from './problems.js';

/** What to press for a problem, and when. */
export interface Advice {
  /** A choice of the switch; undefined = no button helps. */
  readonly button: 'maintenance' | 'shadow' | 'drain' | undefined;
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

/** What to do about a problem. */
export function adviceOf({ kind, reason, parts }: Problem): Advice {
  if (reason) return { button: undefined, text: OURS[reason] };
  const words = KIND_WORDS[kind];
  if (!words) return { button: 'maintenance', text: 'Open a failed exchange below, and call the supplier.' };
  const isBooking = parts.some(({ operation }) => operation === 'book');
  const isFailing = isBooking && words.button === 'maintenance';
  const text = isFailing ? (BOOKINGS[kind as keyof typeof BOOKINGS] ?? FAILING_BOOKINGS) : words.press;
  return { button: words.button, text };
}
