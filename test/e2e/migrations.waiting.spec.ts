import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { appliedTo, type Migration, migratePostgres, migrationsOf } from '../../src/database/migrate.js';
import { describeWith } from '../support/binaries.js';
import { eventually } from '../support/booking.js';
import { claim } from '../support/claim.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { gwInThread } from '../support/gw.js';
import { type Pooler, startPgbouncer } from '../support/pgbouncer.js';
import { type Gateway, startGateway } from '../support/start-gateway.js';

/** `npm run proof:migrations` raises them. */
const ROUNDS = Number(process.env.MIGRATION_ROUNDS ?? 1);
const GATEWAYS = Number(process.env.MIGRATION_GATEWAYS ?? 2);

describeWith('initdb', 'pgbouncer')('migrations of PostgreSQL', () => {
  let database: TestDatabase;
  let pooler: Pooler;
  const begin = async (template: 'migrated' | 'template0') => {
    database = await freshDatabase(template);
    pooler = await startPgbouncer(database.url);
  };
  afterEach(async () => {
    await pooler.stop();
    await database.dispose();
  });

  /** Locks of this database: other specs share the server. */
  const held = async () =>
    database.query(`select 1 from pg_locks join pg_database on pg_database.oid = pg_locks.database
      where locktype = 'advisory' and datname = current_database()`);
  const extra = (statement: string): Migration => ({
    name: '9999_extra',
    when: 9e12,
    hash: 'x',
    statements: [statement],
  });
  const migrations = migrationsOf();
  const positionOf = (name: string) => migrations.findIndex((one) => one.name === name);
  const quiet = { apply: true, tell: () => undefined };

  claim(
    'operation',
    'Gateways that start together on an empty database migrate it once, through PgBouncer in transaction mode or directly.',
    async () => {
      for (let round = 0; round < ROUNDS; round += 1) {
        await begin('template0');
        // They share the processor.
        const startMs = 40_000 + GATEWAYS * 8_000;
        const start = (url: string) => startGateway({ env: { DATABASE_URL: url, LOG_LEVEL: 'info' }, startMs });
        const urls = Array.from({ length: GATEWAYS }, (_, index) => (index % 2 === 0 ? pooler.url : database.url));
        const started = await Promise.allSettled(urls.map(start));
        const gateways = started.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
        const applied = (one: Gateway) => one.child.output().split('Applied migration').length - 1;
        await Promise.all(gateways.map((one) => one.stop()));
        const counts = gateways.map(applied);
        const failures = started.flatMap((one) => (one.status === 'rejected' ? [String(one.reason)] : []));
        expect(failures).toEqual([]);
        expect(counts.reduce((sum, count) => sum + count, 0)).toBe(migrations.length);
        expect((await appliedTo(database.url)).map(({ when }) => when)).toEqual(migrations.map(({ when }) => when));
        // A gateway holds one for milliseconds while it makes partitions; a stranded one stays.
        await eventually(held, (locks) => locks.length === 0);
        if (round < ROUNDS - 1) {
          await pooler.stop();
          await database.dispose();
          console.log(`round ${round + 1} of ${ROUNDS}: ${GATEWAYS} gateways started`);
        }
      }
    },
    ROUNDS * GATEWAYS * 20_000,
  );

  claim(
    'operation',
    'A migration that waits for a reader lets other statements on its table through every second, and is applied when the reader ends.',
    async () => {
      await begin('migrated');
      const reader = new pg.Client({ connectionString: database.url });
      await reader.connect();
      await reader.query('begin; select 1 from reservations');
      const told: string[] = [];
      const migrating = migratePostgres(
        pooler.url,
        { apply: true, tell: (message) => told.push(message), tellEveryMs: 500 },
        [...migrations, extra('alter table reservations add column extra text')],
      );
      const waits: number[] = [];
      for (const end = Date.now() + 2_500; Date.now() < end; ) {
        const askedAt = performance.now();
        await database.query('select 1 from reservations limit 1');
        waits.push(performance.now() - askedAt);
        await wait(20);
      }
      expect(told.at(-1)).toMatch(/not migrated yet: 9999_extra: another session holds a lock.*Waiting since \d+ s/);
      await reader.end();
      await migrating;
      expect(Math.max(...waits)).toBeGreaterThan(300);
      expect(Math.max(...waits)).toBeLessThan(2_500);
      expect(told.at(-1)).toMatch(/^Applied migration 9999_extra in \d+ ms\.$/);
    },
    30_000,
  );

  it('an index that was built stays while a reader delays the removal of the one before it', async () => {
    await begin('template0');
    await migratePostgres(database.url, quiet, migrations.slice(0, positionOf('0056_recycled_numbers')));
    const reader = new pg.Client({ connectionString: database.url });
    await reader.connect();
    await reader.query('begin; select 1 from reservations');
    const told: string[] = [];
    const migrating = migratePostgres(
      database.url,
      { apply: true, tell: (message) => told.push(message), tellEveryMs: 500 },
      migrations.slice(0, positionOf('0057_confirmation_index') + 1),
    );
    await eventually(
      async () => told,
      (messages) => messages.some((one) => one.includes('not migrated yet: 0057_confirmation_index')),
    );
    expect(told[0]).toMatch(/^Applied migration 0056_recycled_numbers/);
    await reader.end();
    await migrating;
    expect(
      await database.query(
        `select indexname from pg_indexes where indexname in ('reservations_confirmation', 'reservations_number')`,
      ),
    ).toEqual([{ indexname: 'reservations_number' }]);
  }, 30_000);

  it('columns and indexes that were made before are found, except an index that is invalid', async () => {
    await begin('template0');
    const [first, last] = [positionOf('0053_listed_states'), positionOf('0057_confirmation_index')];
    await migratePostgres(database.url, quiet, migrations.slice(0, first));
    const statements = migrations.slice(first, last + 1).flatMap((one) => one.statements);
    const columns = statements.filter((one) => /^ALTER TABLE .* ADD COLUMN IF NOT EXISTS /.test(one));
    const indexes = statements.filter((one) => /^CREATE (UNIQUE )?INDEX IF NOT EXISTS /.test(one));
    for (const one of columns) await database.query(one);
    for (const one of indexes) await database.query(one.replace('INDEX IF NOT EXISTS', 'INDEX CONCURRENTLY'));
    expect([columns.length, indexes.length]).toEqual([1, 5]);
    await database.query(`update pg_index set indisvalid = false where indexrelid = 'reservations_number'::regclass`);
    const told: string[] = [];
    const migrating = migratePostgres(database.url, {
      apply: true,
      tell: (message) => told.push(message),
      tellEveryMs: 100,
    });
    await eventually(
      async () => told.at(-1) ?? '',
      (message) => message.includes('0056_recycled_numbers: the index reservations_number is INVALID'),
    );
    await database.query('drop index reservations_number');
    await migrating;
    expect(
      await database.query(`select indisvalid from pg_index where indexrelid = 'reservations_number'::regclass`),
    ).toEqual([{ indisvalid: true }]);
  }, 30_000);

  claim(
    'operation',
    'A gateway that crashes while it migrates leaves no lock and no half of a migration.',
    async () => {
      await begin('migrated');
      const slow = extra('create table half (id int); select pg_sleep(2)');
      const dead = migratePostgres(pooler.url, quiet, [...migrations, slow]).catch((error: unknown) => error);
      await eventually(held, (locks) => locks.length === 1);
      await pooler.stop();
      expect(await dead).toBeInstanceOf(Error);
      pooler = await startPgbouncer(database.url);
      await migratePostgres(pooler.url, quiet, [...migrations, extra('create table half (id int)')]);
      expect(await database.query('select * from half')).toEqual([]);
    },
    30_000,
  );

  claim(
    'operation',
    'A gateway whose user may not change tables, or with DATABASE_MIGRATIONS=wait, says what it waits for, and starts after gw migrate apply.',
    async () => {
      await begin('template0');
      const env = { DATABASE_URL: pooler.url, DATABASE_MIGRATIONS: 'wait' };
      const starting = startGateway({ env });
      await database.query(`create role app_${process.pid} login`);
      const told: string[] = [];
      const user = database.url.replace('forecourt@', `app_${process.pid}@`);
      const waiting = migratePostgres(user, { apply: true, tell: (message) => told.push(message), tellEveryMs: 100 });
      await eventually(
        async () => told,
        (messages) => messages.some((one) => one.includes('may not change tables; run `gw migrate apply`')),
      );
      const migrate = (word: string) => {
        const { status, stdout } = gwInThread(['migrate', word], {
          DATABASE_URL: pooler.url,
          DATABASE_DIRECT_URL: database.url,
        });
        return { status, stdout };
      };
      expect(migrate('plan').stdout).toContain(`-- ${migrations.length} migrations to apply`);
      expect(migrate('verify')).toMatchObject({
        status: 1,
        stdout: expect.stringContaining('0000_init is not applied'),
      });
      expect(migrate('apply').status).toBe(0);
      expect(migrate('verify').status).toBe(0);
      await eventually(
        async () => told,
        (messages) => messages.some((one) => one.includes('needs USAGE on the schema drizzle')),
      );
      await database.query(`grant usage on schema drizzle to app_${process.pid};
        grant select on drizzle.__drizzle_migrations to app_${process.pid}`);
      await waiting;
      const gateway = await starting;
      expect(gateway.child.output()).not.toContain('Applied migration');
      await gateway.stop();
      await database.query(`drop owned by app_${process.pid}; drop role app_${process.pid}`);
    },
    60_000,
  );
});
