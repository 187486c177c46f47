/** Who can do something about a kind of failure. */
export type Who = 'them' | 'us';

interface KindWords {
  readonly who: Who;
  /** What the supplier does or we do; follows a name. */
  readonly did: string;
  /** In a table or legend. */
  readonly short: string;
  /** What to press or check, as sentences. */
  readonly press: string;
}

const WAIT =
  'Callers are protected by the breaker. If it lasts longer than 15 minutes, choose Maintenance and call the supplier.';

/** Every kind of failure that is counted (suppliers/failure-kind.ts), and three that only show in comparison. */
export const KIND_WORDS: Readonly<Record<string, KindWords>> = {
  timeout: { who: 'them', did: 'does not answer before the timeout', short: 'timeout', press: WAIT },
  http_5xx: { who: 'them', did: 'answers with a server error (5xx)', short: '5xx', press: WAIT },
  supplier_error: { who: 'them', did: 'answers that its system has a problem', short: 'supplier error', press: WAIT },
  unreachable: { who: 'them', did: 'cannot be reached, or closes the connection', short: 'unreachable', press: WAIT },
  tls: {
    who: 'them',
    did: 'fails the TLS handshake: its certificate is expired, wrong or not trusted',
    short: 'TLS',
    press: 'Choose Maintenance and ask the supplier to fix its certificate. Do not turn off certificate checks.',
  },
  throttled: {
    who: 'them',
    did: 'limits our calls (429)',
    short: 'throttled (429)',
    press:
      'Lower `quota.perSecond` in its file to what was agreed, or ask the supplier for more. Drain stops new searches until then.',
  },
  auth: {
    who: 'them',
    did: 'refuses our credentials (401 or 403)',
    short: 'credentials refused',
    press:
      'Check whether our credentials were changed or expired. If not, the supplier revoked them: choose Maintenance and call it.',
  },
  bad_payload: {
    who: 'them',
    did: 'sends answers that cannot be read',
    short: 'unreadable answer',
    press: 'Open a failed exchange below and send it to the supplier. Choose Maintenance or Shadow until it is fixed.',
  },
  rejected: {
    who: 'them',
    did: 'rejects our requests without a reason that we know',
    short: 'rejected',
    press: 'Open a failed exchange below: its answer says what the supplier does not accept.',
  },
  circuit_open: {
    who: 'them',
    did: 'is not called, because our breaker is open',
    short: 'not called: breaker open',
    press: 'The breaker closes by itself after a successful probe. The cause is what failed before.',
  },
  own_limit: {
    who: 'us',
    did: 'is not called, because our quota, queue or look-to-book limit is used up',
    short: 'not called: our limit',
    press:
      'Compare the quota and look-to-book columns with what was agreed, and raise them in its file, or find who searches so much.',
  },
  unread: {
    who: 'us',
    did: 'answers, but this gateway has no time to read the answers',
    short: 'not read by us',
    press: 'Add gateways, or lower the load. Switching the supplier does not help.',
  },
  adapter_bug: {
    who: 'us',
    did: 'is answered by an error in our adapter',
    short: 'our adapter failed',
    press: 'Choose Shadow, download a failed exchange as a fixture, and fix the adapter.',
  },
  slow: { who: 'them', did: 'answers more slowly than usual', short: 'slow', press: WAIT },
  empty: {
    who: 'them',
    did: 'answers, but finds nothing where it usually does',
    short: 'empty',
    press:
      'Open a request below to see the answer. Ask the supplier whether it lost its inventory or our access to it.',
  },
  price: {
    who: 'them',
    did: 'shows prices of a different level than usual',
    short: 'prices',
    press: 'Choose Shadow now, so that no wrong price is booked, and call the supplier.',
  },
  drift: {
    who: 'them',
    did: 'changes its price between search and price check',
    short: 'price changes',
    press: 'Callers get the new price before they book. Choose Shadow if the differences are large.',
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
