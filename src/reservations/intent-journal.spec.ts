import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { SQL } from 'drizzle-orm';
import { PgDialect } from 'drizzle-orm/pg-core';
import { pino } from 'pino';
import { configSchema } from '../config/config.schema.js';
import type { Database } from '../database/database.js';
import { metrics } from '../metrics/metrics.js';
import { ApiError } from '../status/api-error.js';
import { sampleEntry } from './fixtures/sample-entry.js';
import { MADE_AT, reservationIn, sampleReservation, TRACES } from './fixtures/sample-reservation.js';
import { IntentJournal } from './intent-journal.js';
import { type JournalEntry, JournalFolder } from './journal-folder.js';
import type { Reservation } from './reservation.js';

const HOUR = 3_600_000;
const FILE = `${new Date(MADE_AT).toISOString().slice(0, 10)}.jsonl`;
const request = { applicationId: 'app_a', key: 'hash-of-key', bodyHash: 'hash' };

let dataFolder: string;
beforeEach(() => {
  dataFolder = mkdtempSync(join(tmpdir(), 'forecourt-intents-'));
});
afterEach(() => rmSync(dataFolder, { recursive: true, force: true }));

/**
 * A journal that is starting on a database that lacks the references in `lost`, and where `open` are open; `now` in epoch
 * milliseconds.
 */
function begun({
  lost = [],
  open = [],
  now = MADE_AT,
  ...place
}: {
  lost?: string[];
  open?: readonly Reservation[];
  now?: number;
  folder?: string;
  name?: string;
} = {}) {
  const lines: { level: number; msg: string; missing?: number; command?: string }[] = [];
  const logger = pino(
    { level: 'info' },
    { write: (line: string) => lines.push(JSON.parse(line) as (typeof lines)[0]) },
  );
  const config = configSchema.parse({ dataFolder, reservations: { journal: place } });
  const openRows = open.map(({ id, sentUntil: sent }) => ({ id, sent }));
  const rows = async (statement: SQL) =>
    new PgDialect().sqlToQuery(statement).sql.includes('next_check_at') ? openRows : lost.map((id) => ({ id }));
  const database = { clock: { now: () => now }, rows };
  const journal = new IntentJournal(database as unknown as Database, config, logger);
  const isReady = journal.onApplicationBootstrap();
  return { journal, isReady, lost, errors: () => lines.filter(({ level }) => level === 50) };
}

/** The same, once it has been read. */
async function started(options: Parameters<typeof begun>[0] = {}) {
  const journal = begun(options);
  await journal.isReady;
  return journal;
}

async function errorOf(promise: Promise<unknown>): Promise<ApiError | undefined> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  return undefined;
}

const written = () => readFileSync(join(dataFolder, 'journal', FILE), 'utf8');

describe('what is written', () => {
  it('is the reference with the hashes of its key and quote, and nothing personal', async () => {
    const { journal } = await started();
    const reservation = sampleReservation({ clientReference: 'order-4711' });
    expect(await journal.booking(reservation, request, 'digest')).toBeUndefined();
    expect(JSON.parse(written())).toEqual(sampleEntry({ ref: reservation.id, key: 'hash-of-key', quote: 'digest' }));
    for (const trace of [...TRACES, 'order-4711']) expect(written()).not.toContain(trace);
    await journal.onApplicationShutdown();
  });

  it('is in a file with the name of the gateway, if it has one', async () => {
    const { journal } = await started({ name: 'gateway-x2x4q' });
    await journal.booking(sampleReservation(), request, undefined);
    expect(readdirSync(join(dataFolder, 'journal'))).toEqual([FILE.replace('.jsonl', '.gateway-x2x4q.jsonl')]);
    await journal.onApplicationShutdown();
  });

  it('is less than 350 bytes a line for a booking with its number', async () => {
    const { journal } = await started();
    const number = 'X'.repeat(20);
    const booked = reservationIn('confirmed', { confirmationNumber: number });
    await journal.booking(booked, { ...request, key: 'k'.repeat(43) }, 'q'.repeat(43));
    await journal.note('number', booked);
    expect(written().length / 2).toBeLessThan(350);
    await journal.onApplicationShutdown();
  });

  it('includes changes with the new date, cancellations, and the number, if there is one', async () => {
    const { journal } = await started();
    await journal.note('number', reservationIn('unknown'));
    await journal.note('number', reservationIn('confirmed', { confirmationNumber: 'CN1' }));
    await journal.note('cancel', reservationIn('cancel_pending'));
    const lines = written().split('\n').filter(Boolean);
    expect(lines.map((line) => (JSON.parse(line) as { op: string; number?: string }).op)).toEqual(['number', 'cancel']);
    expect(lines[0]).toContain('"number":"CN1"');
    await journal.onApplicationShutdown();
  });

  it('is nothing if the journal is off', async () => {
    const { journal } = await started({ folder: 'off' });
    await journal.ready();
    expect(await journal.booking(sampleReservation(), request, undefined)).toBeUndefined();
    expect(written).toThrow('ENOENT');
  });
});

describe('a journal that cannot be written', () => {
  it('refuses the booking, and the following ones before they are stored, until it can be written again', async () => {
    const { journal } = await started();
    writeFileSync(join(dataFolder, 'journal'), 'a file in place of the folder');
    await journal.ready();
    expect(await journal.booking(sampleReservation(), request, undefined)).toMatchObject({
      reason: 'maintenance',
      details: expect.stringContaining('Try again in a few seconds with another Idempotency-Key.'),
    });
    const refused = await errorOf(journal.ready());
    expect([refused?.status, refused?.headers['retry-after']]).toEqual([503, '5']);
    await expect(journal.note('cancel', sampleReservation())).resolves.toBeUndefined();
    rmSync(join(dataFolder, 'journal'));
    expect(await errorOf(journal.ready())).toBeUndefined();
    await journal.onApplicationShutdown();
  });

  it('gets what was noted meanwhile once it can be written, and otherwise an error says at the end that it is lost', async () => {
    const { journal, errors } = await started();
    const block = () => writeFileSync(join(dataFolder, 'journal'), 'a file in place of the folder');
    block();
    await journal.note('cancel', sampleReservation());
    rmSync(join(dataFolder, 'journal'));
    await journal.ready();
    await journal.onApplicationShutdown();
    expect(readFileSync(join(dataFolder, 'journal', FILE), 'utf8')).toContain('"op":"cancel"');
    rmSync(join(dataFolder, 'journal'), { recursive: true });
    block();
    await journal.note('cancel', sampleReservation());
    await journal.onApplicationShutdown();
    expect(errors().at(-1)).toMatchObject({ lines: 1, msg: expect.stringContaining('are lost') });
  });

  it('prevents the start if it cannot be read: lost bookings would not be recognized', async () => {
    writeFileSync(join(dataFolder, 'journal'), 'a file in place of the folder');
    await expect(started()).rejects.toThrow('JOURNAL_DIR');
  });
});

describe('a database that lacks bookings', () => {
  const ref = 'res_aaaaaaaaaaaaaaaaaaaa';
  beforeEach(async () => {
    const folder = new JournalFolder(join(dataFolder, 'journal'));
    const entry = sampleEntry({ ref, key: request.key, quote: 'digest' });
    await folder.append(entry);
    await folder.append(entry);
    await folder.append(sampleEntry({ ref: 'res_bbbbbbbbbbbbbbbbbbbb', env: 'production' }));
    await folder.settled();
  });

  it('is reported once, with the number of bookings and the command, as an error and as a metric', async () => {
    const { errors } = await started({ lost: [ref], now: MADE_AT + HOUR });
    const command = `gw reservation audit --since ${new Date(MADE_AT - 47 * HOUR).toISOString()}`;
    expect(errors()).toMatchObject([{ missing: 1, command }]);
    expect(await metrics.metrics()).toMatch(/^forecourt_journal_missing 1$/m);
  });

  it('is not reported if it lacks none of its environment', async () => {
    const { errors } = await started({ lost: ['res_bbbbbbbbbbbbbbbbbbbb'] });
    expect(errors()).toEqual([]);
    expect(await metrics.metrics()).toMatch(/^forecourt_journal_missing 0$/m);
  });

  it('makes their keys, quotes and ids an unknown outcome for their application, and for no other', async () => {
    const { journal } = await started({ lost: [ref] });
    const refusals = [
      await errorOf(journal.refuseLost(request, undefined)),
      await errorOf(journal.refuseLost(undefined, 'digest')),
      await errorOf(journal.refuseLost({ ...request, key: 'other' }, 'digest')),
      await errorOf(journal.refuseLostReservation('app_a', ref)),
    ];
    for (const refusal of refusals) {
      expect(refusal?.problems).toMatchObject([
        { reason: 'supplier_failure', supplier: 'uno', cause: 'outcome_unknown' },
      ]);
      expect([refusal?.status, refusal?.headers]).toEqual([500, { location: `/cars/reservation/v1/${ref}` }]);
    }
    expect(await errorOf(journal.refuseLost({ ...request, applicationId: 'app_b' }, undefined))).toBeUndefined();
    expect(await errorOf(journal.refuseLost({ ...request, key: 'other' }, 'other'))).toBeUndefined();
    expect(await errorOf(journal.refuseLostReservation('app_b', ref))).toBeUndefined();
  });

  it('stops refusing once the database has the reservation again', async () => {
    const { journal, lost } = await started({ lost: [ref] });
    lost.pop();
    expect(await errorOf(journal.refuseLost(request, 'digest'))).toBeUndefined();
  });

  it('is noticed without a restart for bookings of this gateway, as after the failover to a late replica', async () => {
    const { journal, lost } = await started({ now: MADE_AT + 100 * HOUR });
    const reservation = sampleReservation();
    await journal.booking(reservation, { ...request, key: 'own' }, 'own-quote');
    expect(await errorOf(journal.refuseLost({ ...request, key: 'own' }, 'own-quote'))).toBeUndefined();
    lost.push(reservation.id);
    expect((await errorOf(journal.refuseLost({ ...request, key: 'own' }, undefined)))?.status).toBe(500);
    expect((await errorOf(journal.refuseLost(undefined, 'own-quote')))?.status).toBe(500);
    expect((await errorOf(journal.refuseLostReservation('app_a', reservation.id)))?.status).toBe(500);
    await journal.onApplicationShutdown();
  });

  it.each([
    [89, 500],
    [91, undefined],
  ])(
    'a reservation of the sandbox made %i days ago may have been deleted after 90, so it is not lost: %s',
    async (days, status) => {
      const reservation = sampleReservation();
      const { journal } = await started({ now: reservation.updatedAt + days * 24 * HOUR, lost: [reservation.id] });
      await journal.booking(reservation, { ...request, key: 'old' }, undefined);
      expect((await errorOf(journal.refuseLost({ ...request, key: 'old' }, undefined)))?.status).toBe(status);
      expect((await errorOf(journal.refuseLostReservation('app_a', reservation.id)))?.status).toBe(status);
      await journal.onApplicationShutdown();
    },
  );

  it('still refuses the keys of lines that earlier versions wrote, without a quote', async () => {
    rmSync(join(dataFolder, 'journal'), { recursive: true });
    const folder = new JournalFolder(join(dataFolder, 'journal'));
    const { quote, ...earlier } = sampleEntry({ ref, key: request.key });
    await folder.append(earlier);
    const { journal } = await started({ lost: [ref] });
    expect([quote, (await errorOf(journal.refuseLost(request, 'digest')))?.status]).toEqual([undefined, 500]);
    await folder.settled();
  });

  it('forgets keys and quotes that are older than reservations.idempotencyHours', async () => {
    const { journal } = await started({ lost: [ref], now: MADE_AT + 49 * HOUR });
    expect(await errorOf(journal.refuseLost(request, 'digest'))).toBeUndefined();
  });
});

describe('a database that lacks changes', () => {
  const changing = reservationIn('modify_pending', { confirmationNumber: 'CN1' });
  const later = (op: JournalEntry['op'], afterMs = 60_000) =>
    sampleEntry({ ref: changing.id, op, at: new Date(changing.updatedAt + afterMs).toISOString() });
  const written = async (...entries: readonly JournalEntry[]) => {
    const folder = new JournalFolder(join(dataFolder, 'journal'));
    for (const entry of entries) await folder.append(entry);
    await folder.settled();
  };

  it.each(['change', 'cancel', 'number', 'refused'] as const)(
    'knows from a later line "%s" that it is behind',
    async (op) => {
      await written(
        later(op),
        sampleEntry({ ref: changing.id, op: 'change', at: new Date(changing.updatedAt).toISOString() }),
      );
      expect(await (await started({ open: [changing] })).journal.isBehind(changing)).toBe(true);
      const { journal } = await started({ open: [sampleReservation()] });
      expect(await journal.isBehind(changing)).toBe(false);
    },
  );

  it('is not behind by its own lines, nor by those of the other environment', async () => {
    await written(later('change', 0), { ...later('change'), env: 'production' });
    expect(await (await started({ open: [changing] })).journal.isBehind(changing)).toBe(false);
  });

  it('reads back to when the oldest open reservation was sent, however long ago', async () => {
    await written(later('change'));
    const { journal } = await started({ open: [sampleReservation(), changing], now: MADE_AT + 500 * HOUR });
    expect(await journal.isBehind(changing)).toBe(true);
  });

  it('waits until the journal has been read', async () => {
    await written(later('change'));
    const { journal, isReady } = begun({ open: [changing] });
    expect(await journal.isBehind(changing)).toBe(true);
    await isReady;
  });

  it('is noticed without a restart by what this gateway wrote', async () => {
    const { journal } = await started();
    expect(await journal.isBehind(changing)).toBe(false);
    await journal.note('cancel', { ...changing, updatedAt: changing.updatedAt + 5 });
    expect(await journal.isBehind(changing)).toBe(true);
    await journal.onApplicationShutdown();
  });
});
