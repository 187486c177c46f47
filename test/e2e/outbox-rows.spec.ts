import { rmSync } from 'node:fs';
import { sql } from 'drizzle-orm';
import { configSchema } from '../../src/config/config.schema.js';
import { loadKeys } from '../../src/config/keys.js';
import { createLogger } from '../../src/config/logger.js';
import { rowsIn } from '../../src/database/by-index.js';
import { type Database, openDatabase } from '../../src/database/database.js';
import { Outbox } from '../../src/mail/outbox.js';
import { describeWith } from '../support/binaries.js';
import { freshDatabase } from '../support/database.js';
import { migratedFolder } from '../support/migrated-folder.js';

const MANY = 8_000;
const CONFIG = configSchema.parse({ environment: 'sandbox', secret: 'a-secret-of-the-outbox-tests-0123456789' });

interface Opened {
  readonly database: Database;
  close(): Promise<void>;
}

async function embedded(): Promise<Opened> {
  const folder = await migratedFolder();
  const database = await openDatabase(undefined, folder);
  const close = async (): Promise<void> => {
    await database.close();
    rmSync(folder, { recursive: true, force: true });
  };
  return { database, close };
}

async function server(): Promise<Opened> {
  const postgres = await freshDatabase();
  const database = await openDatabase(postgres.url, '', { migrations: 'wait' });
  const close = async (): Promise<void> => {
    await database.close();
    await postgres.dispose();
  };
  return { database, close };
}

/** Work on the outbox, and how many of its rows the database read for it. */
async function rowsRead(database: Database, work: (outbox: Outbox) => Promise<unknown>): Promise<number> {
  return await database.tables.transaction(async (tx) => {
    const run = rowsIn(tx);
    const within = { ...database, tables: tx, rows: run } as unknown as Database;
    // Also counts earlier work of the connection that PostgreSQL hasn't added to its statistics yet.
    const counted = async (): Promise<number> => {
      const [row] = await run<{ readonly count: number }>(sql`
        select (seq_tup_read + coalesce(idx_tup_fetch, 0))::int as count from pg_stat_xact_user_tables where relname = 'outbox'`);
      return row?.count ?? 0;
    };
    const before = await counted();
    await work(new Outbox(within, CONFIG, loadKeys(CONFIG), createLogger('silent')));
    return (await counted()) - before;
  });
}

function cases(open: () => Promise<Opened>): void {
  let opened: Opened;
  beforeAll(async () => {
    opened = await open();
    const sealed = new Outbox(opened.database, CONFIG, loadKeys(CONFIG), createLogger('silent'));
    await sealed.put({ to: 'ada@example.com', subject: 'Hello', text: 'a text', html: '<p>a text</p>' });
  }, 60_000);
  afterAll(() => opened.close());

  /** Copies the first email: of both kinds, waiting, or postponed for an hour. */
  const add = (count: number, isPostponed: boolean) =>
    opened.database.rows(sql`
      insert into outbox (environment, is_sign_up, leased_until, recipient, subject, text, html)
      select o.environment, n % 2 = 0, case when ${isPostponed} then now() + interval '1 hour' end, o.recipient, o.subject, o.text, o.html
      from (select * from outbox order by id limit 1) o, generate_series(1, ${count}::int) n`);

  test('leasing an email, finding none, and the time of the next one read few rows, however many wait or are postponed', async () => {
    const { database } = opened;
    for (const isPostponed of [false, true]) {
      if (isPostponed) await database.rows(sql`update outbox set leased_until = now() + interval '1 hour'`);
      await add(MANY, isPostponed);
      const read = {
        signUp: await rowsRead(database, (outbox) => outbox.lease(true)),
        other: await rowsRead(database, (outbox) => outbox.lease(false, ['full.example'])),
        due: await rowsRead(database, (outbox) => outbox.dueInMs()),
      };
      for (const [what, count] of Object.entries(read))
        expect([what, count < 20 ? 'few' : count]).toEqual([what, 'few']);
    }
  }, 60_000);

  test('whether sign-ups are paused is decided with about as many rows as may wait, not with all', async () => {
    await add(MANY, false);
    expect(await rowsRead(opened.database, (outbox) => outbox.hasSignUps(5_000))).toBeLessThan(5_100);
  }, 60_000);
}

describe('rows of the outbox that the embedded database reads', () => cases(embedded));
describeWith('initdb')('rows of the outbox that PostgreSQL reads', () => cases(server));
