import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from '@jest/globals';
import { sql } from 'drizzle-orm';
import { migratedFolder } from '../../test/support/migrated-folder.js';
import { openDatabase } from './database.js';

const root = mkdtempSync(join(tmpdir(), 'forecourt-database-'));
afterAll(() => rmSync(root, { recursive: true }));

// first-start.timing.spec.ts shows that a folder without a database gets one.
it('opens a migrated database, releases it, and opens it again despite the lock of a killed process', async () => {
  const folder = await migratedFolder();
  const lock = join(folder, 'database.lock');
  for (const expected of [0, 1]) {
    const database = await openDatabase(undefined, folder);
    await database.ping();
    expect(await database.rows<{ count: number }>(sql`select count(*)::int as count from products`)).toEqual([
      { count: expected },
    ]);
    if (expected === 0)
      await database.rows(sql`insert into products (id, name, path, state) values ('p', 'P', '/p', 'live')`);
    await database.close();
    expect(existsSync(lock)).toBe(false);
    writeFileSync(lock, String(spawnSync(process.execPath, ['-e', '']).pid));
  }
  rmSync(folder, { recursive: true });
}, 90_000);

it('fails fast when PostgreSQL is unreachable', async () => {
  const startedAt = performance.now();
  await expect(openDatabase('postgresql://nobody@127.0.0.1:1/none', root)).rejects.toThrow();
  expect(performance.now() - startedAt).toBeLessThan(3_000);
});
