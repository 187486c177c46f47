import { expect, it, jest } from '@jest/globals';
import { sql } from 'drizzle-orm';
import { migratedDatabase } from '../../test/support/migrated-database.js';
import type { Database } from '../database/database.js';
import { RegisteredOrigins } from './registered-origins.js';

const database = migratedDatabase('applications', 'accounts');
const run = (text: string) => database().rows(sql.raw(text));
const SHOP = 'https://shop.example.com';

async function addApplication(id: string, origin: string, environment = 'sandbox', state = 'active'): Promise<void> {
  await run(`insert into accounts (id, environment, name, tier) values ('acc_${id}', '${environment}', 'Ada', 'demo')`);
  await run(`insert into applications (id, account_id, name, client_id, environment, tier, state, allowed_origins)
    values ('app_${id}', 'acc_${id}', 'Shop', '${id}', '${environment}', 'demo', '${state}', '{${origin}}')`);
}

const registry = (from: Pick<Database, 'rows'> = database()) =>
  new RegisteredOrigins(from as Database, { environment: 'sandbox' });

it('knows the exact origins of active applications of its environment', async () => {
  await addApplication('one', SHOP);
  await addApplication('two', 'https://live.example', 'production');
  await addApplication('three', 'https://off.example', 'sandbox', 'suspended');
  const origins = registry();
  expect(await origins.isRegistered(SHOP)).toBe(true);
  for (const other of [
    ...['https://live.example', 'https://off.example', 'https://shop.example.co', `${SHOP}:8443`, 'null', '', '*'],
    ...[`${SHOP}\u0000`, `https://${'a'.repeat(5_000)}`, 'https://a\u0000b', `${SHOP}, ${SHOP}`],
  ])
    expect([other, await origins.isRegistered(other)]).toEqual([other, false]);
});

it('follows a change within a second', async () => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'setTimeout'] });
  try {
    await addApplication('one', SHOP);
    const origins = registry();
    expect(await origins.isRegistered(SHOP)).toBe(true);
    await run(`update applications set allowed_origins = '{https://new.example}'`);
    jest.advanceTimersByTime(600);
    expect([await origins.isRegistered(SHOP), await origins.isRegistered('https://new.example')]).toEqual([
      false,
      true,
    ]);
  } finally {
    jest.useRealTimers();
  }
});

it('reads once at a time for all origins that wait, at most 100, and keeps what it knew while the database fails', async () => {
  await addApplication('one', SHOP);
  let mode: 'reads' | 'waits' | 'fails' = 'reads';
  let reads = 0;
  let go = (): void => undefined;
  const origins = registry({
    rows: async (query: never) => {
      reads += 1;
      if (mode === 'waits') await new Promise<void>((done) => (go = done));
      if (mode === 'fails') throw new Error('no database');
      return await database().rows(query);
    },
  } as never);
  expect(await origins.isRegistered(SHOP)).toBe(true);
  expect([await origins.isRegistered(SHOP), reads]).toEqual([true, 1]);
  mode = 'waits';
  const first = origins.isRegistered('https://first.example');
  const crowd = Array.from({ length: 150 }, (_, index) => origins.isRegistered(`https://x${index}.example`));
  expect(crowd.filter((answer) => answer === false)).toHaveLength(50);
  mode = 'reads';
  go();
  expect([await first, new Set(await Promise.all(crowd)), reads]).toEqual([false, new Set([false]), 3]);
  mode = 'fails';
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'setTimeout'] });
  jest.advanceTimersByTime(60_000);
  const kept = [await origins.isRegistered(SHOP), await origins.isRegistered('https://new.example')];
  jest.useRealTimers();
  expect(kept).toEqual([true, false]);
});
