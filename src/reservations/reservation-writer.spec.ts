import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { pino } from 'pino';
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
const reply = { request, answer: ({ version }: Reservation) => ({ status: 201, headers: {}, body: `${version}` }) };
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
  return { repository, keeper: new ReservationWriter(repository.asRepository, logger), lines, errors };
}

describe('a move before the supplier is called', () => {
  it('is stored, or not at all when somebody was first', async () => {
    const before = reservationIn('confirmed');
    const { repository, keeper } = world(before);
    const move: Move = { to: 'cancel_pending', actor: 'application', reason: 'asked for', at: AT };
    expect(await keeper.move(before, move)).toEqual(moved(before, move));
    expect(await keeper.move(before, { ...move, to: 'modify_pending' })).toBeUndefined();
    expect(repository.reservations.get(before.id)?.state).toBe('cancel_pending');
  });

  it('rejects when the database is away: nothing is sent then', async () => {
    const before = reservationIn('confirmed');
    const { repository, keeper } = world(before);
    repository.trouble.push(away);
    await expect(keeper.move(before, { ...booked, to: 'cancel_pending' })).rejects.toThrow('away');
  });
});

describe('what a supplier has said', () => {
  it('is stored with the answer made of what was stored', async () => {
    const before = sampleReservation();
    const { repository, keeper, errors } = world();
    await repository.insert(before, request);
    expect(await keeper.keep(before, booked, reply)).toEqual(moved(before, booked));
    expect((await repository.findKey('app_a', 'k'))?.answer?.body).toBe('2');
    expect(errors()).toEqual([]);
  });

  it('is stored once when the acknowledgement was lost', async () => {
    const before = sampleReservation();
    const { repository, keeper, errors } = world(before);
    repository.trouble.push({ after: new Error('connection lost') });
    expect(await keeper.keep(before, booked)).toEqual(moved(before, booked));
    expect(repository.reservations.get(before.id)?.history).toHaveLength(2);
    expect(errors()).toEqual([]);
  });

  it('is stored on top of what came meanwhile, with its answer', async () => {
    const before = sampleReservation();
    const { repository, keeper } = world();
    await repository.insert(before, request);
    const orphaned = moved(before, { to: 'unknown', actor: 'reconciler', reason: 'the gateway stopped', at: AT - 1 });
    await repository.update(orphaned);
    expect(await keeper.keep(before, booked, reply)).toEqual(moved(orphaned, booked));
    expect((await repository.findKey('app_a', 'k'))?.answer?.body).toBe('3');
  });

  it('is nothing new when somebody has stored the same; the request gets its answer all the same', async () => {
    const before = sampleReservation();
    const { repository, keeper, errors } = world();
    await repository.insert(before, request);
    const found = moved(before, { ...booked, actor: 'reconciler', at: AT - 1 });
    await repository.update(found);
    expect(await keeper.keep(before, booked, reply)).toEqual(found);
    expect(errors()).toEqual([]);
    expect((await repository.findKey('app_a', 'k'))?.answer?.body).toBe('2');
  });

  it('waits for a database that was away for a moment', async () => {
    const before = sampleReservation();
    const { repository, keeper, errors } = world(before);
    repository.trouble.push(away, away, away);
    expect(await keeper.keep(before, booked)).toMatchObject({ state: 'confirmed', version: 2 });
    expect(errors()).toEqual([]);
  });

  it('is a contradiction that is logged and changes nothing where the table has no such move', async () => {
    const before = sampleReservation();
    const failed = moved(before, { to: 'failed', actor: 'reconciler', reason: 'absent', at: AT - 1 });
    const { repository, keeper, errors } = world(failed);
    expect(await keeper.keep(before, booked)).toBeUndefined();
    await wait(10);
    expect(repository.reservations.get(before.id)).toEqual(failed);
    expect(errors()).toContain('what the supplier said contradicts what is stored: a person must look');
    expect(errors()).not.toContain('the database is away: what the supplier said is kept in memory');
  });

  it('does not end a cancellation that began after it was stored, when its acknowledgement was lost', async () => {
    const before = sampleReservation();
    const { repository, keeper } = world(before);
    const stored = moved(before, booked);
    const cancelling = moved(stored, { to: 'cancel_pending', actor: 'application', reason: 'asked for', at: AT + 5 });
    repository.trouble.push({ after: new Error('connection lost') });
    const kept = keeper.keep(before, booked);
    repository.has(cancelling);
    await kept;
    expect(repository.reservations.get(before.id)).toEqual(cancelling);
  });

  it('does not bring back personal data that were erased meanwhile', async () => {
    const before = reservationIn('modify_pending');
    const { personal: _personal, change: _change, ...rest } = before;
    const erased = { ...rest, version: before.version + 1 };
    const { repository, keeper } = world(erased);
    const changed: Move = {
      ...booked,
      reason: 'changed: remark',
      patch: { personal: samplePersonal, change: undefined },
    };
    await keeper.keep(before, changed);
    expect(repository.reservations.get(before.id)).toMatchObject({ state: 'confirmed' });
    expect(repository.reservations.get(before.id)).not.toHaveProperty('personal');
  });

  it('of a reservation that is gone is given up', async () => {
    const { keeper } = world();
    expect(await keeper.keep(sampleReservation(), booked)).toBeUndefined();
  });
});

describe('a database that stays away', () => {
  let skippedMs = 0;
  const realNow = Date.now;
  beforeEach(() => {
    skippedMs = 0;
    jest.spyOn(Date, 'now').mockImplementation(() => realNow() + skippedMs);
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });
  const troubled = (times: number) => Array.from({ length: times }, () => away);

  it('lets the request go after three seconds; the process goes on and stores the move when the database is back, and as answer what the caller was told', async () => {
    const before = sampleReservation();
    const { repository, keeper, lines, errors } = world();
    await repository.insert(before, request);
    repository.trouble.push(...troubled(4));
    const kept = keeper.keep(before, booked, reply);
    skippedMs = 2_900;
    await wait(20);
    expect(errors()).toEqual([]);
    skippedMs = 3_000;
    expect(await kept).toBeUndefined();
    expect(errors()).toEqual(['the database is away: what the supplier said is kept in memory']);
    expect(repository.reservations.get(before.id)).toEqual(before);
    skippedMs += 890_000;
    await wait(300);
    expect(lines.at(-1)?.msg).toBe('stored after the database came back');
    expect(repository.reservations.get(before.id)).toEqual(moved(before, booked));
    expect((await repository.findKey('app_a', 'k'))?.answer?.body).toBe('1');
  });

  it('is given up after a quarter of an hour', async () => {
    const before = sampleReservation();
    const { repository, keeper, errors } = world(before);
    repository.trouble.push(...troubled(100));
    const kept = keeper.keep(before, booked);
    skippedMs = 3_000;
    await kept;
    skippedMs += 900_000;
    await wait(120);
    expect(errors().at(-1)).toBe('given up storing: the reconciler must find out');
    const { writes } = repository;
    await wait(250);
    expect(repository.writes).toBe(writes);
  });
});

describe('a confirmation number that belongs to another reservation', () => {
  it('proves nothing: the booking is unknown, without the number', async () => {
    const before = sampleReservation({ nextCheckAt: MADE_AT + 15_000 });
    const { repository, keeper } = world(before);
    repository.trouble.push(taken);
    const after = await keeper.keep(before, booked);
    expect(after).toMatchObject({ state: 'unknown', version: 2 });
    expect(after).not.toHaveProperty('confirmationNumber');
    expect(repository.reservations.get(before.id)).toEqual(after);
  });

  it('is looked at again: what is unknown always is', async () => {
    const before = sampleReservation({ nextCheckAt: MADE_AT + 15_000 });
    const { repository, keeper } = world(before);
    repository.trouble.push(taken);
    expect((await keeper.keep(before, booked))?.nextCheckAt).toEqual(expect.any(Number));
  });

  it('goes to a person when the reconciler found it', async () => {
    const before = reservationIn('unknown');
    const { repository, keeper } = world(before);
    repository.trouble.push(taken);
    const after = await keeper.keep(before, { ...booked, actor: 'reconciler' });
    expect(after).toMatchObject({
      state: 'manual_review',
      history: expect.arrayContaining([expect.objectContaining({ actor: 'reconciler' })]),
    });
  });

  it('takes nothing from a changed booking that has its own number', async () => {
    const before = reservationIn('modify_pending', { confirmationNumber: 'CN7' });
    const { repository, keeper } = world(before);
    repository.trouble.push(taken);
    expect(await keeper.keep(before, booked)).toMatchObject({ state: 'unknown', confirmationNumber: 'CN7' });
  });

  it('of a request that was accepted by hand changes nothing', async () => {
    const before = reservationIn('on_request', { confirmationNumber: 'CN7' });
    const { repository, keeper } = world(before);
    repository.trouble.push(taken);
    await expect(keeper.move(before, { ...booked, actor: 'reconciler' })).rejects.toThrow();
    expect(repository.reservations.get(before.id)).toEqual(before);
  });

  it('is stored as unknown however long the database is away in between', async () => {
    const before = sampleReservation();
    const { repository, keeper } = world(before);
    repository.trouble.push(taken, away);
    expect(await keeper.keep(before, booked)).toMatchObject({ state: 'unknown' });
  });
});
