import { setTimeout as wait } from 'node:timers/promises';
import { createCall, readKept } from '../proof/customer.js';
import type { BookEntry, Evidence, Intent, KeptReservation } from '../proof/evidence.js';
import { COUNTS, isProven, judge } from '../proof/judge.js';
import { OfferPool } from '../proof/offers.js';
import { planIntent, SETTLE_MS, SUPPLIERS } from '../proof/plan.js';
import { clientOf, runProof } from '../proof/proof.js';
import { reportLines } from '../proof/report.js';
import { type ProofWorld, startWorld } from '../proof/world.js';
import { describeWith } from '../support/binaries.js';

describeWith('redis-server', 'initdb')('bookings over two gateways that crash', () => {
  let world: ProofWorld;
  beforeAll(async () => {
    world = await startWorld();
  }, 60_000);
  afterAll(() => world.dispose(), 30_000);

  test.each(SUPPLIERS)(
    '%s: 100 concurrent creates with one key over both → one booking, 100 identical answers',
    async (supplier) => {
      const client = await clientOf(world);
      const plan = {
        ...planIntent(1, 0),
        key: `hundred-${supplier}`,
        supplier,
        fault: { name: 'slow', verb: 'slow(300)' },
        anyPrice: false,
      };
      const create = createCall(plan, await new OfferPool(client).take(supplier, 0));
      const replies = await Promise.all(Array.from({ length: 100 }, (_, at) => client.send(at, create)));
      expect(new Set(replies.map((reply) => `${reply?.status} ${reply?.text}`)).size).toBe(1);
      expect([
        replies[0]?.status,
        replies.filter((reply) => reply?.headers['idempotent-replayed'] === 'true').length,
      ]).toEqual([201, 99]);
      const { reservation } = JSON.parse(replies[0]?.text ?? '') as { reservation: { reservation_id: string } };
      const booked = (await world.books())[supplier]?.filter(
        ({ reference }) => reference === reservation.reservation_id,
      );
      expect(booked?.filter(({ status }) => status === 'confirmed')).toHaveLength(1);
      const rows = await world.query('select id from reservations where client_reference = $1', [plan.key]);
      expect(rows).toEqual([{ id: reservation.reservation_id }]);
      client.close();
    },
    30_000,
  );

  test('a change that a supplier carries out late never undoes a later one', async () => {
    const changedTwice = async (supplier: (typeof SUPPLIERS)[number]) => {
      const client = await clientOf(world);
      const plan = {
        ...planIntent(1, 0),
        key: `late-change-${supplier}`,
        supplier,
        fault: { name: 'none' },
        anyPrice: false,
      };
      const offer = await new OfferPool(client).take(supplier, 0);
      const created = await client.insist(0, createCall(plan, offer), () => undefined);
      const { reservation } = JSON.parse(created?.text ?? '') as { reservation: { reservation_id: string } };
      const path = `/cars/reservation/v1/${reservation.reservation_id}`;
      const change = (remark: string, headers = {}) =>
        client.send(0, { method: 'PATCH', path, body: { remark }, headers });
      expect((await change('first', { 'x-sandbox-scenario': `${supplier}=slow(3000)` }))?.status).toBe(500);
      const end = Date.now() + 15_000;
      let second = await change('second');
      while (second?.status === 400 && Date.now() < end) {
        await wait(100);
        second = await change('second');
      }
      expect(second?.status).toBe(204);
      await wait(SETTLE_MS);
      const booked = (await world.books())[supplier]?.find(({ reference }) => reference === reservation.reservation_id);
      const kept = await readKept(reservation.reservation_id, 1, client);
      client.close();
      return [supplier, booked?.remark, kept?.remark];
    };
    // Two dialects concurrently: each waits for the time after which a lost change counts as lost.
    expect(await Promise.all((['alpine', 'abg'] as const).map(changedTwice))).toEqual([
      ['alpine', 'second', 'second'],
      ['abg', 'second', 'second'],
    ]);
  }, 40_000);

  test('200 bookings with faults of every kind, kills, pauses, wrong clocks and outages: none duplicated, none lost', async () => {
    const strikes = { kills: 2, databaseRestarts: 1, fullDisks: 1, clockSteps: 1, pauses: 1 };
    const options = { bookings: 200, seed: 7, strikes, concurrency: 32, tell: () => undefined };
    const result = await runProof(world, options);
    console.log(reportLines(result).join('\n'));
    // A run with few bookings would prove little.
    for (const supplier of SUPPLIERS) {
      const confirmed = result.evidence.reservations.filter(
        (one) => one.supplier === supplier && one.state === 'confirmed',
      );
      expect([supplier, confirmed.length >= 10]).toEqual([supplier, true]);
    }
    expect(result.strikes).toMatchObject(strikes);
    expect(COUNTS.flatMap((count) => result.verdict[count])).toEqual([]);
  }, 150_000);
});

describe('the judge of the proof', () => {
  const booked = { email: 'ada@example.com', flight: '', remark: '' };
  const intent: Intent = {
    key: 'key-1',
    supplier: 'alpine',
    fault: 'none',
    booked,
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
      evidence({}, [{}], [{}, { confirmation: 'AL2', reference: 'res_9' }]),
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
});
