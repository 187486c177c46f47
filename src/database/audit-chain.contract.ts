import { createHash, createSecretKey } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { sql } from 'drizzle-orm';
import { pino } from 'pino';
import { withoutTriggers } from '../../test/support/migrated-database.js';
import { countingRows } from '../../test/support/rows-read.js';
import type { Keys } from '../config/keys.js';
import { AuditCheckpoints } from '../system/audit-checkpoints.js';
import { recordAudit } from './audit.js';
import { signCheckpoint, type Verdict, verifyAudit } from './audit-chain.js';
import { AuditLog } from './audit-log.js';
import { withOrigin } from './audit-origin.js';
import type { Database } from './database.js';

const KEY = createSecretKey(Buffer.alloc(32, 7));
const NEXT_KEY = createSecretKey(Buffer.alloc(32, 8));
const ORIGIN = { channel: 'page', address: '203.0.113.9', requestId: 'req_12345678' } as const;

/** What the audit log does the same way on both databases. `open` opens a migrated one that no other test uses. */
export function auditChainContract(name: string, open: () => Promise<Database>): void {
  describe(`the audit log on ${name}`, () => {
    let database: Database;
    beforeAll(async () => {
      database = await open();
    });
    afterAll(() => database.close());
    const tamper = (...statements: readonly string[]) => withoutTriggers(database, ...statements);
    const verify = (): Promise<Verdict> => verifyAudit(database, 'sandbox', [KEY]);
    const add = (subject: string, environment: 'sandbox' | 'production' = 'sandbox') =>
      withOrigin(ORIGIN, () =>
        recordAudit(
          { tables: database.tables, environment },
          {
            actor: 'ops',
            action: 'tested',
            subject,
            before: { "a'\u2028\n": 'é"\\' },
            after: [1],
          },
        ),
      );
    const signer = (environment: 'sandbox' | 'production' = 'sandbox', reader: Database = database) =>
      new AuditCheckpoints(reader, { environment, backgroundWork: false }, () => KEY, pino({ level: 'silent' }));
    /** A gateway with another secret, which accepts what `other` signed. */
    const signerAfter = (other?: Keys) => {
      const keys: Keys = Object.assign(() => NEXT_KEY, { other });
      return new AuditCheckpoints(
        database,
        { environment: 'sandbox', backgroundWork: false },
        keys,
        pino({ level: 'silent' }),
      );
    };

    beforeEach(async () => {
      await tamper('truncate audit_events, audit_seals, audit_checkpoints');
      await database.rows(sql`select setval('audit_events_id_seq', 100)`);
      for (const subject of ['one', 'two', 'three', 'four']) await add(subject);
    });

    it('is a chain without gaps in the order of commits, which an independent computation confirms', async () => {
      expect(await verify()).toMatchObject({ events: 4, erased: 0, head: { sequence: 4 }, problem: undefined });
      const [last] = await new AuditLog(database, 'sandbox').list({ limit: 1 });
      expect(last).toMatchObject({ sequence: 4, subject: 'four', ...{ address: '203.0.113.9', channel: 'page' } });
      expect(last).toMatchObject({ before: { "a'\u2028\n": 'é"\\' }, after: [1], request_id: 'req_12345678' });
    });

    const changed = 'a column of the event or its seal was changed';
    it.each<[string, string[], number | null, string | null, string]>([
      ['a changed subject', ["update audit_events set subject = 'x' where id = 102"], 2, '102', changed],
      [
        'a changed instant',
        ["update audit_events set at = at + interval '1 microsecond' where id = 103"],
        3,
        '103',
        changed,
      ],
      ['a changed actor', ["update audit_events set actor = 'acc_x' where id = 101"], 1, '101', changed],
      [
        'changed contents',
        [`update audit_events set after = '[2]' where id = 102`],
        2,
        '102',
        'before, after or reason was',
      ],
      [
        'an added reason',
        [`update audit_events set reason = 'x' where id = 102`],
        2,
        '102',
        'before, after or reason was',
      ],
      [
        'a changed address',
        [`update audit_events set address = '::1' where id = 104`],
        4,
        '104',
        'the address was changed',
      ],
      [
        'contents written after an erasure',
        ['update audit_events set salt = null where id = 102'],
        2,
        '102',
        'written again',
      ],
      ['a deleted event', ['delete from audit_events where id = 103'], 3, '103', 'the event 103 is missing'],
      [
        'a deleted event with its seal',
        ['delete from audit_events where id = 103', 'delete from audit_seals where sequence = 3'],
        3,
        null,
        'the seal is missing',
      ],
      [
        'a deleted beginning',
        ['delete from audit_events where id = 101', 'delete from audit_seals where sequence = 1'],
        1,
        null,
        'the seal is missing',
      ],
      [
        'an inserted event',
        ["insert into audit_events (id, actor, action, subject) values (50, 'ops', 'a', 'b')"],
        null,
        '50',
        'has no seal',
      ],
      ['deleted seals at the end', ['delete from audit_seals where sequence > 2'], null, '103', 'has no seal'],
      [
        'swapped events',
        [
          'update audit_events set id = 1 where id = 102',
          'update audit_events set id = 102 where id = 103',
          'update audit_events set id = 103 where id = 1',
        ],
        2,
        '102',
        'before, after or reason was changed',
      ],
      [
        'swapped seals',
        [
          'update audit_seals set sequence = 9 where sequence = 2',
          'update audit_seals set sequence = 2 where sequence = 3',
          'update audit_seals set sequence = 3 where sequence = 9',
        ],
        2,
        '103',
        changed,
      ],
    ])('names the first row that is wrong after %s', async (_, statements, sequence, event, message) => {
      await tamper(...statements);
      expect((await verify()).problem).toEqual({ sequence, event, message: expect.stringContaining(message) });
    });

    /** Deletes what follows row `after`, and seals the rest again. */
    const resealAfter = (after: number) =>
      tamper(
        'delete from audit_seals',
        `delete from audit_events where id > ${100 + after}`,
        'select count(seal_audit_event(e.id)) from (select id from audit_events order by id) e',
      );

    it('finds a deleted end, or a chain that was written again, only with a checkpoint or a noted head', async () => {
      const { head: noted } = await verify();
      await resealAfter(2);
      expect(await verify()).toMatchObject({ events: 2, head: { sequence: 2 }, problem: undefined });
      const withNoted = async () => (await verifyAudit(database, 'sandbox', [KEY], { noted })).problem;
      expect(await withNoted()).toMatchObject({ sequence: 4, message: expect.stringContaining('end') });
      for (const subject of ['x', 'y']) await add(subject);
      expect(await withNoted()).toMatchObject({ sequence: 4, message: expect.stringContaining('noted') });
      await resealAfter(2);
      expect(await signer().sign()).toBeUndefined();
      expect(await verify()).toMatchObject({ checkpoints: 1, problem: undefined });
      await resealAfter(1);
      expect((await verify()).problem).toMatchObject({
        sequence: 2,
        event: null,
        message: expect.stringContaining('end'),
      });
      await add('another');
      expect((await verify()).problem).toMatchObject({ sequence: 2, message: expect.stringContaining('another hash') });
      await tamper('update audit_checkpoints c set hash = s.hash from audit_seals s where s.sequence = c.sequence');
      expect((await verify()).problem).toMatchObject({ sequence: 2, message: expect.stringContaining('signature') });
    });

    it('of a log with a long history, only what is needed is read', async () => {
      const [length, hash] = [12_000, '0'.repeat(64)];
      const last = { sequence: length + 4, hash };
      await tamper(
        `insert into audit_events (at, actor, action, subject, environment, salt, address_salt)
          select now() - interval '9 days', 'acc_a', 'tested', 'app_' || n, 'sandbox', '', '' from generate_series(1, ${length}) n`,
        `insert into audit_seals (sequence, event_id, contents, origin, hash)
          select row_number() over (order by id) + 4, id, '', '', '${hash}' from audit_events where actor = 'acc_a'`,
        `insert into audit_checkpoints (environment, sequence, hash, signature)
          values ('sandbox', ${last.sequence}, '${hash}', '${signCheckpoint(KEY, last)}')`,
        'analyze audit_events, audit_seals',
      );
      await add('five');
      const signing = countingRows(database);
      expect(await signer('sandbox', signing.database).sign()).toBeUndefined();
      expect(await signing.read()).toBeLessThan(length / 2);

      const year0 = new Date('0000-01-01');
      expect(await new AuditLog(database, 'sandbox').list({ limit: 5, since: year0 })).toHaveLength(5);
      const listing = countingRows(database);
      const [sandbox, production] = (['sandbox', 'production'] as const).map(
        (environment) => new AuditLog(listing.database, environment),
      );
      expect(await sandbox?.list({ limit: 50 })).toHaveLength(50);
      await add('six', 'production');
      const since = new Date(Date.now() - 86_400_000);
      expect(await production?.list({ limit: 50, since })).toHaveLength(1);
      expect(await listing.read()).toBeLessThan(length);
      await tamper('update audit_events set environment = null where id = 102');
      expect((await production?.list({ limit: 50 }))?.map(({ subject }) => subject)).toEqual(['six', 'two']);
      // In parts: a statement that reads all of it would time out some day.
      expect(await listing.most()).toBeLessThan(length);

      await tamper(`delete from audit_seals where sequence = ${length + 6}`);
      expect(await signer().sign()).toMatchObject({ message: expect.stringContaining('has no seal') });
      // Without the seal that was signed, it reads everything: the event from before has another environment.
      await tamper(
        `delete from audit_seals where sequence >= ${length + 4}`,
        'delete from audit_checkpoints where sequence > 12004',
      );
      expect(await signer().sign()).toMatchObject({ sequence: 2, event: '102' });
    });

    it('a gateway says once that it cannot sign, and that again after it could', async () => {
      let isAway = true;
      const lines: { level: number; msg: string }[] = [];
      const logger = pino({}, { write: (line: string) => void lines.push(JSON.parse(line) as (typeof lines)[0]) });
      const rows: Database['rows'] = (statement) =>
        isAway ? Promise.reject(new Error('away')) : database.rows(statement);
      const config = { environment: 'sandbox', backgroundWork: true } as const;
      const own = new AuditCheckpoints({ ...database, rows }, config, () => KEY, logger);
      for (const away of [true, true, false, true]) {
        isAway = away;
        await own.onApplicationShutdown();
      }
      expect(lines.map(({ level, msg }) => [level, msg.split(': ')[1]])).toEqual([
        [40, 'it cannot be verified and signed at the moment'],
        [30, 'checkpoint'],
        [40, 'it cannot be verified and signed at the moment'],
      ]);
    });

    it('a gateway signs nothing that is wrong, and remembers what it has signed', async () => {
      const own = signer();
      expect(await own.sign()).toBeUndefined();
      await add('five');
      await tamper("update audit_events set actor = 'x' where id = 105");
      expect(await own.sign()).toMatchObject({ sequence: 5, event: '105' });
      await tamper("update audit_events set actor = 'ops' where id = 105");
      expect(await own.sign()).toBeUndefined();
      await tamper('delete from audit_checkpoints');
      await resealAfter(3);
      expect(await own.sign()).toMatchObject({ sequence: 5, message: expect.stringContaining('end') });
      expect(await signer().sign()).toBeUndefined();
    });

    it('a gateway signs nothing after a past that was written again, whatever checkpoint is put there', async () => {
      const own = signer();
      expect(await own.sign()).toBeUndefined();
      await tamper("update audit_events set actor = 'acc_x' where id = 101");
      await resealAfter(4);
      const again = { sequence: 4, event: '104', message: expect.stringContaining('another hash') };
      expect(await signer().sign()).toMatchObject(again);
      await tamper(
        'delete from audit_checkpoints',
        `insert into audit_checkpoints (environment, sequence, hash, signature)
          select 'sandbox', sequence, hash, 'made up' from audit_seals where sequence = 4`,
      );
      await add('five');
      const madeUp = { sequence: 4, event: '104', message: expect.stringContaining('signature') };
      expect(await own.sign()).toMatchObject(madeUp);
      expect(await signer().sign()).toMatchObject(madeUp);
      expect((await verifyAudit(database, 'sandbox', [KEY], { newest: 1 })).problem).toMatchObject(madeUp);
      await tamper('delete from audit_checkpoints');
      expect(await own.sign()).toMatchObject(again);
      // A process that has signed nothing yet can't know. Its checkpoint doesn't convince the one that has.
      expect(await signer().sign()).toBeUndefined();
      expect(await own.sign()).toMatchObject(again);
    });

    it('after a change of the secret, a gateway signs on from a checkpoint of the previous one, which can be removed then', async () => {
      expect(await signer().sign()).toBeUndefined();
      await add('five');
      const foreign = { sequence: 4, event: '104', message: expect.stringContaining('FORECOURT_OTHER_SECRET') };
      expect(await signerAfter().sign()).toMatchObject(foreign);
      expect(await signerAfter(() => KEY).sign()).toBeUndefined();
      // A gateway that isn't restarted yet knows the next secret as its other one.
      await add('six');
      expect(await signer().sign()).toMatchObject({ sequence: 5, message: foreign.message });
      expect(await signerAfter(() => KEY).sign()).toBeUndefined();
      await add('seven');
      expect(await signerAfter().sign()).toBeUndefined();
      for (const verification of [{}, { newest: 1 }, { newest: 3 }])
        expect((await verifyAudit(database, 'sandbox', [NEXT_KEY], verification)).problem).toBeUndefined();
      expect((await verify()).problem).toMatchObject({ sequence: 5, message: foreign.message });
      expect((await verifyAudit(database, 'sandbox', [KEY, NEXT_KEY])).problem).toBeUndefined();
    });

    it('without the key of an earlier checkpoint, what was altered before a right one is found as before', async () => {
      expect(await signer().sign()).toBeUndefined();
      await add('five');
      expect(await signerAfter(() => KEY).sign()).toBeUndefined();
      const found = async () => (await verifyAudit(database, 'sandbox', [NEXT_KEY])).problem;
      expect(await found()).toBeUndefined();
      await tamper("update audit_events set actor = 'x' where id = 102");
      expect(await found()).toMatchObject({ sequence: 2, message: expect.stringContaining(changed) });
      await resealAfter(5);
      expect(await found()).toMatchObject({ sequence: 5, message: expect.stringContaining('another hash') });
      await tamper('update audit_checkpoints c set hash = s.hash from audit_seals s where s.sequence = c.sequence');
      const message = expect.stringContaining('signature of its checkpoint is wrong');
      expect(await found()).toMatchObject({ sequence: 4, message });
    });

    it('the database refuses every change of a row', async () => {
      for (const statement of [
        "update audit_events set subject = 'x'",
        "update audit_events set after = '[2]'",
        "update audit_events set address = '::1'",
        "update audit_events set before = null, after = null, actor = 'x'",
        'delete from audit_events',
        'truncate audit_events',
        "update audit_seals set hash = ''",
        'delete from audit_seals',
        'truncate audit_seals',
        'delete from audit_checkpoints',
      ])
        await expect(database.rows(sql.raw(statement))).rejects.toMatchObject({ cause: { code: '23514' } });
      expect((await verify()).problem).toBeUndefined();
    });

    it('stays right when contents and addresses are erased', async () => {
      await database.rows(sql`update audit_events set before = null, after = null where id = 102`);
      await database.rows(sql`update audit_events set address = null, address_salt = null where id = 103`);
      await database.rows(sql`update audit_events set before = null, after = null where id = 103`);
      expect(await verify()).toMatchObject({ events: 4, erased: 2, problem: undefined });
      expect(
        await database.rows(
          sql`select (row_to_json(e)::jsonb - 'at')::text like '%203.0.113%' as found from audit_events e where id = 103`,
        ),
      ).toEqual([{ found: false }]);
    });

    it('concurrent transactions with several rows each make one chain', async () => {
      await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          database.tables.transaction(async (tx) => {
            await recordAudit(
              { tables: tx, environment: 'sandbox' },
              { actor: 'ops', action: 'tested', subject: `a${index}` },
            );
            await recordAudit(
              { tables: tx, environment: 'sandbox' },
              { actor: 'ops', action: 'tested', subject: `b${index}` },
            );
          }),
        ),
      );
      expect(await verify()).toMatchObject({ events: 44, problem: undefined });
    });

    it('what is rolled back leaves nothing', async () => {
      const failed = database.tables.transaction(async (tx) => {
        await recordAudit({ tables: tx, environment: 'sandbox' }, { actor: 'ops', action: 'tested', subject: 'x' });
        throw new Error('rolled back');
      });
      await expect(failed).rejects.toThrow('rolled back');
      expect(await verify()).toMatchObject({ events: 4, problem: undefined });
    });

    it("an export has every place of the chain, and nothing else of the other environment's events", async () => {
      await add('five', 'production');
      let text = '';
      for await (const part of new AuditLog(database, 'sandbox').export()) text += part;
      const lines = text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as Record<string, unknown>);
      expect(lines.map(({ sequence, subject }) => [sequence, subject])).toEqual([
        [1, 'one'],
        [2, 'two'],
        [3, 'three'],
        [4, 'four'],
        [5, undefined],
      ]);
      expect(Object.keys(lines[4] ?? {})).toEqual(['sequence', 'hash']);
      const digest = (...parts: unknown[]) => createHash('sha256').update(JSON.stringify(parts)).digest('hex');
      for (const [index, line] of lines.slice(0, 4).entries()) {
        const { salt, before, after, reason, address_salt, address, sequence, id, at, environment, actor } = line;
        const { channel, agent, action, subject_kind, subject, request_id } = line;
        const digests = [digest(salt, before, after, reason), digest(address_salt, address)];
        const event = [id, at, environment, actor, channel, agent, action, subject_kind, subject, request_id];
        const previous = lines[index - 1]?.hash ?? null;
        expect(digest(previous, String(sequence), ...event, ...digests)).toBe(line.hash);
      }
      expect((await new AuditLog(database, 'sandbox').list({ limit: 9 })).map(({ subject }) => subject)).toEqual([
        'four',
        'three',
        'two',
        'one',
      ]);
    });
  });
}
