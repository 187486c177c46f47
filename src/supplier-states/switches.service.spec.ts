import { expect, it } from '@jest/globals';
import { sql } from 'drizzle-orm';
import { pino } from 'pino';
import { migratedDatabase } from '../../test/support/migrated-database.js';
import { configSchema } from '../config/config.schema.js';
import { OperatorReads } from '../database/operator-reads.js';
import type { AppliedSwitches } from '../suppliers/given-states.js';
import type { SupplierRegistry } from '../suppliers/registry.js';
import { type Switch, SwitchStorage } from './switch-storage.js';
import { Switches } from './switches.service.js';

const database = migratedDatabase('switches', 'audit_events');
const sandbox = () => new SwitchStorage(database(), 'sandbox');
const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000);
const one = (values: Partial<Switch> = {}): Omit<Switch, 'id'> => ({
  ...{ kind: 'supplier', subject: 'bravo', beginsAt: inMinutes(-1), endsAt: inMinutes(5), reason: 'New release' },
  ...values,
});

/** A gateway that has read the switches once, and what it applied to its suppliers. */
async function gateway() {
  const applied: AppliedSwitches[] = [];
  const registry = { applySwitches: (given: AppliedSwitches) => applied.push(given) } as unknown as SupplierRegistry;
  const config = configSchema.parse({});
  const logger = pino({ level: 'silent' });
  const reads = new OperatorReads(database(), 500, logger);
  const switches = new Switches(reads, config, logger, registry);
  await reads.start();
  reads.stop();
  return { switches, applied };
}

it('applies from its beginning to its end, to what it concerns, in its environment', async () => {
  const until = inMinutes(5);
  await sandbox().add(one({ endsAt: until }), 'ops');
  await sandbox().add(one({ subject: 'dune', beginsAt: inMinutes(1) }), 'ops');
  await sandbox().add(one({ subject: 'abg', endsAt: inMinutes(-0.5) }), 'ops');
  await sandbox().add(one({ kind: 'brand', subject: 'Avis', endsAt: null }), 'ops');
  await sandbox().add(one({ kind: 'operation', subject: 'book' }), 'ops');
  await new SwitchStorage(database(), 'production').add(one({ subject: 'alpine' }), 'ops');
  const { switches, applied } = await gateway();
  expect(applied).toEqual([
    { suppliers: new Map([['bravo', until.getTime()]]), brands: new Map([['Avis', undefined]]) },
  ]);
  expect(switches.current.map(({ subject }) => subject).sort()).toEqual(['Avis', 'book', 'bravo']);
  expect(switches.planned.map(({ subject }) => subject)).toEqual(['dune']);
  expect([switches.of('operation', 'book')?.reason, switches.of('product', 'book')]).toEqual([
    'New release',
    undefined,
  ]);
});

it('of two that apply to one subject, the one that ends last counts', async () => {
  await sandbox().add(one({ endsAt: null }), 'ops');
  await sandbox().add(one(), 'ops');
  expect((await gateway()).switches.of('supplier', 'bravo')?.endsAt).toBeNull();
});

it('is removed once, and both changes are in the audit log', async () => {
  const id = await sandbox().add(one(), 'ada');
  expect([await sandbox().remove(id, 'eve'), await sandbox().remove(id, 'eve')]).toEqual([true, false]);
  expect(await sandbox().pending()).toEqual([]);
  const rows = await database().rows<{ line: string }>(
    sql`select actor || ' ' || action as line from audit_events order by id`,
  );
  expect(rows.map(({ line }) => line)).toEqual(['ada switch_added', 'eve switch_removed']);
});

it('of a kind that only a newer version knows is not applied', async () => {
  await sandbox().add(one(), 'ops');
  await database().rows(sql`update switches set kind = 'moon'`);
  expect(await sandbox().pending()).toEqual([]);
});
