import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { configSchema } from '../../src/config/config.schema.js';
import { rowsIn } from '../../src/database/by-index.js';
import { type Database, openDatabase } from '../../src/database/database.js';
import { migratePostgres, migrationsOf } from '../../src/database/migrate.js';
import { createPartitions, dropPartitions, partitionsOf } from '../../src/database/time-partitions.js';
import { RecordsRepository } from '../../src/records/records.repository.js';
import { describeWith } from '../support/binaries.js';
import { claim } from '../support/claim.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { gwInThread } from '../support/gw.js';

const TABLE = { name: 'request_log', period: 'day' } as const;
const DAY_MS = 86_400_000;
/** Far more than a statement takes on a busy machine, far less than the readers in these tests take. */
const MOST_WAIT_MS = 500;

describeWith('initdb')('partitions of PostgreSQL', () => {
  let postgres: TestDatabase;
  let databases: Database[];
  const open = async (url = postgres.url): Promise<Database> => {
    const database = await openDatabase(url, '', { migrations: 'wait' });
    databases.push(database);
    return database;
  };
  const begin = async (template: 'migrated' | 'template0' = 'migrated') => {
    databases = [];
    postgres = await freshDatabase(template);
  };
  afterEach(async () => {
    await Promise.all(databases.map((database) => database.close()));
    await postgres.dispose();
  });

  /** Runs statements again and again until `work` is done. Returns how long the slowest took, in milliseconds. */
  async function slowestDuring(statements: readonly string[], work: () => Promise<unknown>): Promise<number> {
    const client = new pg.Client({ connectionString: postgres.url });
    await client.connect();
    let [slowest, isDone] = [0, false];
    const working = work().finally(() => {
      isDone = true;
    });
    while (!isDone)
      for (const statement of statements) {
        const startedAt = performance.now();
        await client.query(statement);
        slowest = Math.max(slowest, performance.now() - startedAt);
        await wait(5);
      }
    await client.end();
    await working;
    return slowest;
  }

  claim(
    'operation',
    'A partition that a long reader keeps in use is dropped after the reader; until then, other statements hardly wait.',
    async () => {
      await begin();
      const database = await open();
      const reader = new pg.Client({ connectionString: postgres.url });
      await reader.connect();
      await reader.query('begin; select 1 from request_log');
      const [first] = await partitionsOf(rowsIn(database.tables), TABLE);
      const drop = () => dropPartitions(database.tables, TABLE, first?.to ?? 0);
      const tries: unknown[] = [];
      const slowest = await slowestDuring(['select 1 from request_log limit 1'], async () => {
        for (let count = 0; count < 10; count += 1) tries.push(await drop());
      });
      await reader.end();
      expect(tries).toEqual(Array.from({ length: 10 }, () => ({ dropped: [], busy: ['request_records'] })));
      expect(slowest).toBeLessThan(MOST_WAIT_MS);
      expect(await drop()).toEqual({ dropped: ['request_records'], busy: [] });
    },
    30_000,
  );

  test('are created once by several gateways, while a long reader and writer use the table', async () => {
    await begin();
    const gateways = await Promise.all(Array.from({ length: 5 }, () => open()));
    const user = new pg.Client({ connectionString: postgres.url });
    await user.connect();
    await user.query(`begin; insert into request_log values ('app_a', now(), 'req', 'op', 200, 1, '{}')`);
    const later = Date.now() + 20 * DAY_MS;
    await Promise.all(gateways.map(({ tables }) => createPartitions(tables, TABLE, Date.now(), later)));
    await user.query('commit');
    await user.end();
    const names = await postgres.query(`select relid::text as name from pg_partition_tree('request_log') where isleaf`);
    expect(new Set(names.map(({ name }) => name)).size).toBe(names.length);
    await postgres.query(
      `insert into request_log select 'app_a', now() + n * interval '1 day', 'req', 'op', 200, 1, '{}' from generate_series(1, 34) n`,
    );
  });

  test('gw migrate apply creates them for gateways whose database user may not, and doctor says when they end', async () => {
    await begin();
    const role = `app_${process.pid}`;
    await postgres.query(
      `create role ${role} login; grant select, insert, update, delete on all tables in schema public to ${role};
       grant usage on schema drizzle to ${role}; grant select on drizzle.__drizzle_migrations to ${role}`,
    );
    const database = await open(postgres.url.replace('forecourt@', `${role}@`));
    const soon = Date.now() + 3 * DAY_MS;
    await expect(createPartitions(database.tables, TABLE, soon, soon)).rejects.toMatchObject({
      cause: { code: '42501' },
    });
    const doctor = () => gwInThread(['doctor'], { DATABASE_URL: postgres.url }).stdout;
    await postgres.query('drop table usage_minutes');
    expect(doctor()).not.toContain('usage_counters until');
    const { status, stdout } = gwInThread(['migrate', 'apply'], { DATABASE_URL: postgres.url });
    expect([status, stdout]).toEqual([
      0,
      expect.stringMatching(/request_log has partitions until \d{4}-\d\d-\d\d\.\n/),
    ]);
    expect(doctor()).toMatch(/usage_counters until \d{4}/);
    // A command says nothing about what gateways keep.
    expect(await postgres.query('select * from record_retention')).toEqual([]);
    const repository = new RecordsRepository(database, configSchema.parse({}));
    await repository.addUsage({ number: 1, suppliers: [], rows: [usageRow] });
    await database.close();
    databases = [];
    await postgres.query(`drop owned by ${role}; drop role ${role}`);
  }, 60_000);

  const usageRow = {
    applicationId: 'app_a',
    minute: Math.floor(Date.now() / 60_000),
    operation: 'searchVehicles',
    status: 200,
    calls: 2,
    durationMs: 30,
    buckets: [],
  };

  claim(
    'operation',
    'The tables of the previous version become the first partitions without blocking, and both versions use the same rows.',
    async () => {
      await begin('template0');
      const migrations = migrationsOf();
      const until = migrations.findIndex(({ name }) => name.includes('time_partitions'));
      const quiet = { apply: true, tell: () => undefined };
      await migratePostgres(postgres.url, quiet, migrations.slice(0, until));
      await postgres.query(`insert into request_records select 'app_a', now() - n * interval '5 s', 'req-' || n, 'op', 200, 1, '{}'
        from generate_series(1, 40000) n`);
      // As gateways of the previous version do.
      const count = `insert into usage_minutes as known values ('app_a', to_timestamp(${usageRow.minute * 60}), 'searchVehicles', 200, 1, 1)
        on conflict (application_id, minute, operation, status) do update set calls = known.calls + 1`;
      let counted = 0;
      const slowest = await slowestDuring(
        [count, `insert into request_records values ('app_b', now(), 'req', 'op', 200, 1, '{}')`],
        () => migratePostgres(postgres.url, quiet, migrations),
      );
      expect(slowest).toBeLessThan(2 * MOST_WAIT_MS);
      const database = await open();
      await new RecordsRepository(database, configSchema.parse({})).addUsage({
        number: 1,
        suppliers: [],
        rows: [usageRow],
      });
      [{ counted }] = (await postgres.query(
        `select count(*)::int as counted from request_log where application_id = 'app_b'`,
      )) as [{ counted: number }];
      await postgres.query(count);
      expect(await postgres.query('select calls from usage_counters')).toEqual([{ calls: counted + 3 }]);
      expect(await postgres.query('select calls from usage_minutes')).toEqual([{ calls: counted + 3 }]);
      await createPartitions(database.tables, TABLE, Date.now(), Date.now() + 30 * DAY_MS);
      await postgres.query(
        `insert into request_log select 'app_c', now() + interval '30 days', 'req-' || n, 'op', 200, 1, '{}' from generate_series(1, 40000) n`,
      );
      // Its retention.
      await postgres.query(`delete from request_records where ctid = any(array(
        select ctid from request_records r where at < now() - interval '1 day' limit 2000))`);
      expect(
        await postgres.query(
          `select application_id as app, count(*)::int as requests from request_log where application_id <> 'app_b' group by 1 order by 1`,
        ),
      ).toEqual([
        { app: 'app_a', requests: 38_000 },
        { app: 'app_c', requests: 40_000 },
      ]);
    },
    60_000,
  );
});
