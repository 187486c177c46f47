import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import { rowsIn } from '../../src/database/by-index.js';
import { type Database, openDatabase } from '../../src/database/database.js';
import { databaseFault, mayBeDone } from '../../src/database/database-fault.js';
import { PostgresPool } from '../../src/database/postgres-pool.js';
import { describeWith } from '../support/binaries.js';
import { claim } from '../support/claim.js';
import { freshDatabase, hasSharedPostgres } from '../support/database.js';
import { gwInThread } from '../support/gw.js';
import { startPgbouncer } from '../support/pgbouncer.js';
import { type PostgresPair, startPostgresPair } from '../support/postgres-pair.js';

/** Another process may keep a core busy: a failed server costs 2 s, and the rest is margin. */
const SOON_MS = 10_000;

const pidOf = async (database: Database) =>
  (await database.rows<{ pid: number }>(sql`select pg_backend_pid() as pid`))[0]?.pid;
const doctor = (url: string) => gwInThread(['doctor'], { DATABASE_URL: url, DATA_DIR: '/nonexistent' }).stdout;
const timeoutOf = async ({ rows }: Pick<Database, 'rows'>) =>
  (await rows<{ ms: string }>(sql`select setting as ms from pg_settings where name = 'statement_timeout'`))[0]?.ms;

describeWith('initdb')('a primary and its standby', () => {
  let pair: PostgresPair;
  let database: Database;
  beforeAll(async () => {
    pair = await startPostgresPair();
    database = await openDatabase(pair.url, '');
    await database.rows(sql`create table kept (id int primary key)`);
  }, 60_000);
  afterAll(async () => {
    await database.close();
    await pair.dispose();
  });

  const keep = (id: number) => database.rows(sql`insert into kept values (${id})`);

  test('whichever comes first in the URL, the primary is used, by gw migrate as well', async () => {
    const [primary, standby] = pair.names;
    const reversed = pair.url.replace(`${primary},${standby}`, `${standby},${primary}`);
    const other = await openDatabase(reversed, '');
    await other.rows(sql`insert into kept values (1)`);
    await other.close();
    const said = gwInThread(['migrate', 'verify'], { DATABASE_URL: reversed });
    expect([said.status, said.stdout.trim()]).toEqual([0, 'The database has exactly the migrations of this build.']);
  });

  test('a connection whose statement is refused as read-only is not used again, even in a transaction; others are', async () => {
    const fails = async (statements: readonly string[]) => {
      const before = await pidOf(database);
      const failed = database.tables.transaction(async (tx) => {
        for (const statement of statements) await tx.execute(sql.raw(statement));
      });
      const fault = databaseFault(await failed.catch((error: unknown) => error));
      return [fault, (await pidOf(database)) === before];
    };
    expect(await fails(['set transaction read only', 'insert into kept values (2)'])).toEqual(['read_only', false]);
    expect(await fails(['insert into kept values (3)', 'insert into kept values (3)'])).toEqual([undefined, true]);
  });

  test('a connection that ends between two statements of a transaction fails the transaction, not the process', async () => {
    const failed = database.tables.transaction(async (tx) => {
      const [row] = await rowsIn(tx)<{ pid: number }>(sql`select pg_backend_pid() as pid`);
      await pair.query('select pg_terminate_backend($1)', [row?.pid]);
      await wait(300);
      await tx.execute(sql`insert into kept values (9)`);
    });
    expect(databaseFault(await failed.catch((error: unknown) => error))).toBe('unavailable');
    expect(await database.rows(sql`select 1 from kept where id = 9`)).toEqual([]);
  });

  test.each([
    ['an unknown database', /\/\w+\?/, '/missing?'],
    ['a role that may not log in', /\/\/\w+@/, '//pg_monitor@'],
    ['TLS that the server lacks', '?', '?sslmode=no-verify&'],
  ])(
    'a connection that cannot be made is a fault of the database, and nothing was sent: %s',
    async (_why, part, other) => {
      const limits = { max: 1, statementMs: 4_500, sharedStatementMs: 4_500, answerMs: 5_000 };
      for (const url of [pair.url, `postgresql://forecourt@${pair.names[0]}/postgres?application_name=one`]) {
        const pool = new PostgresPool(url.replace(part, other), limits);
        const error = await pool.query('insert into kept values (10)').catch((failed: unknown) => failed);
        await pool.end();
        expect([databaseFault(error), mayBeDone(error)]).toEqual(['unavailable', false]);
      }
    },
  );

  test('a server that accepts connections and never answers costs 2 s, once', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const limits = { max: 1, statementMs: 4_500, sharedStatementMs: 4_500, answerMs: 5_000 };
    const pool = new PostgresPool(pair.url.replace('127.0.0.1', `127.0.0.1:${port},127.0.0.1`), limits);
    const startedAt = Date.now();
    await pool.query('insert into kept values (0)');
    expect(Date.now() - startedAt).toBeGreaterThan(1_900);
    expect(Date.now() - startedAt).toBeLessThan(SOON_MS);
    await pool.query('delete from kept where id = 0');
    await pool.end();
    silent.close();
  });

  test('gw doctor says which server is the primary, and what a failover lacks', async () => {
    const [primary, standby] = pair.names;
    expect(doctor(pair.url)).toMatch(new RegExp(`server ${primary}: primary; its commits wait for a standby`));
    expect(doctor(pair.url)).toMatch(new RegExp(`server ${standby}: standby`));
    await pair.query("alter system set synchronous_standby_names = ''");
    await pair.query('select pg_reload_conf()');
    expect(doctor(pair.url.replace(standby, '127.0.0.1:9'))).toMatch(
      /server [\d.]+:\d+: primary, and its commits do not wait.*server 127\.0\.0\.1:9: is not usable: .*ECONNREFUSED/s,
    );
    await pair.query("alter system set synchronous_standby_names = '*'");
    await pair.query('select pg_reload_conf()');
  });

  claim(
    ['operation', 'V16.5.2'],
    'With several hosts in DATABASE_URL, a gateway uses the one that accepts writes, and after a failover the other one, without a restart.',
    async () => {
      await keep(4);
      await pair.kill();
      const error = await keep(5).catch((failed: unknown) => failed);
      // The standby answers, and has everything that was committed, but accepts only reads.
      expect(databaseFault(error)).toBe('unavailable');
      const whole = String((await keep(6).catch((failed: Error) => failed.cause)) as unknown);
      for (const name of pair.names) expect(whole).toContain(name);
      expect(whole).toContain('accepts only reads');
      const said = gwInThread(['migrate', 'verify'], {
        DATABASE_URL: pair.url.replace('forecourt@', 'forecourt:hush@'),
      });
      expect([said.status, said.stderr]).toEqual([2, expect.stringContaining(pair.names.join(','))]);
      expect(said.stderr).not.toContain('hush');
      await pair.promote();
      const startedAt = Date.now();
      await keep(7);
      expect(Date.now() - startedAt).toBeLessThan(SOON_MS);
      expect((await pair.query('select id from kept order by id')).map(({ id }) => id)).toEqual([1, 4, 7]);
      await pair.rebuild();
      await keep(8);
    },
    60_000,
  );
});

(hasSharedPostgres ? describeWith('pgbouncer') : describe.skip)('PgBouncer in transaction mode', () => {
  test('a time limit of a gateway stays off the connections that others share, and applies to its own', async () => {
    const own = await freshDatabase();
    const pooler = await startPgbouncer(own.url);
    const [direct, pooled] = await Promise.all([
      openDatabase(own.url, ''),
      openDatabase(pooler.url, '', { directUrl: own.url }),
    ]);
    const limits = [direct, direct.reports, pooled.reports, pooled].map(timeoutOf);
    expect(await Promise.all(limits)).toEqual(['4500', '3000', '4500', '4500']);
    expect(doctor(pooler.url)).toMatch(/pooler: its connections are shared, and end statements after 4500ms/);
    expect(doctor(own.url)).not.toContain('pooler:');
    await Promise.all([direct.close(), pooled.close()]);
    await pooler.stop();
    const name = new URL(own.url).pathname.slice(1);
    await own.query(`alter database ${name} set default_transaction_isolation = 'serializable'`);
    const again = await startPgbouncer(own.url);
    expect(doctor(again.url)).toContain("have default_transaction_isolation 'serializable'");
    expect(doctor(own.url)).not.toContain('isolation');
    await again.stop();
    await own.dispose();
  });
});
