import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { jest } from '@jest/globals';
import { sql } from 'drizzle-orm';
import { configSchema } from '../../src/config/config.schema.js';
import { loadKeys } from '../../src/config/keys.js';
import { type Database, openDatabase } from '../../src/database/database.js';
import { reservationRepositoryContract } from '../../src/reservations/reservation.repository.contract.js';
import { ReservationRepository } from '../../src/reservations/reservation.repository.js';
import { describeWith } from '../support/binaries.js';
import { startChild } from '../support/child.js';
import { claim } from '../support/claim.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { migratedFolder } from '../support/migrated-folder.js';
import { startPostgres } from '../support/postgres.js';
import { PROJECT } from '../support/project.js';

jest.setTimeout(120_000);

const WRITER = fileURLToPath(new URL('../support/reservation-writer.mjs', import.meta.url));

/**
 * Lets a process write reservations and kills it midway; returns the newest version of each that the database had
 * acknowledged.
 */
async function killedWriter(dataFolder: string, url?: string): Promise<ReadonlyMap<string, number>> {
  const child = startChild(process.execPath, [WRITER, dataFolder, ...(url === undefined ? [] : [url])], {
    cwd: PROJECT,
  });
  await child.printed('res_');
  await wait(50 + Math.random() * 400);
  await child.stop('SIGKILL');
  const acknowledged = new Map<string, number>();
  for (const [, id = '', version] of child.output().matchAll(/^(res_\w+) (\d+)$/gm))
    acknowledged.set(id, Number(version));
  return acknowledged;
}

/** Acknowledged reservations that are missing, and rows without their history, key or answer. */
async function lost(database: Database, acknowledged: ReadonlyMap<string, number>): Promise<readonly string[]> {
  const config = configSchema.parse({ secret: 'a-secret-of-the-end-to-end-tests-0123456789' });
  const repository = new ReservationRepository(database, config, loadKeys(config));
  const missing: string[] = [];
  for (const [id, version] of acknowledged) {
    const found = await repository.get(id);
    const known = await repository.findKey('app_w', id);
    const answered = known?.answer?.body === id;
    if (!found || found.version < version || known?.reservationId !== id || answered !== (found.version === 2))
      missing.push(id);
  }
  const torn = await database.rows<{ id: string }>(sql`select id from reservations r where version <> (
    select count(*) from reservation_events e where e.reservation_id = r.id) or confirmation_number is distinct from
    case when version = 2 then 'CN' || id end`);
  return [...missing, ...torn.map(({ id }) => id)];
}

describe('a process that is killed while it writes', () => {
  test('loses nothing that PGlite acknowledged, and its folder opens afterwards', async () => {
    const folder = await migratedFolder();
    const acknowledged = await killedWriter(folder);
    expect(acknowledged.size).toBeGreaterThan(0);
    const database = await openDatabase(undefined, folder);
    expect(await lost(database, acknowledged)).toEqual([]);
    await database.close();
    rmSync(folder, { recursive: true });
  });
});

describeWith('initdb')('with a real PostgreSQL', () => {
  let contract: TestDatabase;
  beforeAll(async () => {
    contract = await freshDatabase();
  });
  afterAll(() => contract.dispose());

  reservationRepositoryContract('PostgreSQL', () => openDatabase(contract.url, ''));

  claim(
    ['operation', 'V2.3.3'],
    'Neither a killed gateway nor a killed PostgreSQL server loses an acknowledged reservation.',
    async () => {
      const postgres = await startPostgres('migrated');
      const acknowledged = await killedWriter(tmpdir(), postgres.url);
      await postgres.stop();
      await postgres.start();
      const database = await openDatabase(postgres.url, '');
      expect(await lost(database, acknowledged)).toEqual([]);
      await database.close();
      await postgres.dispose();
      expect(acknowledged.size).toBeGreaterThan(1);
    },
  );
});
