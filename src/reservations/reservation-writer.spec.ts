import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { pino } from 'pino';
import { configSchema } from '../config/config.schema.js';
import { MemoryRepository } from './fixtures/memory-repository.js';
import { MADE_AT, reservationIn, samplePersonal, sampleReservation } from './fixtures/sample-reservation.js';
import { type Move, moved, type Reservation } from './reservation.js';
import { ReservationWriter } from './reservation-writer.js';

const AT = MADE_AT + 60_000;
const booked: Move = {
  to: 'confirmed',
  actor: 'gateway',
  reason: 'booked',
  at: AT,
  patch: { confirmationNumber: 'CN1', nextCheckAt: undefined },
};
const request = { applicationId: 'app_a', key: 'k', bodyHash: 'hash' };
/** As it is stored: what is confirmed is looked up once more. */
const lookedUp: Move = { ...booked, patch: { ...booked.patch, nextCheckAt: AT + 120_000, checks: 0 } };
const answerOf = (body: string) => ({ status: 201, headers: {}, body });
const reply = { request, answer: ({ version }: Reservation) => answerOf(`${version}`) };
const away = { before: new Error('away') };
const taken = {
  before: new Error('query failed', { cause: Object.assign(new Error('duplicate key'), { code: '23505' }) }),
};

function world(...reservations: readonly Reservation[]) {
  const lines: { level: number; msg: string }[] = [];
  const logger = pino(
    { level: 'info' },
    { write: (line: string) => lines.push(JSON.parse(line) as { level: number; msg: string }) },
  );
  const repository = new MemoryRepository().has(...reservations);
  const errors = () => lines.filter(({ level }) => level >= 50).map(({ msg }) => msg);
  return {
    repository,
    writer: new ReservationWriter(repository.asRepository, configSchema.parse({}), logger),
    lines,
    errors,
  };
}

it('a booking of something else than accepted is logged once', async () => {
  const before = sampleReservation();
  const { writer, lines } = world(before);
  const view = { ...before.view, booked_differently: { sipp_code: 'MBMR' } };
  const after = await writer.move(before, { ...booked, patch: { ...booked.patch, view } });
  if (!after) throw new Error('not stored');
  await writer.move(after, { to: 'cancel_pending', actor: 'application', reason: 'requested', at: AT });
  expect(lines).toMatchObject([
    { level: 40, reservation: before.id, supplier: 'uno', differences: { sipp_code: 'MBMR' } },
  ]);
});

it('a card that a supplier needs is logged if its answer says so, not if the offer of a change does', async () => {
  const { view, rental } = sampleReservation();
  const wanting = { ...view, requirements: { ...view.requirements, credit_card_required: true } };
  const logged = async (offered: Reservation['view']) => {
    const change = { kinds: ['extras' as const], rental, view: offered, personal: samplePersonal };
    const before = { ...reservationIn('modify_pending', { change }), payment: { type: 'counter' as const } };
    const { writer, lines } = world(before);
    await writer.move(before, { ...booked, reason: 'changed', patch: { view: wanting, change: undefined } });
    return lines.map(({ msg }) => msg);
  };
  expect(await logged(view)).toEqual(['the supplier needs a card to finish a booking without one']);
  expect(await logged(wanting)).toEqual([]);
});

it.each<[string, object, number | undefined]>([
  ['as often as second bookings', {}, AT + 120_000],
  ['also if second bookings never are', { reservations: { secondCheckSeconds: 0 } }, AT + 120_000],
])('an extra that the supplier has not confirmed is looked up, %s', async (_when, settings, at) => {
  const before = reservationIn('confirmed');
  const { repository, writer } = world(before);
  const own = new ReservationWriter(repository.asRepository, configSchema.parse(settings), pino({ enabled: false }));
  const view = { ...before.view, booked_differently: { unconfirmed_extras: ['CSI'] } };
  const move: Move = { to: 'confirmed', actor: 'gateway', reason: 'looked up', at: AT, patch: { view } };
  const after = await own.move(before, move);
  expect([after?.nextCheckAt, after?.checks]).toEqual([at, 0]);
  if (!after) throw new Error('not stored');
  // What is being looked up keeps its pause.
  expect((await writer.move(after, { ...move, patch: {} }))?.nextCheckAt).toBe(at);
});

describe('a move before the supplier is called', () => {
  it('is stored, or not at all if another change came first', async () => {
    const before = reservationIn('confirmed');
    const { repository, writer } = world(before);
    const move: Move = { to: 'cancel_pending', actor: 'application', reason: 'requested', at: AT };
    expect(await writer.move(before, move)).toEqual(moved(before, move));
    expect(await writer.move(before, { ...move, to: 'modify_pending' })).toBeUndefined();
    expect(repository.reservations.get(before.id)?.state).toBe('cancel_pending');
  });

  it('rejects if the database is unavailable, so that nothing is sent', async () => {
    const before = reservationIn('confirmed');
    const { repository, writer } = world(before);
    repository.failures.push(away);
    await expect(writer.move(before, { ...booked, to: 'cancel_pending' })).rejects.toThrow('away');
  });
});

describe('a request whose connection breaks while it is stored', () => {
  const before = reservationIn('confirmed');
  const wanted: Move = { to: 'cancel_pending', actor: 'application', reason: 'requested', at: AT };
  const BROKEN = new Error('Connection terminated unexpectedly');
  const soon = () => performance.now() + 200;

  it.each([
    ['after the commit', { after: BROKEN }],
    ['before it', { before: BROKEN }],
  ])('is stored once, and sent: %s', async (_when, failure) => {
    const { repository, writer } = world(before);
    repository.failures.push(failure);
    expect(await writer.request(before, wanted, soon())).toEqual(moved(before, wanted));
    expect(repository.reservations.get(before.id)).toEqual(moved(before, wanted));
  });

  it('is not sent if another request came first', async () => {
    const other = moved(before, { ...wanted, reason: 'another' });
    const { repository, writer } = world(other);
    repository.failures.push({ before: BROKEN });
    expect(await writer.request(before, wanted, soon())).toBeUndefined();
    expect(repository.reservations.get(before.id)).toEqual(other);
  });

  it('is not sent a second time if a reconciler has taken it over', async () => {
    const { repository, writer } = world(
      moved(moved(before, wanted), { ...wanted, to: 'cancel_unknown', actor: 'reconciler', reason: 'orphan' }),
    );
    repository.failures.push({ before: BROKEN });
    await expect(writer.request(before, wanted, soon())).rejects.toMatchObject({ status: 503, ...IN_DOUBT });
  });

  it('is in doubt if the database stays away, and only then', async () => {
    const { repository, writer } = world(before);
    repository.failures.push({ after: BROKEN });
    repository.get = () => Promise.reject(refused);
    await expect(writer.request(before, wanted, soon())).rejects.toMatchObject({ status: 503, ...IN_DOUBT });
    const never = world(before);
    never.repository.failures.push(...Array.from({ length: 9 }, () => ({ before: refused })));
    await expect(never.writer.request(before, wanted, soon())).rejects.toBe(refused);
  });

  const refused = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
  const IN_DOUBT = { problems: [{ cause: 'outcome_unknown', details: expect.stringContaining('has stored it') }] };
});

describe('the result of a supplier call', () => {
  it('is stored with the response built from the stored reservation', async () => {
    const before = sampleReservation();
    const { repository, writer, errors } = world();
    await repository.insert(before, request);
    expect(await writer.storeResult(before, booked, reply)).toEqual({
      reservation: moved(before, lookedUp),
      answer: answerOf('2'),
    });
    expect((await repository.findKey('app_a', 'k'))?.answer?.body).toBe('2');
    expect(errors()).toEqual([]);
  });

  it('is stored once if the acknowledgement was lost', async () => {
    const before = sampleReservation();
    const { repository, writer, errors } = world(before);
    repository.failures.push({ after: new Error('connection lost') });
    expect(await writer.storeResult(before, booked)).toEqual({ reservation: moved(before, lookedUp) });
    expect(repository.reservations.get(before.id)?.history).toHaveLength(2);
    expect(errors()).toEqual([]);
  });

  it('is stored on top of a concurrent move by the reconciler, with its response', async () => {
    const before = sampleReservation();
    const { repository, writer } = world();
    await repository.insert(before, request);
    const orphaned = moved(before, { to: 'unknown', actor: 'reconciler', reason: 'the gateway stopped', at: AT - 1 });
    await repository.update(orphaned);
    expect((await writer.storeResult(before, booked, reply))?.reservation).toEqual(moved(orphaned, lookedUp));
    expect((await repository.findKey('app_a', 'k'))?.answer?.body).toBe('3');
  });

  it('is judged by what came after it, although only the newest rows of a very long history are read', async () => {
    const before = reservationIn('modify_pending');
    const read = (of: Reservation): Reservation => ({ ...of, history: of.history.slice(-2) });
    const cancelled = moved(moved(before, { ...booked, actor: 'reconciler' }), {
      to: 'cancel_pending',
      actor: 'application',
      reason: 'cancellation requested',
      at: AT,
    });
    const { writer, errors } = world(read(cancelled));
    expect((await writer.storeResult(read(before), booked))?.reservation.state).toBe('cancel_pending');
    expect(errors()).toEqual([expect.stringContaining('contradicts the stored reservation')]);
  });

  it('is not stored again if the reconciler stored the same state; the request still gets its response', async () => {
    const before = sampleReservation();
    const { repository, writer, errors } = world();
    await repository.insert(before, request);
    const found = moved(before, { ...booked, actor: 'reconciler', at: AT - 1 });
    await repository.update(found);
    expect(await writer.storeResult(before, booked, reply)).toEqual({ reservation: found, answer: answerOf('2') });
    expect(errors()).toEqual([]);
    expect((await repository.findKey('app_a', 'k'))?.answer?.body).toBe('2');
  });

  it('waits for a database that is unavailable for a moment', async () => {
    const before = sampleReservation();
    const { repository, writer, errors } = world(before);
    repository.failures.push(away, away, away);
    expect((await writer.storeResult(before, booked))?.reservation).toMatchObject({ state: 'confirmed', version: 2 });
    expect(errors()).toEqual([]);
  });

  it('is logged as a contradiction and changes nothing if the transition table does not allow the move', async () => {
    const before = sampleReservation();
    const { repository, writer, errors } = world();
    await repository.insert(before, request);
    const given = moved(before, { to: 'on_request', actor: 'reconciler', reason: 'found', at: AT - 1 });
    const rejected = moved(given, { to: 'rejected', actor: 'reconciler', reason: 'not accepted', at: AT - 1 });
    repository.has(rejected);
    const stored = await writer.storeResult(before, booked, reply);
    expect(stored).toEqual({ reservation: rejected, answer: answerOf('3') });
    expect((await repository.findKey('app_a', 'k'))?.answer).toEqual(answerOf('3'));
    await wait(10);
    expect(repository.reservations.get(before.id)).toEqual(rejected);
    expect(errors()).toContain(
      'the result of the supplier call contradicts the stored reservation: manual review required',
    );
    expect(errors()).not.toContain('the database is unavailable: keeping the result of the supplier call in memory');
  });

  it('does not end a later cancellation if its own acknowledgement was lost', async () => {
    const before = sampleReservation();
    const { repository, writer } = world(before);
    const stored = moved(before, lookedUp);
    const cancelling = moved(stored, { to: 'cancel_pending', actor: 'application', reason: 'requested', at: AT + 5 });
    repository.failures.push({ after: new Error('connection lost') });
    const result = writer.storeResult(before, booked);
    repository.has(cancelling);
    await result;
    expect(repository.reservations.get(before.id)).toEqual(cancelling);
  });

  it('does not restore personal data that was erased since', async () => {
    const before = reservationIn('modify_pending');
    const { personal: _personal, change: _change, ...rest } = before;
    const erased = moved(rest, { to: 'modify_pending', actor: 'ops', reason: 'personal data erased', at: AT - 1 });
    const { repository, writer } = world(erased);
    const changed: Move = {
      ...booked,
      reason: 'changed: remark',
      patch: { personal: samplePersonal, change: undefined },
    };
    await writer.storeResult(before, changed);
    expect(repository.reservations.get(before.id)).toMatchObject({ state: 'confirmed' });
    expect(repository.reservations.get(before.id)).not.toHaveProperty('personal');
  });

  it('goes to manual review if the reservation was given up in the meantime, perhaps with a response that says so', async () => {
    const before = sampleReservation();
    const { repository, writer, errors } = world();
    await repository.insert(before, request);
    const failed = moved(before, { to: 'failed', actor: 'reconciler', reason: 'absent', at: AT - 1 });
    repository.has(failed);
    const stored = await writer.storeResult(before, booked, reply);
    expect(stored?.reservation).toMatchObject({ state: 'manual_review', confirmationNumber: 'CN1' });
    expect(stored?.reservation.history.at(-1)).toMatchObject({ from: 'failed', actor: 'gateway' });
    expect([stored?.answer, errors()]).toEqual([answerOf('3'), []]);
  });

  it('is given as it was stored: a response that another request stored first is the response of both', async () => {
    const before = sampleReservation();
    const { repository, writer } = world();
    await repository.insert(before, request);
    await repository.storeAnswer(before.id, request, answerOf('first'));
    expect(await writer.storeResult(before, booked, reply)).toMatchObject({ answer: answerOf('first') });
    const unclear: Move = { to: 'unknown', actor: 'gateway', reason: 'no answer', at: AT };
    const orphaned = moved(before, { to: 'unknown', actor: 'reconciler', reason: 'the gateway stopped', at: AT - 1 });
    const other = world();
    await other.repository.insert(before, request);
    await other.repository.update(orphaned);
    expect(await other.writer.storeResult(before, unclear, reply)).toMatchObject({ answer: answerOf('2') });
    expect((await other.repository.findKey('app_a', 'k'))?.answer).toEqual(answerOf('2'));
  });

  it('is dropped if the reservation no longer exists', async () => {
    const { writer } = world();
    expect(await writer.storeResult(sampleReservation(), booked)).toBeUndefined();
  });
});

describe('a database that stays unavailable', () => {
  let skippedMs = 0;
  const realNow = performance.now.bind(performance);
  beforeEach(() => {
    skippedMs = 0;
    jest.spyOn(performance, 'now').mockImplementation(() => realNow() + skippedMs);
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });
  const troubled = (times: number) => Array.from({ length: times }, () => away);

  it('releases the request after three seconds; the process keeps retrying and finally stores the move with its response', async () => {
    const before = sampleReservation();
    const { repository, writer, lines, errors } = world();
    await repository.insert(before, request);
    repository.failures.push(...troubled(4));
    const result = writer.storeResult(before, booked, reply);
    skippedMs = 2_900;
    await wait(20);
    expect(errors()).toEqual([]);
    skippedMs = 3_000;
    expect(await result).toBeUndefined();
    expect(errors()).toEqual(['the database is unavailable: keeping the result of the supplier call in memory']);
    expect(repository.reservations.get(before.id)).toEqual(before);
    skippedMs += 890_000;
    await wait(300);
    expect(lines.at(-1)?.msg).toBe('stored the result after the database recovered');
    expect(repository.reservations.get(before.id)).toEqual(moved(before, lookedUp));
    expect((await repository.findKey('app_a', 'k'))?.answer?.body).toBe('2');
  });

  it('makes the process give up after 15 minutes', async () => {
    const before = sampleReservation();
    const { repository, writer, errors } = world(before);
    repository.failures.push(...troubled(100));
    const result = writer.storeResult(before, booked);
    skippedMs = 3_000;
    await result;
    skippedMs += 900_000;
    await wait(120);
    expect(errors().at(-1)).toBe('gave up storing the result: the reconciler must find it');
    const { writes } = repository;
    await wait(250);
    expect(repository.writes).toBe(writes);
  });
});

describe('a confirmation number that belongs to another reservation', () => {
  it('proves nothing: the booking becomes unknown, without the number', async () => {
    const before = sampleReservation({ nextCheckAt: MADE_AT + 15_000 });
    const { repository, writer } = world(before);
    repository.failures.push(taken);
    const after = (await writer.storeResult(before, booked))?.reservation;
    expect(after).toMatchObject({ state: 'unknown', version: 2 });
    expect(after).not.toHaveProperty('confirmationNumber');
    expect(repository.reservations.get(before.id)).toEqual(after);
  });

  it('leaves the booking due for another check', async () => {
    const before = sampleReservation({ nextCheckAt: MADE_AT + 15_000 });
    const { repository, writer } = world(before);
    repository.failures.push(taken);
    expect((await writer.storeResult(before, booked))?.reservation.nextCheckAt).toEqual(expect.any(Number));
  });

  it('leads to manual review if the reconciler found it', async () => {
    const before = reservationIn('unknown');
    const { repository, writer } = world(before);
    repository.failures.push(taken);
    const after = (await writer.storeResult(before, { ...booked, actor: 'reconciler' }))?.reservation;
    expect(after).toMatchObject({
      state: 'manual_review',
      history: expect.arrayContaining([expect.objectContaining({ actor: 'reconciler' })]),
    });
  });

  it('leads to manual review if it is that of a late booking', async () => {
    const before = reservationIn('failed');
    const { repository, writer } = world(before);
    repository.failures.push(taken);
    expect(await writer.move(before, { ...booked, actor: 'reconciler' })).toMatchObject({ state: 'manual_review' });
  });

  it('does not replace the number of a changed booking', async () => {
    const before = reservationIn('modify_pending', { confirmationNumber: 'CN7' });
    const { repository, writer } = world(before);
    repository.failures.push(taken);
    expect((await writer.storeResult(before, booked))?.reservation).toMatchObject({
      state: 'unknown',
      confirmationNumber: 'CN7',
    });
  });

  it('leads to manual review if it is that of a request that was accepted manually, which keeps its own', async () => {
    const before = reservationIn('on_request', { confirmationNumber: 'CN7' });
    const { repository, writer } = world(before);
    repository.failures.push(taken);
    const after = await writer.move(before, { ...booked, actor: 'reconciler' });
    expect(after).toMatchObject({ state: 'manual_review', confirmationNumber: 'CN7' });
  });

  it('is stored as unknown even if the database was unavailable in between', async () => {
    const before = sampleReservation();
    const { repository, writer } = world(before);
    repository.failures.push(taken, away);
    expect((await writer.storeResult(before, booked))?.reservation).toMatchObject({ state: 'unknown' });
  });
});
