import type { Evidence, Finding } from './evidence.js';
import {
  belowLimit,
  failuresBackedOff,
  refusalsAccepted,
  tokenRenewed,
  tokenReused,
  waitsAfter,
} from './judge-access.js';
import {
  bookingsCancelled,
  keyPerBooking,
  keyRepeated,
  keySent,
  newKeyAfterRefusal,
  notBookedAgain,
  outcomeFollowed,
  pollsGently,
  priceChangeAccepted,
  unknownChangeRead,
} from './judge-bookings.js';
import { idsOpaque, pagesFollowed, partialUsed } from './judge-searches.js';

/** Something that a client of the API must do, and how that is seen in its sandbox traffic. */
export interface Behavior {
  readonly id: string;
  readonly title: string;
  /** What the client must do. */
  readonly todo: string;
  /** How to give it the occasion in the sandbox. */
  readonly occasion: string;
  /** When it passes and fails. */
  readonly judged: string;
  /** It fails by what is missing, so it isn't judged while requests are missing in the records. */
  readonly needsAll?: true;
  judge(evidence: Evidence): Finding;
}

/** The 20 behaviors of a certification, in the order of its page. */
export const BEHAVIORS: readonly Behavior[] = [
  {
    id: 'token_reused',
    title: 'Keeps its token',
    todo: 'Use one token for all calls until shortly before it expires.',
    occasion: 'Make at least five calls.',
    judged:
      'Passed: a token made five calls. Failed: four times, a token made fewer than five calls and was replaced within five minutes although it was valid.',
    judge: tokenReused,
  },
  {
    id: 'token_renewed',
    title: 'Gets one new token after a 401',
    todo: 'After a 401, get one new token and repeat the call with it, once.',
    occasion: 'Revoke the token of your running client (POST /oauth/revoke/v1), or simulate `fault=401`.',
    judged:
      'Passed: one token call followed within 10 seconds, and a call succeeded. Failed: the refused token was used again, or several tokens were requested.',
    judge: tokenRenewed,
  },
  {
    id: 'waits_after_429',
    title: 'Waits after a 429',
    todo: 'Repeat a call that got 429 after the seconds of Retry-After.',
    occasion: 'Exceed the limit, or simulate `fault=429`.',
    judged: 'Passed: the same call came after Retry-After. Failed: it came earlier.',
    judge: (evidence) => waitsAfter(429, evidence),
  },
  {
    id: 'below_limit',
    title: 'Stays below its limit',
    todo: 'Send fewer calls at the same time when they get 429.',
    occasion: 'Make at least 30 calls.',
    judged: 'Passed: 30 calls. Failed: in one minute, 10 calls and more than 30 % of all got 429.',
    judge: belowLimit,
  },
  {
    id: 'waits_after_503',
    title: 'Waits after a 503',
    todo: 'Repeat a call that got 503 after the seconds of Retry-After.',
    occasion: 'Simulate `fault=503(2)`.',
    judged: 'Passed: the same call came after Retry-After. Failed: it came earlier.',
    judge: (evidence) => waitsAfter(503, evidence),
  },
  {
    id: 'refusals_accepted',
    title: "Doesn't repeat refused calls",
    todo: 'After a 400, 403 or 404, change the call or give up.',
    occasion: 'Send a search without dates, or at the place `ZZT404`.',
    judged: 'Passed: a call was refused. Failed: the same call was refused three times within a minute.',
    judge: refusalsAccepted,
  },
  {
    id: 'failures_backed_off',
    title: 'Pauses between attempts',
    todo: 'Repeat a call that failed (408, 500, 503) a few times, with growing pauses.',
    occasion: 'Simulate `fault=500`.',
    judged: 'Passed: a call failed. Failed: the same call failed five times within five seconds.',
    judge: failuresBackedOff,
  },
  {
    id: 'partial_used',
    title: 'Uses partial results',
    todo: 'Show the offers of the suppliers that answered, and say that some are missing. Do not repeat the search as if it had failed.',
    occasion: 'Search at `ZZT206F`, or simulate `bravo=timeout`; then price an offer.',
    judged:
      'Passed: an offer was priced or booked, or a page read, within ten minutes. Failed: the same search came twice more within five seconds.',
    judge: partialUsed,
  },
  {
    id: 'pages_followed',
    title: 'Follows the links of pages',
    todo: 'Read further pages by `links.next`, as it was returned.',
    occasion: 'Search with `page_size=5` and read the second page.',
    judged: 'Passed: a page was read by its cursor. Failed: the application sent a cursor that no response contained.',
    judge: pagesFollowed,
  },
  {
    id: 'ids_opaque',
    title: 'Sends ids as they are',
    todo: 'Treat ids as text without meaning: never shorten, build or change them.',
    occasion: 'Price or book an offer.',
    judged:
      'Passed: an offer or quote was priced or booked. Failed: the application sent an id that no response contained.',
    judge: idsOpaque,
  },
  {
    id: 'key_sent',
    title: 'Books with a key',
    todo: 'Send an Idempotency-Key with every booking.',
    occasion: 'Book an offer.',
    judged: 'Passed: every booking had a key. Failed: a booking had none.',
    judge: keySent,
  },
  {
    id: 'key_repeated',
    title: 'Repeats a lost booking with its key',
    todo: 'After a lost connection, a 408 or a 5xx with `Idempotent-Retry: same-key`, send the same booking with the same key.',
    occasion: 'Disconnect while a booking runs, or simulate `fault=408`.',
    judged: 'Passed: the same body came with the same key. Failed: it came with another key or none.',
    judge: keyRepeated,
  },
  {
    id: 'key_per_booking',
    title: 'Has a key for each booking',
    todo: 'Choose a new key for each new booking.',
    occasion: 'Book two offers.',
    judged:
      'Passed: two bookings had different keys. Failed: a key was used with another body (`idempotency_mismatch`).',
    judge: keyPerBooking,
  },
  {
    id: 'new_key_after_refusal',
    title: 'Starts again after a refusal',
    todo: 'After `Idempotent-Retry: new-key`, the next attempt is a new booking with a new key.',
    occasion: 'Pay an Alpine offer with the card `4000000000000002`; then book another offer.',
    judged: 'Passed: the next booking had another key. Failed: it had the same key.',
    judge: newKeyAfterRefusal,
  },
  {
    id: 'price_change_accepted',
    title: 'Handles a changed price',
    todo: 'After `price_changed`, show the new total and send it as `accepted_total`, or get a new quote.',
    occasion: 'Book an offer at the place `ZZTPRC`.',
    judged: 'Passed: a changed booking succeeded. Failed: the same booking came again.',
    judge: priceChangeAccepted,
  },
  {
    id: 'outcome_followed',
    title: 'Follows a 202 to its outcome',
    todo: 'Read a reservation that is `unknown` or `on_request` until it is in another state, or receive its webhook.',
    occasion: 'Simulate `alpine=on_request` or `dune=lost_then_found` for a booking.',
    judged:
      'Passed: the outcome was read or accepted as an event. Failed: neither happened within five minutes after the outcome was clear.',
    needsAll: true,
    judge: outcomeFollowed,
  },
  {
    id: 'not_booked_again',
    title: "Doesn't book an open booking again",
    todo: 'While the outcome of a 202 is open, do not send the booking with another key.',
    occasion: 'As before.',
    judged: 'Passed: a reservation was read after a 202. Failed: the same booking came with another key or none.',
    judge: notBookedAgain,
  },
  {
    id: 'polls_gently',
    title: 'Polls gently',
    todo: 'Read an open reservation every few seconds, later every few minutes.',
    occasion: 'As before.',
    judged: 'Passed: a reservation was read twice. Failed: it was read six times within two seconds.',
    judge: pollsGently,
  },
  {
    id: 'unknown_change_read',
    title: 'Reads after an unknown change',
    todo: 'After `outcome_unknown` for a change, read the reservation before you change it again.',
    occasion: 'Simulate `alpine=lost_then_found` for a PATCH.',
    judged: 'Passed: the next call about the reservation read it. Failed: it did not.',
    judge: unknownChangeRead,
  },
  {
    id: 'bookings_cancelled',
    title: 'Cancels its test bookings',
    todo: 'Cancel every booking of a test within an hour.',
    occasion: 'Cancel what you booked.',
    judged: 'Passed: bookings were cancelled, and none is left. Failed: one is left after an hour.',
    needsAll: true,
    judge: bookingsCancelled,
  },
];
