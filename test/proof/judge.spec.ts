import type { BookEntry, Evidence, Intent, KeptReservation } from './evidence.js';
import { COUNTS, isProven, judge } from './judge.js';

describe('the judge of the proof', () => {
  const booked = { email: 'ada@example.com', flight: '', remark: '' };
  const intent: Intent = {
    key: 'key-1',
    supplier: 'alpine',
    fault: 'none',
    booked,
    begunAt: 0,
    endedAt: 1_000,
    answers: [{ status: 201, replayed: false, text: '201 first', state: 'confirmed' }],
    changes: [],
  };
  const reservation: KeptReservation = {
    id: 'res_1',
    key: 'key-1',
    supplier: 'alpine',
    state: 'confirmed',
    createdAt: 0,
    confirmation: 'AL1',
    kept: booked,
  };
  const booking: BookEntry = {
    confirmation: 'AL1',
    reference: 'res_1',
    status: 'confirmed',
    email: 'ada@example.com',
    createdAt: 100,
  };
  const no = { status: 500, replayed: false, text: '500 no' };
  const notWritten = { status: 503, replayed: false, text: '503 maintenance' };
  const evidence = (
    intents: Partial<Intent>,
    reservations: readonly Partial<KeptReservation>[],
    book: readonly Partial<BookEntry>[],
    listed: Evidence['listed'] = {},
  ): Evidence => ({
    intents: [{ ...intent, ...intents }],
    reservations: reservations.map((one) => ({ ...reservation, ...one })),
    books: { alpine: book.map((one) => ({ ...booking, ...one })) },
    listed,
    restores: [],
    audited: {},
    settledAfterMs: 4_000,
  });
  const counts = (judged: Evidence) => {
    const verdict = judge(judged);
    return COUNTS.map((count) => verdict[count].length);
  };

  test('finds nothing in a correct run', () => {
    const fine = evidence({}, [{}], [{}]);
    expect([counts(fine), isProven(judge(fine))]).toEqual([[0, 0, 0, 0, 0], true]);
  });

  test.each<[string, Evidence, readonly number[]]>([
    ['two active bookings of one reservation', evidence({}, [{}], [{}, { confirmation: 'AL2' }]), [1, 0, 0, 0, 0]],
    [
      'two booked reservations with one key',
      evidence({}, [{}, { id: 'res_2' }], [{}, { confirmation: 'AL2', reference: 'res_2' }]),
      [1, 0, 0, 0, 0],
    ],
    [
      'a booking next to a cancelled one',
      evidence({}, [{}], [{ status: 'cancelled' }, { confirmation: 'AL2' }]),
      [0, 0, 0, 0, 0],
    ],
    [
      'a booking without a reservation',
      evidence({}, [{}], [{}, { confirmation: 'AL2', reference: 'res_9', email: 'bob@example.com' }]),
      [0, 1, 0, 0, 0],
    ],
    ['a booking whose reservation failed', evidence({ answers: [no] }, [{ state: 'failed' }], [{}]), [0, 1, 2, 0, 0]],
    [
      'a booking whose reservation was cancelled',
      evidence({ cancel: 'done' }, [{ state: 'cancelled' }], [{}]),
      [0, 1, 2, 0, 0],
    ],
    ['a reservation that the supplier does not have', evidence({}, [{}], []), [0, 0, 2, 0, 0]],
    ['a reservation whose booking was cancelled', evidence({}, [{}], [{ status: 'cancelled' }]), [0, 0, 2, 0, 0]],
    ['an error for an active booking', evidence({ answers: [no] }, [{}], [{}]), [0, 0, 1, 0, 0]],
    ['an error before the stored answer', evidence({ answers: [no, ...intent.answers] }, [{}], [{}]), [0, 0, 0, 0, 0]],
    [
      'two answers for one key',
      evidence({ answers: [...intent.answers, { status: 201, replayed: true, text: '201 other' }] }, [{}], [{}]),
      [0, 0, 0, 0, 1],
    ],
    [
      'a 202 while it was pending, then another answer',
      evidence(
        { answers: [{ status: 202, replayed: true, text: '202', state: 'pending' }, ...intent.answers] },
        [{}],
        [{}],
      ),
      [0, 0, 0, 0, 1],
    ],
    ['a cancellation that was never made', evidence({ cancel: 'done' }, [{}], [{}]), [0, 0, 1, 0, 0]],
    [
      'a cancellation that was never requested',
      evidence({}, [{ state: 'cancelled' }], [{ status: 'cancelled' }]),
      [0, 0, 1, 0, 0],
    ],
    [
      'a change that was never made',
      evidence({ changes: [{ part: 'remark', value: 'new', fault: 'none', word: 'done' }] }, [{}], [{}]),
      [0, 0, 1, 0, 0],
    ],
    [
      'a refused change that was made',
      evidence(
        { changes: [{ part: 'remark', value: 'new', fault: 'none', word: 'refused' }] },
        [{}],
        [{ remark: 'new' }],
      ),
      [0, 0, 2, 0, 0],
    ],
    [
      'an uncertain change that both have',
      evidence(
        { changes: [{ part: 'remark', value: 'new', fault: 'reset', word: 'unknown' }] },
        [{ kept: { ...booked, remark: 'new' } }],
        [{ remark: 'new' }],
      ),
      [0, 0, 0, 0, 0],
    ],
    ['a reservation that is still unknown', evidence({}, [{ state: 'unknown' }], [{}]), [0, 0, 0, 1, 0]],
    ['a check that is still due', evidence({}, [{ isDue: true }], [{}]), [0, 0, 0, 1, 0]],
    ['a listed second booking', evidence({}, [{}], [{}, { confirmation: 'AL2' }], { res_1: ['AL2'] }), [0, 0, 0, 0, 0]],
    [
      'two second bookings of which one is listed',
      evidence({}, [{}], [{}, { confirmation: 'AL2' }, { confirmation: 'AL3' }], { res_1: ['AL2'] }),
      [1, 0, 0, 0, 0],
    ],
    [
      'a listed second booking of a cancelled reservation',
      evidence({ cancel: 'done' }, [{ state: 'cancelled' }], [{ status: 'cancelled' }, { confirmation: 'AL2' }], {
        res_1: ['AL2'],
      }),
      [0, 0, 0, 0, 0],
    ],
    [
      'a booking in time that was given up before it was found',
      evidence({}, [{ givenUpAt: 5_000 }], [{}]),
      [0, 0, 1, 0, 0],
    ],
    [
      'a booking in time that was given up, found and cancelled',
      evidence({}, [{ state: 'cancelled', isRevoked: true, givenUpAt: 2_000 }], [{ status: 'cancelled' }]),
      [0, 0, 1, 0, 0],
    ],
    [
      'a late booking that was given up before it was found',
      evidence({}, [{ givenUpAt: 5_000 }], [{ createdAt: 4_001 }]),
      [0, 0, 0, 0, 0],
    ],
    [
      'a late booking that was reported as not made, and is listed',
      evidence({ answers: [no] }, [{ state: 'manual_review', givenUpAt: 5_000 }], [{ createdAt: 6_000 }]),
      [0, 0, 0, 0, 0],
    ],
    [
      'a booking in time that was reported as not made, and is listed',
      evidence({ answers: [no] }, [{ state: 'manual_review' }], [{}]),
      [0, 0, 1, 0, 0],
    ],
    [
      'a late booking that was cancelled',
      evidence({}, [{ state: 'cancelled', isRevoked: true }], [{ status: 'cancelled' }]),
      [0, 0, 0, 0, 0],
    ],
    ['an intent that was never answered', evidence({ answers: [] }, [], []), [0, 0, 0, 1, 0]],
    ['an intent that was only to be repeated', evidence({ answers: [notWritten] }, [], []), [0, 0, 0, 1, 0]],
    [
      'one whose 503 is stored, because the journal could not be written',
      evidence({ answers: [notWritten, { ...notWritten, replayed: true }] }, [{ state: 'failed' }], []),
      [0, 0, 0, 0, 0],
    ],
  ])('%s', (_case, judged, expected) => {
    expect(counts(judged)).toEqual(expected);
  });

  test('manual_review is not a finding; it comes with the actual entry of the book', () => {
    const none = { supplier: 'alpine', booked: 0, notBooked: 0, second: 0, secondGone: 0 };
    const unclear = { answers: [{ status: 202, replayed: false, text: '202', state: 'unknown' as const }] };
    const booked = judge(evidence(unclear, [{ state: 'manual_review' }], [{}]));
    const notBooked = judge(evidence(unclear, [{ state: 'manual_review' }], []));
    expect([isProven(booked), booked.review]).toEqual([true, [{ ...none, booked: 1 }]]);
    expect([isProven(notBooked), notBooked.review]).toEqual([true, [{ ...none, notBooked: 1 }]]);
  });

  describe('after a restore', () => {
    const restored = { from: 500, until: 2_000 };
    const unknown = { status: 500, replayed: true, text: '500 outcome_unknown res_1' };
    const [number, other] = [
      { res_1: { verdict: 'cannot check', number: 'AL1' } },
      { res_1: { verdict: 'revived', number: 'AL9' } },
    ];
    const restoring = (judged: Evidence, audited: Evidence['audited'] = {}): Evidence => ({
      ...judged,
      restores: [restored],
      audited,
    });
    const lost = evidence({ answers: [...intent.answers.map((one) => ({ ...one, at: 900 })), unknown] }, [], [{}]);
    const [revived, changed] = [
      evidence({ cancel: 'done' }, [{}], [{ status: 'cancelled' }]),
      evidence({ changes: [{ part: 'remark', value: 'new', fault: 'none', word: 'done' }] }, [{}], [{ remark: 'new' }]),
    ];
    const twice = [{}, { confirmation: 'AL2' }];
    const earlier = { begunAt: 0, endedAt: 400 };

    test.each<[string, Evidence, readonly number[]]>([
      ['a lost reservation that the audit reports', restoring(lost, number), [0, 0, 0, 0, 0]],
      ['a reported one whose key was not refused', restoring(evidence({}, [], [{}]), number), [0, 0, 1, 0, 0]],
      ['a lost reservation that it does not report', restoring(lost), [0, 1, 0, 0, 0]],
      ['a lost reservation that it reports with another number', restoring(lost, other), [0, 1, 0, 0, 0]],
      [
        'a lost reservation of an intent that was finished before the dump',
        restoring({ ...lost, intents: lost.intents.map((one) => ({ ...one, ...earlier })) }, number),
        [0, 1, 0, 0, 1],
      ],
      [
        'a lost key that booked again',
        restoring(evidence({}, [{ id: 'res_2' }], [{}, { reference: 'res_2', confirmation: 'AL2' }]), number),
        [1, 1, 0, 0, 0],
      ],
      [
        'a lost key that booked again, both reported and delivered twice',
        restoring(evidence({ isTwice: true }, [{ id: 'res_2' }], [{}, { reference: 'res_2', confirmation: 'AL2' }]), {
          ...number,
          res_2: { verdict: 'duplicate' },
        }),
        [1, 0, 0, 0, 0],
      ],
      [
        'a lost and reported one with two bookings',
        restoring(evidence({ answers: [unknown] }, [], twice), number),
        [1, 0, 0, 0, 0],
      ],
      [
        'a lost and reported one with two bookings, delivered twice',
        restoring(evidence({ answers: [unknown], isTwice: true }, [], twice), number),
        [0, 0, 0, 0, 0],
      ],
      [
        'a lost booking that was cancelled as requested',
        restoring(evidence({ cancel: 'done' }, [], [{ status: 'cancelled' }])),
        [0, 0, 0, 0, 0],
      ],
      [
        'a lost cancellation whose reservation was given up, because the supplier shows the booking as cancelled',
        restoring(evidence({ cancel: 'done' }, [{ state: 'failed', givenUpAt: 900 }], [{ status: 'cancelled' }])),
        [0, 0, 0, 0, 0],
      ],
      [
        'a lost cancellation whose reservation is shown to operators',
        restoring(evidence({ cancel: 'done' }, [{ state: 'manual_review' }], [{ status: 'cancelled' }])),
        [0, 0, 0, 0, 0],
      ],
      [
        'a booking of a restored reservation that was given up, and that no client cancelled',
        restoring(evidence({}, [{ state: 'failed', givenUpAt: 900 }], [{ status: 'cancelled' }])),
        [0, 0, 2, 0, 0],
      ],
      ['a lost booking that the supplier does not have', restoring(evidence({}, [], [])), [0, 0, 1, 0, 0]],
      ['a lost cancellation that the audit reports', restoring(revived, number), [0, 0, 0, 0, 0]],
      ['a lost cancellation that it does not report', restoring(revived), [0, 0, 3, 0, 0]],
      ['a lost change that the audit reports', restoring(changed, number), [0, 0, 0, 0, 0]],
      ['a lost change that it does not report', restoring(changed), [0, 0, 1, 0, 0]],
      [
        'another answer after the restore',
        restoring(
          evidence(
            {
              answers: [
                { ...no, status: 201, at: 900 },
                { status: 201, replayed: true, text: '201 other' },
              ],
            },
            [{}],
            [{}],
          ),
        ),
        [0, 0, 0, 0, 0],
      ],
      [
        'two answers after the restore',
        restoring(
          evidence(
            {
              answers: [
                { ...no, status: 201, at: 2_001 },
                { status: 201, replayed: true, text: '201 other' },
              ],
            },
            [{}],
            [{}],
          ),
        ),
        [0, 0, 0, 0, 1],
      ],
    ])('%s', (_case, judged, expected) => {
      expect(counts(judged)).toEqual(expected);
    });
  });
});
