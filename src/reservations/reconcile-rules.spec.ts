import { describe, expect, it } from '@jest/globals';
import type { SupplierBooking } from '../model/bookings.js';
import { type Fault, type Refusal, SupplierError } from '../model/supplier.js';
import { cancelUnknownFrom, MADE_AT, reservationIn, sampleRental, sampleView } from './fixtures/sample-reservation.js';
import {
  type Finding,
  stateBeforeCancel,
  type Verdict,
  verdictOnBooking,
  verdictOnCancel,
  verdictOnReleased,
} from './reconcile-rules.js';
import { mayHaveTwin, verdictOnRequest, verdictOnTwin } from './request-rules.js';
import { moved } from './reservation.js';
import type { State } from './states.js';

const SETTLED = MADE_AT + 120_000;
const REVIEW = MADE_AT + 1_800_000;
const TIMES = { early: SETTLED - 1, settled: SETTLED, late: REVIEW - 1, review: REVIEW };
type Time = keyof typeof TIMES;

const booking = (status: SupplierBooking['status'], more: Partial<SupplierBooking> = {}): SupplierBooking => ({
  status,
  confirmationNumber: 'CN1',
  ref: { booking: 'B1' },
  ...more,
});
const found = (status: SupplierBooking['status'], more: Partial<SupplierBooking> = {}): Finding => ({
  kind: 'found',
  booking: booking(status, more),
});

const FINDINGS = {
  confirmed: found('confirmed'),
  on_request: found('on_request'),
  rejected: found('rejected'),
  cancelled: found('cancelled'),
  held: found('held'),
  absent: { kind: 'absent' },
  several: { kind: 'several', bookings: [booking('confirmed'), booking('confirmed')] },
  unclear: { kind: 'unclear' },
} as const satisfies Record<string, Finding>;
type Found = keyof typeof FINDINGS;

/** A verdict as one word: the state it moves to, or what to do. */
function word(verdict: Verdict): string {
  return verdict.do === 'move' ? verdict.move.to : verdict.do;
}

/** Applies a verdict like the reconciler; throws if the transition table does not allow the move. */
function applied(state: 'unknown' | 'on_request' | 'cancel_unknown', verdict: Verdict) {
  const before = reservationIn(state, { nextCheckAt: MADE_AT + 9_000 });
  return verdict.do === 'move' ? moved(before, { ...verdict.move, actor: 'reconciler' }) : before;
}

describe('a booking whose answer was lost', () => {
  it.each<[Found, Record<Time, string>]>([
    ['confirmed', { early: 'confirmed', settled: 'confirmed', late: 'confirmed', review: 'confirmed' }],
    ['on_request', { early: 'on_request', settled: 'on_request', late: 'on_request', review: 'on_request' }],
    ['rejected', { early: 'failed', settled: 'failed', late: 'failed', review: 'failed' }],
    ['cancelled', { early: 'failed', settled: 'failed', late: 'failed', review: 'failed' }],
    ['held', { early: 'wait', settled: 'release', late: 'release', review: 'release' }],
    ['absent', { early: 'wait', settled: 'failed', late: 'failed', review: 'failed' }],
    ['several', { early: 'manual_review', settled: 'manual_review', late: 'manual_review', review: 'manual_review' }],
    ['unclear', { early: 'wait', settled: 'wait', late: 'wait', review: 'manual_review' }],
  ])('%s → %j', (finding, expected) => {
    for (const [time, checkedAt] of Object.entries(TIMES)) {
      const verdict = verdictOnBooking(reservationIn('unknown'), FINDINGS[finding], {
        checkedAt,
        settledAt: SETTLED,
        reviewAt: REVIEW,
        lateCheckAt: undefined,
      });
      expect([time, word(verdict)]).toEqual([time, expected[time as Time]]);
      const after = applied('unknown', verdict);
      if (verdict.do === 'move') expect(after.updatedAt).toBe(checkedAt);
      // Only reservations that may still move are checked again.
      expect('nextCheckAt' in after).toBe(verdict.do !== 'move' || verdict.move.to === 'on_request');
    }
  });

  it('takes the confirmation number, reference data and a changed total from the booking found', () => {
    const total = { amountMinor: 14_000, currency: 'USD' };
    const clock = { checkedAt: TIMES.early, settledAt: SETTLED, reviewAt: REVIEW, lateCheckAt: undefined };
    const after = applied('unknown', verdictOnBooking(reservationIn('unknown'), found('confirmed', { total }), clock));
    expect(after).toMatchObject({
      confirmationNumber: 'CN1',
      rental: { ...sampleRental, ref: { ...sampleRental.ref, booking: 'B1' } },
      priceDrift: { accepted: sampleRental.total, actual: total },
    });
    const same = verdictOnBooking(reservationIn('unknown'), found('confirmed', { total: sampleRental.total }), clock);
    expect(applied('unknown', same)).not.toHaveProperty('priceDrift');
  });

  it('is not confirmed without a confirmation number: such an answer proves nothing', () => {
    const { confirmationNumber: _none, ...numberless } = booking('confirmed');
    const clock = { checkedAt: TIMES.early, settledAt: SETTLED, reviewAt: REVIEW, lateCheckAt: undefined };
    expect(word(verdictOnBooking(reservationIn('unknown'), { kind: 'found', booking: numberless }, clock))).toBe(
      'wait',
    );
  });
});

describe('a booking for other dates than requested goes to manual review with its number', () => {
  const later = '2027-02-20T10:00:00';
  const clock = { checkedAt: TIMES.settled, settledAt: SETTLED, reviewAt: REVIEW, lateCheckAt: undefined };

  it.each(['pickupDate', 'dropoffDate'] as const)('%s', (end) => {
    for (const status of ['confirmed', 'on_request'] as const) {
      const after = applied(
        'unknown',
        verdictOnBooking(reservationIn('unknown'), found(status, { [end]: later }), clock),
      );
      expect(after).toMatchObject({ state: 'manual_review', confirmationNumber: 'CN1' });
    }
    const request = reservationIn('on_request', { confirmationNumber: 'CN1' });
    const times = { checkedAt: TIMES.settled, pickupAt: REVIEW, withdrawAt: REVIEW, reviewAt: REVIEW };
    const accepted = verdictOnRequest(request, found('confirmed', { [end]: later }), times);
    expect(applied('on_request', accepted)).toMatchObject({ state: 'manual_review', confirmationNumber: 'CN1' });
    const same = verdictOnRequest(request, found('confirmed', { [end]: sampleRental[end] }), times);
    expect(applied('on_request', same).state).toBe('confirmed');
  });
});

it('a booking whose number the supplier gave, and then does not show, is not reported as never booked', () => {
  const numbered = reservationIn('unknown', { confirmationNumber: 'CN1' });
  const words = Object.values(TIMES).map((checkedAt) => {
    const clock = { checkedAt, settledAt: SETTLED, reviewAt: REVIEW, lateCheckAt: undefined };
    return word(verdictOnBooking(numbered, FINDINGS.absent, clock));
  });
  expect(words).toEqual(['wait', 'manual_review', 'manual_review', 'manual_review']);
});

describe('a hold that was to be released', () => {
  it.each<[Found, string, string]>([
    ['confirmed', 'confirmed', 'confirmed'],
    ['on_request', 'on_request', 'on_request'],
    ['rejected', 'failed', 'failed'],
    ['cancelled', 'failed', 'failed'],
    ['absent', 'failed', 'failed'],
    ['held', 'wait', 'manual_review'],
    ['several', 'manual_review', 'manual_review'],
    ['unclear', 'wait', 'manual_review'],
  ])('after which the supplier shows %s: %s, and %s once review is due', (found, settled, review) => {
    const lateCheckAt = REVIEW + 300_000;
    const verdicts = [TIMES.settled, TIMES.review].map((checkedAt) => {
      const clock = { checkedAt, settledAt: SETTLED, reviewAt: REVIEW, lateCheckAt };
      return verdictOnReleased(reservationIn('unknown'), FINDINGS[found], clock);
    });
    expect(verdicts.map(word)).toEqual([settled, review]);
    // The supplier may still make the booking late.
    for (const verdict of verdicts)
      if (word(verdict) === 'failed') expect(applied('unknown', verdict).nextCheckAt).toBe(lateCheckAt);
  });
});

describe('a request that the supplier accepts manually', () => {
  const PICKUP = MADE_AT + 86_400_000;

  it.each<[Found, string, string]>([
    ['confirmed', 'confirmed', 'confirmed'],
    ['rejected', 'rejected', 'rejected'],
    ['cancelled', 'rejected', 'expired'],
    ['on_request', 'wait', 'release'],
    ['absent', 'wait', 'expired'],
    ['held', 'wait', 'release'],
    ['several', 'wait', 'manual_review'],
  ])('%s: %s before the pickup, %s from then on', (finding, before, after) => {
    const reservation = reservationIn('on_request', { confirmationNumber: 'CN1' });
    const verdicts = [PICKUP - 1, PICKUP].map((checkedAt) =>
      verdictOnRequest(reservation, FINDINGS[finding], {
        checkedAt,
        pickupAt: PICKUP,
        withdrawAt: PICKUP,
        reviewAt: PICKUP,
      }),
    );
    expect(verdicts.map(word)).toEqual([before, after]);
    for (const verdict of verdicts) expect('nextCheckAt' in applied('on_request', verdict)).toBe(verdict.do !== 'move');
  });

  it('is not withdrawn if the supplier only fails to say that it accepted it: the renter may have the car', () => {
    const silent = found('on_request', { isStatusAssumed: true });
    const reservation = reservationIn('on_request', { confirmationNumber: 'CN1' });
    const clock = (checkedAt: number) => ({
      checkedAt,
      pickupAt: PICKUP,
      withdrawAt: PICKUP + 1,
      reviewAt: PICKUP + 2,
    });
    const verdicts = [PICKUP - 1, PICKUP, PICKUP + 1].map((at) => verdictOnRequest(reservation, silent, clock(at)));
    expect(verdicts.map(word)).toEqual(['wait', 'wait', 'manual_review']);
    const absent = verdictOnRequest(reservation, FINDINGS.absent, clock(PICKUP + 1));
    expect(word(verdictOnTwin(reservation, absent, silent, clock(PICKUP + 1)))).toBe('manual_review');
  });

  it('waits while the supplier is unavailable, and goes to manual review after the pickup: it may have been accepted', () => {
    const reviewAt = PICKUP + 1_800_000;
    const words = [PICKUP - 1, PICKUP, reviewAt].map((checkedAt) =>
      word(
        verdictOnRequest(reservationIn('on_request'), FINDINGS.unclear, {
          checkedAt,
          pickupAt: PICKUP,
          withdrawAt: PICKUP,
          reviewAt,
        }),
      ),
    );
    expect(words).toEqual(['wait', 'wait', 'manual_review']);
  });

  it('keeps its confirmation number if the acceptance does not repeat it', () => {
    const { confirmationNumber: _none, ...numberless } = booking('confirmed');
    const before = reservationIn('on_request', { confirmationNumber: 'CN7' });
    const verdict = verdictOnRequest(
      before,
      { kind: 'found', booking: numberless },
      { checkedAt: MADE_AT, pickupAt: PICKUP, withdrawAt: PICKUP, reviewAt: PICKUP },
    );
    if (verdict.do !== 'move') throw new Error('it was accepted');
    expect(moved(before, { ...verdict.move, actor: 'reconciler' }).confirmationNumber).toBe('CN7');
  });
});

describe('a request that is neither open nor accepted under its number', () => {
  const PICKUP = MADE_AT + 86_400_000;
  const WHEN = { open: PICKUP - 1, pickup: PICKUP, review: PICKUP + 1_800_000 };
  const reservation = reservationIn('on_request', { confirmationNumber: 'CN1' });
  const clockAt = (checkedAt: number) => ({
    checkedAt,
    pickupAt: PICKUP,
    withdrawAt: PICKUP,
    reviewAt: WHEN.review,
  });
  const ownVerdict = (own: Found, at: number) => verdictOnRequest(reservation, FINDINGS[own], clockAt(at));

  it.each<[Found, boolean, boolean]>([
    ['confirmed', false, false],
    ['on_request', false, true],
    ['unclear', true, true],
    ['rejected', true, true],
    ['cancelled', true, true],
    ['absent', true, true],
    ['held', true, true],
    ['several', true, true],
  ])('%s by its number: whether it is looked up by its reference before and after the pickup', (own, before, after) => {
    const asked = [WHEN.open, WHEN.pickup].map((at) => mayHaveTwin(FINDINGS[own], ownVerdict(own, at)));
    expect(asked).toEqual([before, after]);
  });

  const { confirmationNumber: _none, ...numberless } = booking('confirmed');
  const TWINS = {
    ...FINDINGS,
    other: found('confirmed', { confirmationNumber: 'CN2' }),
    open: found('on_request', { confirmationNumber: 'CN2' }),
    numberless: { kind: 'found', booking: numberless },
    declined: { kind: 'found', booking: { ...numberless, status: 'rejected' } },
    duplicate: found('rejected', { confirmationNumber: 'CN2' }),
  } as const satisfies Record<string, Finding>;

  it.each<[Found, keyof typeof TWINS, string, string, string]>([
    ['rejected', 'other', 'confirmed', 'confirmed', 'confirmed'],
    ['rejected', 'open', 'on_request', 'rejected', 'rejected'],
    ['rejected', 'several', 'manual_review', 'manual_review', 'manual_review'],
    ['rejected', 'unclear', 'rejected', 'rejected', 'rejected'],
    ['rejected', 'numberless', 'manual_review', 'manual_review', 'manual_review'],
    // By its own number it is rejected: the supplier contradicts itself.
    ['rejected', 'confirmed', 'manual_review', 'manual_review', 'manual_review'],
    ['rejected', 'on_request', 'rejected', 'rejected', 'rejected'],
    ['rejected', 'rejected', 'rejected', 'rejected', 'rejected'],
    ['rejected', 'absent', 'rejected', 'rejected', 'rejected'],
    ['absent', 'other', 'confirmed', 'confirmed', 'confirmed'],
    ['absent', 'confirmed', 'confirmed', 'confirmed', 'confirmed'],
    ['absent', 'open', 'on_request', 'release', 'release'],
    ['absent', 'on_request', 'wait', 'release', 'release'],
    ['on_request', 'on_request', 'wait', 'release', 'release'],
    ['on_request', 'open', 'on_request', 'release', 'release'],
    ['on_request', 'other', 'confirmed', 'confirmed', 'confirmed'],
    ['absent', 'absent', 'wait', 'expired', 'expired'],
    // The supplier gives accepted requests another number.
    ['unclear', 'other', 'confirmed', 'confirmed', 'confirmed'],
    ['unclear', 'confirmed', 'confirmed', 'confirmed', 'confirmed'],
    ['unclear', 'on_request', 'wait', 'release', 'release'],
    ['unclear', 'absent', 'wait', 'wait', 'manual_review'],
    ['unclear', 'unclear', 'wait', 'wait', 'manual_review'],
    // The number of what was declined may be gone. Of another one, nothing follows.
    ['unclear', 'declined', 'rejected', 'rejected', 'rejected'],
    ['unclear', 'rejected', 'rejected', 'rejected', 'rejected'],
    ['unclear', 'cancelled', 'rejected', 'expired', 'expired'],
    ['unclear', 'duplicate', 'wait', 'wait', 'manual_review'],
    ['unclear', 'held', 'wait', 'wait', 'manual_review'],
    ['absent', 'declined', 'rejected', 'rejected', 'rejected'],
    ['absent', 'duplicate', 'wait', 'expired', 'expired'],
    ['rejected', 'cancelled', 'rejected', 'rejected', 'rejected'],
  ])('%s by its number and %s by its reference: %s, %s from the pickup on, %s later', (own, twin, ...expected) => {
    const words = Object.values(WHEN).map((at) => {
      const verdict = verdictOnTwin(reservation, ownVerdict(own, at), TWINS[twin], clockAt(at));
      const after = verdict.do === 'move' ? moved(reservation, { ...verdict.move, actor: 'reconciler' }) : reservation;
      const isAttached = ['other', 'open'].includes(twin) && ['confirmed', 'on_request'].includes(word(verdict));
      expect(after.confirmationNumber).toBe(isAttached ? 'CN2' : 'CN1');
      return word(verdict);
    });
    expect(words).toEqual(expected);
  });

  it('waits for its withdrawal while another one is open', () => {
    const clock = { ...clockAt(WHEN.pickup), withdrawAt: WHEN.review };
    for (const own of ['absent', 'on_request'] as const) {
      const next = verdictOnTwin(reservation, verdictOnRequest(reservation, FINDINGS[own], clock), TWINS.open, clock);
      expect(next).toEqual({ do: 'wait', until: WHEN.review });
    }
  });

  it('follows another number once', () => {
    const own = ownVerdict('absent', WHEN.open);
    const verdict = verdictOnTwin(reservation, own, TWINS.open, clockAt(WHEN.open));
    expect(word(verdict)).toBe('on_request');
    const followed = applied('on_request', verdict);
    expect(word(verdictOnTwin(followed, own, FINDINGS.on_request, clockAt(WHEN.open)))).toBe('wait');
  });
});

describe('repeating a cancellation whose answer was lost', () => {
  const LATE = { early: 'wait', settled: 'wait', late: 'wait', review: 'manual_review' };
  const back = {
    to: 'confirmed',
    reason: 'cancellation refused',
    at: MADE_AT,
    patch: { nextCheckAt: undefined },
  } as const;
  const done = {
    to: 'cancelled',
    reason: 'cancelled',
    at: MADE_AT,
    patch: { cancellation: { at: MADE_AT }, nextCheckAt: undefined },
  } as const;
  const ended = (fault: Fault, refusal?: Refusal) => {
    const error = new SupplierError(fault, 'no', true, { refusal });
    return { kind: ['rejected', 'throttled', 'auth'].includes(fault) ? 'not_done' : 'unknown', error } as const;
  };

  it('is done if the supplier confirms it, with its fee', () => {
    const verdict = verdictOnCancel(
      cancelUnknownFrom('confirmed'),
      { kind: 'done', result: {} },
      FINDINGS.unclear,
      done,
      {
        checkedAt: MADE_AT,
        settledAt: MADE_AT + 1,
        reviewAt: REVIEW,
        lateCheckAt: undefined,
      },
    );
    expect(applied('cancel_unknown', verdict)).toMatchObject({ state: 'cancelled', cancellation: { at: MADE_AT } });
  });

  it.each<[Fault, Refusal | undefined, Record<Time, string>]>([
    ['throttled', undefined, LATE],
    ['auth', undefined, LATE],
    ['timeout', undefined, LATE],
    ['unavailable', undefined, LATE],
    ['bad_payload', undefined, LATE],
    ['cancelled', undefined, LATE],
  ])('%s (%s) gives %j, whatever the supplier shows', (fault, refusal, words) => {
    for (const finding of Object.values(FINDINGS)) expect(wordsOf(ended(fault, refusal), finding)).toEqual(words);
  });

  it('of a booking that the supplier no longer knows is done if it is shown as cancelled, and left to operators otherwise', () => {
    for (const [found, finding] of Object.entries(FINDINGS)) {
      const to = ['cancelled', 'rejected'].includes(found) ? 'cancelled' : 'manual_review';
      const words = { early: to, settled: to, late: to, review: to };
      expect([found, wordsOf(ended('rejected', 'not_found'), finding)]).toEqual([found, words]);
    }
  });

  it.each<[Found, Record<Time, string>]>([
    ['confirmed', { early: 'wait', settled: 'confirmed', late: 'confirmed', review: 'confirmed' }],
    ['on_request', { early: 'wait', settled: 'manual_review', late: 'manual_review', review: 'manual_review' }],
    ['cancelled', { early: 'cancelled', settled: 'cancelled', late: 'cancelled', review: 'cancelled' }],
    ['rejected', { early: 'cancelled', settled: 'cancelled', late: 'cancelled', review: 'cancelled' }],
    ['absent', { early: 'wait', settled: 'manual_review', late: 'manual_review', review: 'manual_review' }],
    ['several', { early: 'wait', settled: 'manual_review', late: 'manual_review', review: 'manual_review' }],
    ['unclear', LATE],
  ])('refused, while the supplier shows it as %s, gives %j', (found, words) => {
    for (const refusal of [undefined, 'not_changeable'] as const)
      expect(wordsOf(ended('rejected', refusal), FINDINGS[found])).toEqual(words);
  });

  const clock = { checkedAt: SETTLED, settledAt: SETTLED, reviewAt: REVIEW, lateCheckAt: undefined };
  const refusedFrom = (before: State, finding: Finding, to: 'confirmed' | 'on_request' = 'confirmed') =>
    verdictOnCancel(cancelUnknownFrom(before), ended('rejected'), finding, { ...back, to }, clock);

  it.each(['manual_review', 'failed'] as const)(
    'refused, of a booking that was %s before, goes to review',
    (before) => {
      for (const status of ['confirmed', 'on_request'] as const) {
        const verdict = refusedFrom(before, found(status));
        expect(verdict).toMatchObject({
          move: { to: 'manual_review', reason: `cancellation refused; it was ${before} before` },
        });
      }
    },
  );

  it('refused, of a booking that the supplier shows for other dates, goes to review', () => {
    const other = { pickupDate: '2027-02-20T10:00:00' };
    expect(word(refusedFrom('confirmed', found('confirmed', other)))).toBe('manual_review');
    expect(word(refusedFrom('on_request', found('on_request', other), 'on_request'))).toBe('manual_review');
    // Dates that the supplier's staff has changed don't matter once they are known.
    const view = { ...sampleView, booked_differently: { pickup_date: other.pickupDate } };
    const refused = (shown: Finding) =>
      word(verdictOnCancel({ ...cancelUnknownFrom('confirmed'), view }, ended('rejected'), shown, back, clock));
    expect(refused(found('confirmed', other))).toBe('confirmed');
    expect(refused(found('confirmed', { pickupDate: sampleRental.pickupDate }))).toBe('manual_review');
  });

  it.each(['confirmed', 'on_request'] as const)(
    'refused, of a booking that is shown as %s with the number of a cancellation, goes to review',
    (status) => {
      expect(refusedFrom(status, found(status, { mayBeCancelled: true }), status)).toMatchObject({
        move: { to: 'manual_review', reason: 'cancellation refused; the supplier shows the number of a cancellation' },
      });
    },
  );

  it.each(['confirmed', 'on_request'] as const)(
    'refused, of a request that the supplier shows as %s, leaves the request',
    (status) => {
      expect(word(refusedFrom('on_request', found(status), 'on_request'))).toBe('on_request');
    },
  );

  it('began where an erasure in between began', () => {
    const erased = moved(cancelUnknownFrom('failed'), {
      to: 'cancel_unknown',
      actor: 'ops',
      reason: 'erased',
      at: MADE_AT,
    });
    expect(stateBeforeCancel(erased)).toBe('failed');
  });

  /** What follows at each time, applied to a reservation, by which the transition table checks it. */
  function wordsOf(outcome: ReturnType<typeof ended>, finding: Finding): Record<string, string> {
    const words = Object.entries(TIMES).map(([time, checkedAt]) => {
      const clock = { checkedAt, settledAt: SETTLED, reviewAt: REVIEW, lateCheckAt: undefined };
      const verdict = verdictOnCancel(cancelUnknownFrom('confirmed'), outcome, finding, back, clock);
      expect('nextCheckAt' in applied('cancel_unknown', verdict)).toBe(verdict.do !== 'move');
      return [time, word(verdict)];
    });
    return Object.fromEntries(words);
  }
});
