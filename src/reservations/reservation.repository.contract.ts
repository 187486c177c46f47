import { createSecretKey, type KeyObject } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { sql } from 'drizzle-orm';
import { pino } from 'pino';
import { withoutTriggers } from '../../test/support/migrated-database.js';
import { rowsScanned } from '../../test/support/rows-read.js';
import { configSchema } from '../config/config.schema.js';
import { byIndex, ONLY_BY_INDEX, rowsSaved } from '../database/by-index.js';
import type { Database } from '../database/database.js';
import { createPartitions } from '../database/time-partitions.js';
import { PLACES, takeDueStatement } from './due-reservations.js';
import {
  MADE_AT,
  PAIRS,
  reservationIn,
  samplePersonal,
  sampleRental,
  sampleReservation,
  sampleView,
  TRACES,
  wayTo,
} from './fixtures/sample-reservation.js';
import { ABOUT_RENTERS, PersonalData } from './personal-data.js';
import { QuoteUses } from './quote-uses.js';
import { moved, type Reservation } from './reservation.js';
import { ReservationRepository, type StoredAnswer } from './reservation.repository.js';
import type { RequestKey } from './reservation-insertion.js';
import { ReservationKeys } from './reservation-keys.js';
import { canMove, STATES, type State, TRANSITIONS } from './states.js';

const derived: KeyObject = createSecretKey(Buffer.alloc(32, 5));
const KEY_ONE = `1:${Buffer.alloc(32, 1).toString('base64')}`;
const KEY_TWO = `2:${Buffer.alloc(32, 2).toString('base64')}`;
const HOUR_MS = 3_600_000;
/** How long a statement may take on a busy machine. */
const NEAR_MS = 2_000;

const answer: StoredAnswer = {
  status: 201,
  headers: { etag: '"2"' },
  body: `{"driver":"${samplePersonal.driver.lastName}"}`,
};

function keyOf(key: string, bodyHash = 'hash') {
  return { applicationId: 'app_a', key, bodyHash };
}

/** The error code of the driver, from anywhere in the chain of causes. */
async function codeOf(run: Promise<unknown>): Promise<unknown> {
  try {
    await run;
  } catch (error) {
    for (let current = error; current instanceof Error; current = current.cause)
      if ('code' in current) return current.code;
    throw error;
  }
  return undefined;
}

/**
 * The suite that ReservationRepository passes on every database. `open` returns a migrated, empty database, which is
 * closed at the end.
 */
export function reservationRepositoryContract(name: string, open: () => Promise<Database>): void {
  describe(`ReservationRepository on ${name}`, () => {
    let database: Database;
    let repository: ReservationRepository;
    const withKeys = (personalDataKeys?: string, environment = 'sandbox') =>
      new ReservationRepository(database, configSchema.parse({ personalDataKeys, environment }), () => derived);
    const keysOf = (personalDataKeys?: string, environment = 'sandbox') =>
      new ReservationKeys(database, configSchema.parse({ personalDataKeys, environment }), () => derived);
    const rows = <T>(text: string) => database.rows<T>(sql.raw(text));
    const now = () => repository.now();

    /** The times that are compared with the database's clock are stored as the time until then. */
    const expectStored = async ({ sentUntil, nextCheckAt, ...rest }: Reservation, by = repository) => {
      const { sentUntil: storedSent, nextCheckAt: storedCheck, ...stored } = (await by.get(rest.id)) ?? {};
      expect(stored).toEqual(rest);
      expect(Math.abs(Number(storedSent) - sentUntil)).toBeLessThan(NEAR_MS);
      if (nextCheckAt === undefined) expect(storedCheck).toBeUndefined();
      else expect(Math.abs(Number(storedCheck) - nextCheckAt)).toBeLessThan(NEAR_MS);
    };

    beforeAll(async () => {
      database = await open();
      await rows(`insert into accounts (id, environment, name, tier) values
        ('acc_a', 'sandbox', 'a', 'demo'), ('acc_c', 'sandbox', 'c', 'demo'), ('acc_p', 'production', 'p', 'demo')`);
      await rows(`insert into applications (id, account_id, name, client_id, environment, tier) values
        ('app_a', 'acc_a', 'a', 'client_a', 'sandbox', 'demo'), ('app_b', 'acc_a', 'b', 'client_b', 'sandbox', 'demo'),
        ('app_c', 'acc_c', 'c', 'client_c', 'sandbox', 'demo'), ('app_p', 'acc_p', 'p', 'client_p', 'production', 'demo')`);
      repository = withKeys();
    }, 60_000);
    const EMPTIED = ['reservations', 'reservation_events', 'idempotency_keys'];
    let hasMany = false;
    beforeEach(async () => {
      // For few rows, replacing the files of tables and indexes takes 100 times as long as deleting them.
      if (hasMany) await rows(`truncate ${EMPTIED.join(', ')}`);
      else await withoutTriggers(database, ...EMPTIED.map((table) => `delete from ${table}`));
      hasMany = false;
    });
    afterAll(async () => {
      await database.close();
    });

    /** Stores a reservation with all versions of its history. */
    async function store(reservation: Reservation, by = repository): Promise<Reservation> {
      const [created, ...later] = reservation.history;
      if (!created) throw new Error('a reservation has a history');
      const { change, confirmationNumber, ...rest } = reservation;
      const first = { ...rest, state: created.to, version: 1, updatedAt: created.at, history: [created] };
      await by.insert(first, undefined);
      let current: Reservation = first;
      for (const [index, { to, actor, reason, at }] of later.entries()) {
        const patch = index === later.length - 1 ? { change, confirmationNumber } : {};
        current = moved(current, { to, actor, reason, at, patch });
        if (!(await by.update(current, patch))) throw new Error(`not stored: ${to}`);
      }
      return current;
    }

    /** Copies a reservation under other ids. In parts, because a statement may take a few seconds only. */
    const copies = async (id: string, count: number, changed: Readonly<Record<string, string>>) => {
      hasMany = true;
      const columns = (
        await rows<{ name: string }>(`select attname as name from pg_attribute
        where attrelid = 'reservations'::regclass and attnum > 0 and attname <> 'id'`)
      ).map(({ name }) => name);
      const values = { quote_digest: 'null', confirmation_number: 'null', ...changed };
      const valueFor = (name: string) => values[name as keyof typeof values] ?? name;
      await rows('alter table reservations disable trigger user');
      for (let made = 0; made < count; made += 4_000)
        await rows(`insert into reservations (id, ${columns.join(', ')})
          select 'res_' || number, ${columns.map(valueFor).join(', ')}
          from reservations, generate_series(${made + 1}, ${Math.min(count, made + 4_000)}) as number where id = '${id}'`);
      await rows('alter table reservations enable trigger user');
    };

    /** Has a statement fail as on a full disk. */
    const breakWrite = async () => {
      await expect(
        database.rows(sql`do $$ begin raise exception 'No space left on device' using errcode = '53100'; end $$`),
      ).rejects.toThrow();
    };

    describe('a new reservation', () => {
      it('is found as stored, by its own application only', async () => {
        const reservation = sampleReservation({
          clientReference: 'mine',
          payment: { type: 'card', lastFour: '1111' },
          nextCheckAt: MADE_AT + 5,
        });
        expect(await repository.insert(reservation, undefined)).toBe('stored');
        await expectStored(reservation);
        expect(await repository.find('app_a', reservation.id)).toEqual(await repository.get(reservation.id));
        expect(await repository.find('app_b', reservation.id)).toBeUndefined();
        expect(await repository.get('res_nobody')).toBeUndefined();
      });

      it('is read with the newest 500 rows of its history, however many there are', async () => {
        const { id } = await store(reservationIn('confirmed'));
        await rows(`insert into reservation_events (reservation_id, version, from_state, to_state, at, actor, reason)
          select '${id}', n, 'confirmed', 'confirmed', now(), 'reconciler', 'row ' || n from generate_series(3, 3000) n`);
        const reasons = (await repository.get(id))?.history.map(({ reason }) => reason) ?? [];
        expect([reasons.length, reasons[0], reasons.at(-1)]).toEqual([500, 'row 2501', 'row 3000']);
      });

      it('claims its key, which is then known without a response', async () => {
        const reservation = sampleReservation();
        expect(await repository.findKey('app_a', 'k')).toBeUndefined();
        await repository.insert(reservation, keyOf('k'));
        expect(await repository.findKey('app_a', 'k')).toEqual({ bodyHash: 'hash', reservationId: reservation.id });
        expect(await repository.findKey('app_b', 'k')).toBeUndefined();
        expect(await repository.findKey('app_a', undefined)).toBeUndefined();
      });

      it('is not stored if its key is taken; the key stays with the first reservation', async () => {
        const [first, second] = [sampleReservation(), sampleReservation()];
        await repository.insert(first, keyOf('k'));
        expect(await repository.insert(second, keyOf('k', 'other'))).toBe('key_taken');
        expect(await repository.get(second.id)).toBeUndefined();
        expect(await repository.findKey('app_a', 'k')).toEqual({ bodyHash: 'hash', reservationId: first.id });
        expect(await repository.insert(second, { ...keyOf('k'), applicationId: 'app_b' })).toBe('stored');
      });

      it('is stored once out of twenty concurrent ones with the same key', async () => {
        const made = await Promise.all(
          Array.from({ length: 20 }, () => repository.insert(sampleReservation(), keyOf('k'))),
        );
        expect(made.filter((insertion) => insertion === 'stored')).toHaveLength(1);
        expect(await rows('select id from reservations')).toHaveLength(1);
      });

      it('claims the keys of both secrets, so that a gateway with either or both stores no second one', async () => {
        const [old, next] = [
          { key: 'old', bodyHash: 'old hash' },
          { key: 'next', bodyHash: 'next hash' },
        ];
        const [before, after] = [
          { applicationId: 'app_a', ...old, other: next },
          { applicationId: 'app_a', ...next, other: old },
        ];
        const reservation = sampleReservation();
        expect(await repository.insert(reservation, before)).toBe('stored');
        for (const request of [before, after, keyOf('old'), keyOf('next')])
          expect(await repository.insert(sampleReservation(), request)).toBe('key_taken');
        const answer = { status: 201, headers: {}, body: 'booked' };
        await repository.storeAnswer(reservation.id, after, answer);
        for (const { key, bodyHash } of [old, next])
          expect(await repository.findKey('app_a', key)).toEqual({ bodyHash, reservationId: reservation.id, answer });
        // One that knows a single secret was first: nothing is stored, however the statement ends.
        await repository.insert(sampleReservation(), keyOf('alone'));
        const half = {
          applicationId: 'app_a',
          key: 'more',
          bodyHash: 'hash',
          other: { key: 'alone', bodyHash: 'hash' },
        };
        expect(await codeOf(repository.insert(sampleReservation(), half))).toBe('23503');
        expect(await repository.findKey('app_a', 'more')).toBeUndefined();
        expect(await rows('select id from reservations')).toHaveLength(2);
      });

      it('has one answer under the keys of both secrets, even if a gateway with one of them stored it', async () => {
        const other = { key: 'next', bodyHash: 'next hash' };
        const both = { ...keyOf('old'), other };
        const answerOf = (body: string) => ({ status: 201, headers: {}, body });
        const confirmed = async (request: RequestKey, answer: StoredAnswer) => {
          const reservation = sampleReservation();
          await repository.insert(reservation, both);
          const at = reservation.updatedAt + 1;
          const after = moved(reservation, { to: 'confirmed', actor: 'gateway', reason: 'booked', at });
          expect(await repository.updateAndAnswer(after, {}, request, answer)).toEqual(answer);
          return reservation.id;
        };
        await confirmed(both, answerOf('both'));
        expect((await repository.findKey('app_a', 'next'))?.answer).toEqual(answerOf('both'));
        await withoutTriggers(database, 'delete from idempotency_keys');
        const id = await confirmed(keyOf('old'), answerOf('first'));
        expect(await repository.storeAnswer(id, { ...keyOf('next'), other: keyOf('old') }, answerOf('late'))).toEqual(
          answerOf('first'),
        );
        expect((await repository.findKey('app_a', 'next'))?.answer).toEqual(answerOf('first'));
      });

      it('is not stored if its quote has made another one in its environment, and its key stays free', async () => {
        const [first, second] = [sampleReservation(), sampleReservation()];
        await repository.insert(first, undefined, 'digest');
        expect(await codeOf(repository.insert(second, keyOf('k'), 'digest'))).toBe('23505');
        expect(await repository.get(second.id)).toBeUndefined();
        expect(await repository.findKey('app_a', 'k')).toBeUndefined();
        expect(await repository.insert(second, keyOf('k'), 'another')).toBe('stored');
        expect(await repository.insert(sampleReservation(), undefined)).toBe('stored');
      });

      it('with the key and the quote of another one counts as a repetition of its key', async () => {
        const first = sampleReservation();
        await repository.insert(first, keyOf('k'), 'digest');
        expect(await repository.insert(sampleReservation(), keyOf('k'), 'digest')).toBe('key_taken');
      });

      it('frees its quote if nothing was sent to the supplier; a quote of the other environment is another one', async () => {
        const quotes = new QuoteUses(database, { environment: 'sandbox' }, pino({ level: 'silent' }));
        const [first, second] = [sampleReservation(), sampleReservation()];
        await repository.insert(first, undefined, 'digest');
        expect(await quotes.reservationOf('digest')).toBe(first.id);
        await withKeys(undefined, 'production').insert(
          sampleReservation({ applicationId: 'app_p' }),
          undefined,
          'digest',
        );
        await quotes.release(first.id);
        expect(await quotes.reservationOf('digest')).toBeUndefined();
        expect(await repository.insert(second, undefined, 'digest')).toBe('stored');
        await expectStored(first);
      });

      it('is not stored, nor its key, while too many of its account are unresolved at its supplier', async () => {
        const two = new ReservationRepository(
          database,
          configSchema.parse({ environment: 'sandbox', reservations: { unresolvedPerAccount: 2 } }),
          () => derived,
        );
        const insert = (of: Partial<Reservation> = {}) => two.insert(sampleReservation(of), keyOf('k'));
        await repository.insert(sampleReservation({ id: 'res_1' }), undefined);
        await store(reservationIn('confirmed'));
        await store({ ...reservationIn('unknown'), applicationId: 'app_b' });
        expect(await insert()).toBe('too_many_unresolved');
        expect(await repository.findKey('app_a', 'k')).toBeUndefined();
        expect(await insert({ supplier: 'dos' })).toBe('stored');
        expect(await rows('select id from reservations')).toHaveLength(4);
      });

      it.each([
        ['stored', () => repository.insert(sampleReservation(), keyOf('k'))],
        [
          'moved and answered',
          async () => {
            const after = await store(reservationIn('confirmed'));
            await breakWrite();
            return repository.updateAndAnswer({ ...after, version: after.version + 1 }, {}, keyOf('none'), answer);
          },
        ],
      ])('that is %s shows that the database can be written again', async (_name, write) => {
        await breakWrite();
        expect(database.writes.fault?.fault).toBe('full');
        await write();
        expect(database.writes.fault).toBeUndefined();
      });

      it('is not stored while too many of its account wait for a decision of its supplier', async () => {
        const two = new ReservationRepository(
          database,
          configSchema.parse({
            environment: 'sandbox',
            reservations: { onRequestPerAccount: 2, unresolvedPerAccount: 1 },
          }),
          () => derived,
        );
        await store(reservationIn('on_request'));
        await store({ ...reservationIn('on_request'), applicationId: 'app_b' });
        expect(await two.insert(sampleReservation(), keyOf('k'))).toBe('too_many_on_request');
        expect(await repository.findKey('app_a', 'k')).toBeUndefined();
        expect(await two.insert(sampleReservation({ supplier: 'dos' }), keyOf('k'))).toBe('stored');
        expect(await two.insert(sampleReservation({ supplier: 'dos' }), keyOf('l'))).toBe('too_many_unresolved');
      });

      it('is stored once out of twenty concurrent ones with the same quote', async () => {
        const made = await Promise.allSettled(
          Array.from({ length: 20 }, (_, index) =>
            repository.insert(sampleReservation(), index % 2 ? keyOf(`k${index}`) : undefined, 'digest'),
          ),
        );
        expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
        expect(await rows('select id from reservations')).toHaveLength(1);
      });

      it('must start as pending, version 1', async () => {
        expect(await codeOf(repository.insert(sampleReservation({ version: 2 }), undefined))).toBe('23514');
        expect(await codeOf(repository.insert(sampleReservation({ state: 'confirmed' }), undefined))).toBe('23514');
      });

      it('keeps the times of its history to the millisecond', async () => {
        for (const ms of [0, 1, 499, 500, 999]) {
          const at = Date.parse('2027-03-28T01:59:59.000Z') + ms;
          const reservation = sampleReservation({
            sentUntil: at + 1,
            nextCheckAt: at + 2,
            createdAt: at,
            updatedAt: at,
          });
          const created = { ...reservation, history: reservation.history.map((row) => ({ ...row, at })) };
          await repository.insert(created, undefined);
          await expectStored(created);
        }
      });

      it('keeps all members of rental and view in order', async () => {
        const view = {
          ...sampleView,
          zebra: 1,
          alpha: { y: [], x: {} },
          text: 'naïve "quoted" \\ \u0000 \ud83d\ude97 \u2028',
          big: 9_007_199_254_740_991,
          cents: 0.1,
          none: null,
        };
        const { ref: _ref, ...rest } = sampleReservation().rental;
        const reservation = sampleReservation({ view, rental: { ref: { z: '1', a: true, m: -3.5 }, ...rest } });
        await repository.insert(reservation, undefined);
        const found = await repository.get(reservation.id);
        expect(JSON.stringify([found?.view, found?.rental])).toBe(
          JSON.stringify([reservation.view, reservation.rental]),
        );
      });
    });

    describe('a change', () => {
      it('is stored completely on top of the version it changes, and removes absent members', async () => {
        const stored = await store(
          reservationIn('modify_pending', {
            confirmationNumber: 'CN1',
            change: {
              kinds: ['remark'],
              rental: sampleReservation().rental,
              view: { ...sampleView, rental_days: 9 },
              personal: samplePersonal,
            },
          }),
        );
        await expectStored(stored);
        const full = {
          priceDrift: { accepted: { amountMinor: 1, currency: 'USD' }, actual: { amountMinor: 2, currency: 'USD' } },
          cancellation: { fee: { amountMinor: 5, currency: 'JPY' }, cancellationNumber: 'X', at: MADE_AT },
          nextCheckAt: MADE_AT + 7,
          checks: 3,
        };
        const after = moved(stored, {
          to: 'confirmed',
          actor: 'gateway',
          reason: 'changed',
          at: MADE_AT + 9_000,
          patch: { ...full, change: undefined },
        });
        expect(await repository.update(after, { ...full, change: undefined })).toBe(true);
        await expectStored(after);
        const gone = moved(after, {
          to: 'completed',
          actor: 'ops',
          reason: 'over',
          at: MADE_AT + 9_001,
          patch: { nextCheckAt: undefined },
        });
        expect(await repository.update(gone, { nextCheckAt: undefined })).toBe(true);
        await expectStored(gone);
      });

      it('of an older version stores nothing', async () => {
        const stored = await store(reservationIn('confirmed'));
        const late = moved(
          { ...stored, state: 'pending', version: 1 },
          { to: 'failed', actor: 'gateway', reason: 'late', at: MADE_AT + 99 },
        );
        expect(await repository.updateAndAnswer(late, {}, keyOf('k'), answer)).toBeUndefined();
        await expectStored(stored);
      });

      it('succeeds once out of twenty concurrent ones', async () => {
        const stored = await store(reservationIn('confirmed'));
        const changes = Array.from({ length: 20 }, (_each, index) =>
          repository.update(
            moved(stored, { to: 'cancel_pending', actor: 'application', reason: `${index}`, at: MADE_AT + index }),
          ),
        );
        expect((await Promise.all(changes)).filter((won) => won)).toHaveLength(1);
        expect((await repository.get(stored.id))?.history).toHaveLength(3);
      });

      it('writes the history: all moves in order, with actor, reason and time', async () => {
        const stored = await store(reservationIn('cancelled'));
        expect((await repository.get(stored.id))?.history).toEqual([
          { to: 'pending', at: MADE_AT, actor: 'application', reason: 'accepted' },
          {
            from: 'pending',
            to: 'confirmed',
            at: MADE_AT + 1_000,
            actor: 'gateway',
            reason: 'on the way to cancelled',
          },
          {
            from: 'confirmed',
            to: 'cancel_pending',
            at: MADE_AT + 2_000,
            actor: 'gateway',
            reason: 'on the way to cancelled',
          },
          {
            from: 'cancel_pending',
            to: 'cancelled',
            at: MADE_AT + 3_000,
            actor: 'gateway',
            reason: 'on the way to cancelled',
          },
        ]);
      });

      it('writes no history if only the next check changes', async () => {
        const stored = await store(reservationIn('unknown'));
        await repository.checkAgain(stored, now());
        expect((await repository.takeDue(1_000, 5)).due).toHaveLength(1);
        expect((await repository.get(stored.id))?.history).toEqual(stored.history);
      });
    });

    describe('the transition table', () => {
      it('matches states.ts', async () => {
        const table = await rows<{ pair: string }>(
          `select from_state || ' ' || to_state as pair from reservation_transitions`,
        );
        const code = STATES.flatMap((from) => TRANSITIONS[from].map((to) => `${from} ${to}`));
        expect(table.map((row) => row.pair).sort()).toEqual(code.sort());
      });

      it('is enforced by the database for every pair of states', async () => {
        const { id: pending } = await store(sampleReservation());
        const states = PAIRS.map(([from]) => `'${from}'`).join(', ');
        await copies(pending, PAIRS.length, { state: `(array[${states}])[number]` });
        const allowed: string[] = [];
        for (const [at, [from, to]] of PAIRS.entries()) {
          const code = await codeOf(
            rows(`update reservations set state = '${to}', version = 2 where id = 'res_${at + 1}'`),
          );
          if (code === undefined) allowed.push(`${from} ${to}`);
          else expect([from, to, code]).toEqual([from, to, '23514']);
        }
        expect(allowed).toEqual(PAIRS.filter(([from, to]) => canMove(from, to)).map((pair) => pair.join(' ')));
      });

      it.each([
        ['a state without a version', `state = 'confirmed'`],
        ['a skipped version', `state = 'confirmed', version = 3`],
        ['a lower version', `state = 'confirmed', version = 0`],
        ['a skipped version in the same state', 'version = 7'],
        ['an unknown state', `state = 'booked', version = 2`],
      ])('refuses %s', async (_case, set) => {
        const { id } = await store(sampleReservation());
        expect(await codeOf(rows(`update reservations set ${set} where id = '${id}'`))).toBe('23514');
        expect((await repository.get(id))?.state).toBe('pending');
      });

      it('reaches every state', () => {
        expect(STATES.filter((state) => state !== 'pending' && wayTo(state).length === 0)).toEqual([]);
      });
    });

    describe('confirmation numbers', () => {
      const rentalUntil = (year: number, brand = sampleRental.brand) => ({
        rental: { ...sampleRental, brand, dropoffDate: `${year}-02-04T10:00:00` },
      });
      const numbered = (changes: Partial<Reservation> = rentalUntil(2099), state: State = 'confirmed') =>
        store(reservationIn(state, { confirmationNumber: 'CN1' }, changes));

      it('are unique per supplier and brand', async () => {
        await numbered();
        expect(await codeOf(numbered())).toBe('23505');
        expect(await codeOf(numbered(rentalUntil(2020)))).toBe('23505');
        await numbered({ ...rentalUntil(2099), supplier: 'due' });
        await numbered(rentalUntil(2099, 'Duo'));
      });

      it.each<[string, Partial<Reservation>, State]>([
        ['was cancelled', rentalUntil(2099), 'cancelled'],
        ['was completed', rentalUntil(2099), 'completed'],
        ['has a rental that is finished', rentalUntil(2020), 'confirmed'],
      ])('may be given again after a reservation %s, and then find the newest one', async (_how, changes, state) => {
        const old = await numbered(changes, state);
        for (const createdAt of [MADE_AT + 1_000, MADE_AT + 2_000]) {
          const { id } = await numbered({ ...changes, createdAt }, state);
          expect((await repository.findByConfirmation('app_a', 'CN1')).map((one) => one.id)).toEqual([id]);
        }
        const { id } = await numbered({ ...rentalUntil(2099), createdAt: MADE_AT + 3_000 });
        expect((await repository.findByConfirmation('app_a', 'CN1')).map((one) => one.id)).toEqual([id]);
        expect(await repository.get(old.id)).toMatchObject({ state, confirmationNumber: 'CN1' });
        expect(await codeOf(numbered())).toBe('23505');
      });

      it('find the reservation that got the number last, even if another one was made later', async () => {
        const early = await store(reservationIn('on_request', {}, rentalUntil(2099)));
        await numbered({ ...rentalUntil(2099), createdAt: MADE_AT + 1_000 }, 'cancelled');
        const accepted = { to: 'confirmed', actor: 'reconciler', reason: 'accepted', at: MADE_AT + 2_000 } as const;
        expect(await repository.update(moved(early, { ...accepted, patch: { confirmationNumber: 'CN1' } }))).toBe(true);
        expect((await repository.findByConfirmation('app_a', 'CN1')).map((one) => one.id)).toEqual([early.id]);
      });

      it('may be given again in a transaction of more statements', async () => {
        await numbered(rentalUntil(2099), 'cancelled');
        const review = await store(reservationIn('manual_review', {}, rentalUntil(2099)));
        const byPhone = { to: 'confirmed', actor: 'ops', reason: 'by phone', at: MADE_AT } as const;
        const after = moved(review, { ...byPhone, patch: { confirmationNumber: 'CN1' } });
        await database.tables.transaction(async (tx) => {
          const own = { ...database, tables: tx, rows: rowsSaved(tx) };
          expect(await new ReservationRepository(own, configSchema.parse({}), () => derived).update(after)).toBe(true);
        });
        expect(await repository.get(review.id)).toMatchObject({ state: 'confirmed', confirmationNumber: 'CN1' });
      });

      it('are claimed again by a failed reservation whose booking is found', async () => {
        const failed = await numbered(rentalUntil(2099), 'failed');
        const found = { to: 'confirmed', actor: 'reconciler', reason: 'found', at: MADE_AT } as const;
        const { id } = await numbered(rentalUntil(2099), 'cancelled');
        expect(await repository.update(moved(failed, found))).toBe(true);
        expect(await codeOf(numbered())).toBe('23505');
        expect((await repository.get(id))?.state).toBe('cancelled');
      });

      it('are of another reservation if one of the supplier and brand needs them', async () => {
        const own = await store(reservationIn('confirmed', { confirmationNumber: 'CN7' }, rentalUntil(2099)));
        const isTaken = () => repository.isOfAnother(own, 'CN1');
        expect([await isTaken(), await repository.isOfAnother(own, 'CN7')]).toEqual([false, false]);
        await numbered(rentalUntil(2099), 'cancelled');
        await numbered({ ...rentalUntil(2099), supplier: 'due' });
        await numbered(rentalUntil(2099, 'Duo'));
        expect(await isTaken()).toBe(false);
        await numbered({ ...rentalUntil(2099), applicationId: 'app_b' });
        expect(await isTaken()).toBe(true);
      });

      it('find the reservations of the application at all suppliers', async () => {
        const uno = await store(reservationIn('confirmed', { confirmationNumber: 'CN1' }));
        expect(await repository.findByConfirmation('app_a', 'CN1')).toEqual([await repository.get(uno.id)]);
        const due = await store(reservationIn('confirmed', { confirmationNumber: 'CN1' }, { supplier: 'due' }));
        await store(
          reservationIn('confirmed', { confirmationNumber: 'CN1' }, { supplier: 'tre', applicationId: 'app_b' }),
        );
        const found = await repository.findByConfirmation('app_a', 'CN1');
        expect(found.map(({ id }) => id).sort()).toEqual([uno.id, due.id].sort());
        expect(await repository.findByConfirmation('app_a', 'CN2')).toEqual([]);
      });
    });

    describe('responses to requests with a key', () => {
      it('are stored with their move', async () => {
        const reservation = sampleReservation();
        await repository.insert(reservation, keyOf('k'));
        const after = moved(reservation, { to: 'confirmed', actor: 'gateway', reason: 'booked', at: MADE_AT });
        expect(await repository.updateAndAnswer(after, {}, keyOf('k'), answer)).toEqual(answer);
        expect(await repository.findKey('app_a', 'k')).toEqual({
          bodyHash: 'hash',
          reservationId: reservation.id,
          answer,
        });
      });

      it('are not stored if the move is not', async () => {
        const reservation = sampleReservation();
        await repository.insert(reservation, keyOf('k'));
        await repository.update(moved(reservation, { to: 'unknown', actor: 'reconciler', reason: 'x', at: MADE_AT }));
        const late = moved(reservation, { to: 'confirmed', actor: 'gateway', reason: 'booked', at: MADE_AT });
        expect(await repository.updateAndAnswer(late, {}, keyOf('k'), answer)).toBeUndefined();
        expect((await repository.findKey('app_a', 'k'))?.answer).toBeUndefined();
      });

      it('are not stored for a reservation that was erased meanwhile', async () => {
        const reservation = sampleReservation();
        await repository.insert(reservation, keyOf('k'));
        expect(await new PersonalData(database, 'sandbox').erase(reservation.id)).toBe(true);
        expect(await repository.storeAnswer(reservation.id, keyOf('k'), answer)).toEqual(answer);
        expect(await repository.findKey('app_a', 'k')).not.toHaveProperty('answer');
      });

      it('are never overwritten', async () => {
        const reservation = sampleReservation();
        await repository.insert(reservation, keyOf('k'));
        const second = { ...answer, status: 202 };
        expect(await repository.storeAnswer(reservation.id, keyOf('k'), answer)).toEqual(answer);
        expect(await repository.storeAnswer(reservation.id, keyOf('k'), second)).toEqual(answer);
        const after = moved(reservation, { to: 'confirmed', actor: 'gateway', reason: 'booked', at: MADE_AT });
        expect(await repository.updateAndAnswer(after, {}, keyOf('k'), second)).toEqual(answer);
        expect(await repository.get(reservation.id)).toMatchObject({ state: 'confirmed' });
        expect((await repository.findKey('app_a', 'k'))?.answer).toEqual(answer);
      });

      it('are deleted with keys that are too old, but the reservation is kept', async () => {
        const [old, young] = [sampleReservation(), sampleReservation({ createdAt: MADE_AT + 60_000 })];
        await repository.insert(old, keyOf('old'));
        await repository.insert(young, keyOf('young'));
        await repository.forgetKeys(now() - MADE_AT - 30_000);
        expect(await repository.findKey('app_a', 'old')).toBeUndefined();
        expect(await repository.findKey('app_a', 'young')).toBeDefined();
        expect(await repository.get(old.id)).toBeDefined();
      });

      it('are deleted in batches, the oldest first', async () => {
        for (const minutes of [2, 1, 3])
          await repository.insert(sampleReservation({ createdAt: MADE_AT + minutes * 60_000 }), keyOf(`${minutes}`));
        await repository.forgetKeys(now() - MADE_AT - HOUR_MS, 2);
        const left = ['1', '2', '3'].map(async (key) => (await repository.findKey('app_a', key)) !== undefined);
        expect(await Promise.all(left)).toEqual([false, false, true]);
      });
    });

    describe('a reservation of the other environment', () => {
      it('does not exist: it is neither read, listed, erased nor resealed, and its key is kept', async () => {
        const { id } = await store(reservationIn('manual_review', { nextCheckAt: MADE_AT }));
        const keyed = sampleReservation();
        await repository.insert(keyed, keyOf('kept'));
        await repository.storeAnswer(keyed.id, keyOf('kept'), { status: 201, headers: {}, body: 'mine' });
        const production = withKeys(KEY_ONE, 'production');
        expect(await production.get(id)).toBeUndefined();
        expect(await production.listUnclear(10)).toEqual([]);
        expect(await new PersonalData(database, 'production').erase(id)).toBe(false);
        const keys = keysOf(KEY_ONE, 'production');
        for await (const count of keys.reseal()) expect(count).toBe(0);
        await expect(keys.check()).resolves.toBeUndefined();
        await production.forgetKeys(now() - MADE_AT - HOUR_MS);
        expect(await repository.findKey('app_a', 'kept')).toMatchObject({ answer: { body: 'mine' } });
        expect((await repository.get(id))?.personal).toBeDefined();
      });

      it('may have the same confirmation number', async () => {
        const booked = reservationIn('confirmed', { confirmationNumber: 'SAME1' });
        await store(booked);
        const other = { ...reservationIn('confirmed', { confirmationNumber: 'SAME1' }), applicationId: 'app_p' };
        await expect(store(other, withKeys(undefined, 'production'))).resolves.toMatchObject({ state: 'confirmed' });
      });
    });

    describe('a due reservation', () => {
      const dueAt = (nextCheckAt: number | undefined) =>
        store(sampleReservation(nextCheckAt === undefined ? {} : { nextCheckAt }));

      it('that can wait is not taken from a supplier with many of them, and none from one that is busy', async () => {
        const at = { nextCheckAt: now() };
        await store(reservationIn('on_request', at, { supplier: 'dos' }));
        await store(reservationIn('confirmed', at, { supplier: 'dos' }));
        await store(reservationIn('unknown', at, { supplier: 'tres' }));
        const unknown = await store(reservationIn('unknown', at, { supplier: 'dos' }));
        const request = await store(reservationIn('on_request', at, { supplier: 'uno' }));
        const busy = [
          { awaited: true, supplier: 'tres', account: 'acc_x', count: 10 },
          { awaited: false, supplier: 'dos', account: 'acc_x', count: 5 },
        ];
        const { due } = await repository.takeDue(HOUR_MS, 10, busy);
        expect(due.map(({ id }) => id).sort()).toEqual([unknown.id, request.id].sort());
        expect((await repository.takeDue(HOUR_MS, 10)).due).toHaveLength(3);
      });

      it('on request becomes due with the clock of its application, and is written once', async () => {
        const own = await store(reservationIn('on_request', { nextCheckAt: now() + HOUR_MS }));
        const other = await store(
          reservationIn('on_request', { nextCheckAt: now() + HOUR_MS }, { applicationId: 'app_b' }),
        );
        const written = () => rows<{ id: string; xmin: string }>('select id, xmin::text from reservations order by id');
        await repository.checkRequests('app_a');
        const first = await written();
        await repository.checkRequests('app_a');
        expect(await written()).toEqual(first);
        expect((await repository.takeDue(HOUR_MS, 10)).due.map(({ id }) => id)).toEqual([own.id]);
        expect(first.map(({ id }) => id)).toContain(other.id);
      });

      it('of an account with many is taken in turns with those of others, and leaves places to them', async () => {
        const many: string[] = [];
        for (let count = 0; count < 12; count += 1)
          many.push((await store(reservationIn('unknown', { nextCheckAt: now() - 1_000 + count }))).id);
        const one = await store(reservationIn('unknown', { nextCheckAt: now() }, { applicationId: 'app_c' }));
        const { due, accounts } = await repository.takeDue(HOUR_MS, 2);
        expect(due.map(({ id }) => id).sort()).toEqual([String(many[0]), one.id].sort());
        expect(new Set(accounts.values()).size).toBe(2);
        const [account = ''] = [...accounts].filter(([id]) => id === many[0]).map(([, name]) => name);
        const busy = [{ awaited: true, supplier: 'uno', account, count: 1 }];
        expect((await repository.takeDue(HOUR_MS, 40, busy)).due).toHaveLength(PLACES.awaited.account - 1);
      });

      const taking = () => takeDueStatement({ environment: 'sandbox', leaseMs: HOUR_MS, limit: 10, inProgress: [] });
      const asTaken = () => byIndex(database.tables, ONLY_BY_INDEX);

      it('is found without reading all that are due', async () => {
        const { id } = await store(reservationIn('unknown', { nextCheckAt: now() }));
        await copies(id, 4_000, {});
        await rows('analyze reservations');
        const plan = JSON.stringify(await asTaken()(sql`explain ${taking()}`));
        expect(plan).toContain('reservations_turns');
        expect(plan).not.toContain('Seq Scan on reservations');
        const startedAt = performance.now();
        const { due, unreadable } = await repository.takeDue(HOUR_MS, 10);
        expect(due.length + unreadable.length).toBe(PLACES.awaited.account);
        console.log(`4,000 due reservations: taken in ${(performance.now() - startedAt).toFixed(0)} ms`);
      });

      it.each([
        ['later', 1, `now() + interval '1 hour'`],
        ['due as well', 10, `now() - interval '1 hour' + number * interval '1 s'`],
      ])('is found without visiting the accounts whose checks are %s', async (_which, count, nextCheckAt) => {
        const { id } = await store(reservationIn('unknown', { nextCheckAt: now() }));
        await copies(id, 1_500, { account_id: `'acc_' || number`, next_check_at: nextCheckAt });
        for (const _statistics of ['none', 'of these rows']) {
          const scanned = await rowsScanned(asTaken(), taking());
          expect(scanned).toBeGreaterThanOrEqual(count);
          expect(scanned).toBeLessThan(300);
          await rows(`update reservations set next_check_at = now() where id = '${id}'`);
          await rows('analyze reservations');
        }
      });

      it('at a supplier that this gateway does not know is left to others for an hour', async () => {
        const seconds = (count: number) => ({ nextCheckAt: now() - count * 1_000 });
        const late = await store(reservationIn('failed', seconds(3_700), { supplier: 'dos' }));
        await store(reservationIn('failed', seconds(3_500), { supplier: 'dos' }));
        const own = await store(reservationIn('failed', seconds(1)));
        const { due } = await repository.takeDue(HOUR_MS, 10, [], ['uno']);
        expect(due.map(({ id }) => id).sort()).toEqual([late.id, own.id].sort());
        expect((await repository.takeDue(HOUR_MS, 10, [], ['uno', 'dos'])).due).toHaveLength(1);
      });

      it('of another environment is neither taken nor counted', async () => {
        const { id } = await store(reservationIn('unknown', { nextCheckAt: now() }));
        const production = withKeys(undefined, 'production');
        expect((await production.takeDue(HOUR_MS, 10)).due).toEqual([]);
        expect(await production.unclear()).toEqual([]);
        expect((await repository.unclear()).map(({ count }) => count)).toEqual([1]);
        expect((await repository.takeDue(HOUR_MS, 10)).due.map((taken) => taken.id)).toEqual([id]);
      });

      it('is taken once it is due, longest due first, with its checks counted', async () => {
        const made = new Map<number, string>();
        for (const ms of [40, 10, 30, 20]) made.set(ms, (await dueAt(now() - HOUR_MS + ms * 1_000)).id);
        await dueAt(now() + HOUR_MS);
        await dueAt(undefined);
        const { due: first } = await repository.takeDue(HOUR_MS, 3);
        expect(first.map(({ id }) => id).sort()).toEqual([10, 20, 30].map((ms) => made.get(ms)).sort());
        expect(first.map(({ checks }) => checks)).toEqual([1, 1, 1]);
        for (const { nextCheckAt = 0 } of first) expect(Math.abs(nextCheckAt - now() - HOUR_MS)).toBeLessThan(NEAR_MS);
        const { due: second } = await repository.takeDue(HOUR_MS, 3);
        expect(second.map(({ id }) => id)).toEqual([made.get(40)]);
        expect((await repository.takeDue(HOUR_MS, 3)).due).toEqual([]);
      });

      it('is returned in the order in which it became due', async () => {
        const made: string[] = [];
        for (const ms of [30, 29, 28, 27, 26, 25, 24]) made.unshift((await dueAt(now() - HOUR_MS + ms * 1_000)).id);
        expect((await repository.takeDue(HOUR_MS, 10)).due.map(({ id }) => id)).toEqual(made);
      });

      it('is taken exactly once by twenty concurrent reconcilers', async () => {
        for (let i = 0; i < 40; i += 1) await dueAt(now());
        const taken = await Promise.all(Array.from({ length: 20 }, () => repository.takeDue(HOUR_MS, 2)));
        const ids = taken.flatMap(({ due }) => due.map(({ id }) => id));
        expect(new Set(ids).size).toBe(ids.length);
        for (let rest = ids.length; rest > 0; ) {
          const { due } = await repository.takeDue(HOUR_MS, 40);
          rest = due.length;
          ids.push(...due.map(({ id }) => id));
        }
        expect([ids.length, new Set(ids).size]).toEqual([40, 40]);
      });

      it('is due again when the lease has expired', async () => {
        const { id } = await dueAt(now());
        await repository.takeDue(HOUR_MS, 5);
        expect((await repository.takeDue(HOUR_MS, 5)).due).toEqual([]);
        await rows(`update reservations set next_check_at = next_check_at - interval '1 hour'`);
        expect((await repository.takeDue(HOUR_MS, 5)).due).toMatchObject([{ id, checks: 2 }]);
      });

      it('is checked again at the given time unless its version has changed', async () => {
        const stored = await dueAt(now());
        const nextCheckAt = now() + HOUR_MS;
        await repository.checkAgain(stored, nextCheckAt);
        await expectStored({ ...stored, nextCheckAt });
        await repository.checkAgain({ ...stored, version: 2 }, now() + 2 * HOUR_MS);
        await expectStored({ ...stored, nextCheckAt });
      });

      it('is not blocked by one that cannot be decrypted', async () => {
        const [bad, good] = [await dueAt(now() - 1_000), await dueAt(now())];
        await rows(`update reservations set personal = '0.AAAA' where id = '${bad.id}'`);
        const { due, unreadable } = await repository.takeDue(HOUR_MS, 10);
        expect(due.map(({ id }) => id)).toEqual([good.id]);
        expect(unreadable.map(({ id }) => id)).toEqual([bad.id]);
      });
    });

    describe('an unclear reservation', () => {
      it('is counted by supplier and state, with the age of the oldest', async () => {
        const hourAgo = now() - HOUR_MS;
        await store(reservationIn('unknown', {}, { createdAt: hourAgo, updatedAt: hourAgo }));
        await store(reservationIn('unknown'));
        await store(reservationIn('manual_review', {}, { supplier: 'due' }));
        await store(reservationIn('confirmed'));
        await store(reservationIn('cancel_unknown'));
        expect(await repository.unclear()).toMatchObject([
          { supplier: 'due', state: 'manual_review', count: 1 },
          { supplier: 'uno', state: 'cancel_unknown', count: 1 },
          { supplier: 'uno', state: 'unknown', count: 2, ageSeconds: expect.closeTo(3_599, -1) },
        ]);
      });

      it('is listed oldest first, up to a limit', async () => {
        const made: string[] = [];
        for (const ms of [3, 1, 2])
          made[ms] = (await store(reservationIn('unknown', {}, { createdAt: MADE_AT + ms }))).id;
        await store(reservationIn('confirmed'));
        expect((await repository.listUnclear(2)).map(({ id }) => id)).toEqual([made[1], made[2]]);
        expect(await repository.listUnclear(10)).toHaveLength(3);
      });
    });

    describe('personal data', () => {
      const dump = async () => {
        const tables = ['reservations', 'reservation_events', 'idempotency_keys'];
        const texts = await Promise.all(
          tables.map((table) => rows<{ text: string }>(`select row_to_json(t)::text as text from ${table} t`)),
        );
        return texts.flat().map(({ text }) => text);
      };
      const full = async () => {
        const reservation = reservationIn('modify_pending', {
          change: {
            kinds: ['contact'],
            rental: sampleReservation().rental,
            view: sampleView,
            personal: samplePersonal,
          },
        });
        await store(reservation);
        await rows(`insert into idempotency_keys (application_id, key, body_hash, reservation_id, created_at)
          values ('app_a', 'k', 'hash', '${reservation.id}', now())`);
        await repository.storeAnswer(reservation.id, keyOf('k'), answer);
        return reservation;
      };

      it('is never stored as plain text', async () => {
        await full();
        const text = (await dump()).join('\n');
        expect(text).toContain('modify_pending');
        expect(TRACES.filter((trace) => text.includes(trace))).toEqual([]);
      });

      const data = () => new PersonalData(database, 'sandbox');
      const DAY_MS = 86_400_000;

      it('is removed by erasure from every column, which the history records', async () => {
        const { id, version } = await full();
        await rows(`update reservations set client_reference = 'order-1', payment = '{"type":"card","lastFour":"1111"}'
          where id = '${id}'`);
        expect(await repository.get(id)).toMatchObject({ clientReference: 'order-1', payment: { lastFour: '1111' } });
        expect(await data().erase(id)).toBe(true);
        const erased = await repository.get(id);
        for (const member of ['personal', 'change', 'clientReference']) expect(erased).not.toHaveProperty(member);
        expect(erased?.payment).toEqual({ type: 'card' });
        expect(erased).toMatchObject({ state: 'modify_pending', version: version + 1 });
        expect(Math.abs(Number(erased?.updatedAt) - now())).toBeLessThan(NEAR_MS);
        expect(erased?.history.at(-1)).toMatchObject({ from: 'modify_pending', to: 'modify_pending', actor: 'ops' });
        expect((await repository.findKey('app_a', 'k'))?.answer).toBeUndefined();
        const left = await rows(`select 1 from reservations r join idempotency_keys k on k.reservation_id = r.id
          where r.personal is not null or r.change is not null or r.client_reference is not null or k.answer is not null`);
        expect(left).toEqual([]);
      });

      it('is removed from request records: those of the application since then with an id of the caller', async () => {
        const { id } = await full();
        await createPartitions(database.tables, { name: 'request_log', period: 'day' }, MADE_AT - DAY_MS, MADE_AT);
        const record = (
          application: string,
          requestId: string,
          operation: string,
          at: number,
        ): Promise<readonly unknown[]> =>
          rows(`insert into request_log (application_id, at, request_id, operation, status, duration_ms, trace)
            values ('${application}', '${new Date(at).toISOString()}', '${requestId}', '${operation}', 201, 1, '{}')`);
        await record('app_a', 'ada-sample-1990', 'createReservation', MADE_AT);
        for (const operation of ABOUT_RENTERS) await record('app_a', `ada-${operation}`, operation, MADE_AT + DAY_MS);
        const exchange = (requestId: string): Promise<readonly unknown[]> =>
          rows(`insert into failed_exchanges (environment, at, supplier_id, operation, cause, request_id, why, duration_ms, exchanges, bytes)
            values ('sandbox', now(), 'uno', 'book', 'timeout', '${requestId}', '', 1, '[]', 2)`);
        for (const requestId of ['ada-sample-1990', 'of-another']) await exchange(requestId);
        const kept = [
          ['app_a', 'req_0123456789abcdef', 'createReservation', MADE_AT],
          ['app_a', 'another-search', 'searchVehicles', MADE_AT],
          ['app_a', 'before-it', 'createReservation', MADE_AT - DAY_MS],
          ['app_b', 'of-another', 'createReservation', MADE_AT],
        ] as const;
        for (const [application, requestId, operation, at] of kept) await record(application, requestId, operation, at);
        await data().erase(id);
        const left = await rows<{ request_id: string }>('select request_id from request_log order by request_id');
        expect(left.map(({ request_id }) => request_id)).toEqual(kept.map(([, requestId]) => requestId).sort());
        const exchanges = await rows<{ request_id: string }>('select request_id from failed_exchanges order by id');
        expect(exchanges.map(({ request_id }) => request_id)).toEqual(['erased', 'of-another']);
        await rows('delete from request_log');
        await rows('delete from failed_exchanges');
      });

      it('of an unknown reservation cannot be erased', async () => {
        expect(await data().erase('res_nobody')).toBe(false);
      });

      it('is erased after its retention time, which begins with the end of the rental or of the reservation', async () => {
        const end = Date.parse(`${sampleRental.dropoffDate}Z`);
        const ended = async (state: State, at: number): Promise<string> => {
          const { id } = await store(reservationIn(state));
          await rows(
            `update reservations set updated_at = '${new Date(at).toISOString()}', version = version + 1 where id = '${id}'`,
          );
          return id;
        };
        const confirmed = await ended('confirmed', MADE_AT);
        const unresolved = await ended('manual_review', MADE_AT);
        const cancelled = await ended('cancelled', MADE_AT);
        const young = await ended('cancelled', MADE_AT + 10 * DAY_MS);
        const isErased = async (id: string) => (await repository.get(id))?.personal === undefined;
        const erased = async () => Promise.all([confirmed, unresolved, cancelled, young].map(isErased));

        expect((await new PersonalData(database, 'production').eraseEnded(now() - end - DAY_MS, 500)).found).toBe(0);
        await data().eraseEnded(now() - MADE_AT - DAY_MS, 500);
        expect(await erased()).toEqual([false, false, true, false]);
        await data().eraseEnded(now() - end + DAY_MS, 500);
        expect(await erased()).toEqual([false, false, true, true]);
        expect((await data().eraseEnded(now() - end - DAY_MS, 1)).erased).toBe(1);
        await data().eraseEnded(now() - end - DAY_MS, 500);
        expect(await erased()).toEqual([true, true, true, true]);
        expect((await data().eraseEnded(now() - end - DAY_MS, 500)).found).toBe(0);
        expect((await repository.get(confirmed))?.history.at(-1)).toMatchObject({ actor: 'gateway', to: 'confirmed' });
      });

      it('of one reservation cannot be decrypted as that of another reservation or column', async () => {
        const [a, b] = [await store(sampleReservation()), await store(sampleReservation())];
        await rows(
          `update reservations set personal = (select personal from reservations where id = '${a.id}') where id = '${b.id}'`,
        );
        await expect(repository.get(b.id)).rejects.toThrow();
        await expectStored(a);
        await rows(`update reservations set change = personal where id = '${a.id}'`);
        await expect(repository.get(a.id)).rejects.toThrow();
      });

      it('is decrypted with its original key until it is re-encrypted, then only with the newest key', async () => {
        const one = withKeys(KEY_ONE);
        const stored = await store(sampleReservation(), one);
        await full();
        const both = withKeys(`${KEY_TWO},${KEY_ONE}`);
        await expectStored(stored, both);
        const missing = withKeys(KEY_TWO);
        for (const read of [() => missing.get(stored.id), () => missing.find('app_a', stored.id)])
          await expect(read()).rejects.toMatchObject({
            ...{ status: 503, headers: { location: `/cars/reservation/v1/${stored.id}` } },
            cause: { keyVersion: '1s' },
          });
        const before = (await dump()).map((text) => text.replace(/"[012]s\.[\w-]+"/g, 'sealed')).sort();
        const counts: number[] = [];
        for await (const count of keysOf(`${KEY_TWO},${KEY_ONE}`).reseal(2)) counts.push(count);
        expect(counts.reduce((sum, count) => sum + count)).toBe(4);
        for await (const count of keysOf(`${KEY_TWO},${KEY_ONE}`).reseal(2)) expect(count).toBe(0);
        expect((await dump()).map((text) => text.replace(/"2s\.[\w-]+"/g, 'sealed')).sort()).toEqual(before);
        await expectStored(stored, withKeys(KEY_TWO));
        expect((await withKeys(KEY_TWO).findKey('app_a', 'k'))?.answer).toEqual(answer);
      });
    });
  });
}
