/** Who can do something about a kind of failure. */
export type Who = 'them' | 'us';

/** A button of the switch; undefined = no switch helps. */
type Button = 'maintenance' | 'shadow' | 'drain';

interface KindWords {
  readonly who: Who;
  /** What the supplier does or we do; follows a name. */
  readonly did: string;
  /** In a table or legend. */
  readonly short: string;
  /** What to press; undefined = nothing. */
  readonly button?: Button;
  /** When to press it, or what else to do, as sentences. */
  readonly press: string;
  /** In its place, if most calls fail. */
  readonly pressMost?: string;
}

const LASTING = {
  press:
    'Nothing yet: only some calls fail, and callers still get its other results. Press it if this lasts longer than 15 minutes. Call the supplier in either case.',
  pressMost: 'Press it now: most calls fail. Call the supplier as well.',
} as const;

/** Every kind of failure that is counted (suppliers/failure-kind.ts), and four that only show in comparison. */
export const KIND_WORDS: Readonly<Record<string, KindWords>> = {
  timeout: {
    who: 'them',
    did: 'does not answer before the timeout',
    short: 'timeout',
    button: 'maintenance',
    ...LASTING,
  },
  http_5xx: {
    who: 'them',
    did: 'answers with a server error (5xx)',
    short: '5xx',
    button: 'maintenance',
    ...LASTING,
  },
  supplier_error: {
    who: 'them',
    did: 'answers that its system has a problem',
    short: 'supplier error',
    button: 'maintenance',
    ...LASTING,
  },
  unreachable: {
    who: 'them',
    did: 'cannot be reached, or closes the connection,',
    short: 'unreachable',
    button: 'maintenance',
    ...LASTING,
  },
  tls: {
    who: 'them',
    did: 'fails the TLS handshake (its certificate is expired, wrong or not trusted)',
    short: 'TLS',
    button: 'maintenance',
    press: 'Press it now, and ask the supplier to fix its certificate. Do not turn off certificate checks.',
  },
  throttled: {
    who: 'them',
    did: 'limits our calls (429)',
    short: 'throttled (429)',
    button: 'drain',
    pressMost:
      'Press it now, so that no more searches are sent: most calls fail. Lower quota.perSecond in its file to what was agreed, or ask the supplier for more.',
    press:
      'Nothing yet: only some calls fail. Press it if most do, so that no more searches are sent. Lower quota.perSecond in its file to what was agreed, or ask the supplier for more.',
  },
  auth: {
    who: 'them',
    did: 'refuses our credentials (401 or 403)',
    short: 'credentials refused',
    button: 'maintenance',
    press:
      'Press it now. Then compare the credentials in its file with those that the supplier gave us; if they are right, the supplier revoked them: call it.',
  },
  bad_payload: {
    who: 'them',
    did: 'sends answers that cannot be read',
    short: 'unreadable answer',
    button: 'maintenance',
    press: 'Press it now. Open a failed exchange below, download it, and send it to the supplier.',
  },
  rejected: {
    who: 'them',
    did: 'rejects our requests without a reason that we know',
    short: 'rejected',
    button: 'shadow',
    pressMost:
      'Press it now: most calls fail. Open a failed exchange below: its answer says what the supplier does not accept.',
    press:
      'Nothing yet: only some calls fail. Press it if most do. Open a failed exchange below: its answer says what the supplier does not accept.',
  },
  circuit_open: {
    who: 'them',
    did: 'is not called, because our breaker is open,',
    short: 'not called: breaker open',
    press: 'The breaker closes by itself after a successful probe. The cause is what failed before.',
  },
  own_limit: {
    who: 'us',
    did: 'is not called, because our quota, queue or look-to-book limit is used up,',
    short: 'not called: our limit',
    press:
      'No switch helps. Compare the quota and look-to-book of Suppliers with what was agreed, and raise them in its file, or find who searches so much.',
  },
  unread: {
    who: 'us',
    did: 'answers, but this gateway has no time to read the answers,',
    short: 'not read by us',
    press: 'No switch helps. Add gateways, or lower the load.',
  },
  adapter_bug: {
    who: 'us',
    did: 'is answered by an error in our adapter',
    short: 'our adapter failed',
    button: 'shadow',
    press: 'Press it now, download a failed exchange as a fixture, and fix the adapter.',
  },
  slow: {
    who: 'them',
    did: 'answers more slowly than usual',
    short: 'slow',
    press:
      'Nothing yet: answers still arrive. Report it to the supplier. Press Maintenance only if calls begin to time out.',
  },
  empty: {
    who: 'them',
    did: 'answers, but finds nothing where it usually does,',
    short: 'empty',
    press:
      'Nothing: other suppliers’ results are not affected. Ask the supplier whether it lost its inventory or our access to it.',
  },
  price: {
    who: 'them',
    did: 'shows prices of a different level than usual',
    short: 'prices',
    button: 'shadow',
    press:
      'Press it now, so that no wrong price is booked, and call the supplier. Then check its reservations that were made since: their prices may be wrong.',
  },
  drift: {
    who: 'them',
    did: 'changes its price between search and price check',
    short: 'price changes',
    button: 'shadow',
    press: 'Nothing yet: press it if the differences are large. Callers get the new price before they book.',
  },
};

/** Operations of the supplier port in words. */
const OPERATION_WORDS: Readonly<Record<string, string>> = {
  searchLocations: 'location searches',
  searchVehicles: 'vehicle searches',
  priceCheck: 'price checks',
  book: 'bookings',
  retrieve: 'retrievals',
  modify: 'changes',
  cancel: 'cancellations',
  locationDetails: 'location details',
};

/** An operation in words, in the plural. */
export function operationWords(operation: string): string {
  return OPERATION_WORDS[operation] ?? operation;
}

/** A kind of failure in a word or two; one that this version doesn't know as it is stored. */
export function shortWords(cause: string): string {
  return KIND_WORDS[cause]?.short ?? cause.replaceAll('_', ' ');
}
