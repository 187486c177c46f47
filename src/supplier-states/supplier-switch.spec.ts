import { describe, expect, it } from '@jest/globals';
import { sql } from 'drizzle-orm';
import { migratedDatabase, withoutTriggers } from '../../test/support/migrated-database.js';
import { configSchema } from '../config/config.schema.js';
import { createLogger } from '../config/logger.js';
import type { Database } from '../database/database.js';
import { OperatorReads } from '../database/operator-reads.js';
import { TableChanges } from '../database/table-changes.js';
import type { GivenState } from '../suppliers/given-states.js';
import type { SupplierRegistry } from '../suppliers/registry.js';
import { SupplierStatesService } from './supplier-states.service.js';
import { SupplierSwitch } from './supplier-switch.js';

const database = migratedDatabase('supplier_states');
const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000);
const sandbox = () => new SupplierSwitch(database(), 'sandbox');

describe('the state that an operator sets', () => {
  it('replaces the earlier one, in its environment only', async () => {
    const until = inMinutes(5);
    await sandbox().set('bravo', 'off', null, 'ops');
    await sandbox().set('bravo', 'maintenance', until, 'ops');
    await sandbox().set('alpine', 'drain', null, 'ops');
    expect(await sandbox().overrides()).toEqual([
      { supplierId: 'alpine', state: 'drain', until: null },
      { supplierId: 'bravo', state: 'maintenance', until },
    ]);
    expect(await new SupplierSwitch(database(), 'production').overrides()).toEqual([]);
  });

  it('is live once its maintenance expired', async () => {
    await sandbox().set('alpine', 'maintenance', inMinutes(-1), 'ops');
    expect(await sandbox().overrides()).toEqual([{ supplierId: 'alpine', state: 'live', until: null }]);
  });

  it('is off if a newer version of the gateway stored a state that this one does not know', async () => {
    await sandbox().set('alpine', 'live', null, 'ops');
    await database().rows(sql`alter table supplier_states drop constraint if exists supplier_states_state_check`);
    await database().rows(sql`update supplier_states set state = 'half_price'`);
    expect(await sandbox().overrides()).toMatchObject([{ supplierId: 'alpine', state: 'off' }]);
  });

  it('is a share of the searches for canary, until another state is set', async () => {
    await sandbox().canary('bravo', 10, 'ops', 'first steps');
    expect(await sandbox().overrides()).toContainEqual({
      supplierId: 'bravo',
      state: 'canary',
      until: null,
      percent: 10,
    });
    const [event] = await database().rows(
      sql`select action, actor, reason, after::jsonb as after from audit_events order by id desc limit 1`,
    );
    const after = { environment: 'sandbox', state: 'canary', until: null, percent: 10 };
    expect(event).toEqual({ action: 'supplier_state_given', actor: 'ops', reason: 'first steps', after });
    await sandbox().set('bravo', 'off', null, 'ops');
    expect(await sandbox().overrides()).toContainEqual({ supplierId: 'bravo', state: 'off', until: null });
  });

  it('is taken back once', async () => {
    await sandbox().set('alpine', 'off', null, 'ops');
    expect(await new SupplierSwitch(database(), 'production').reset('alpine', 'ops')).toBe(false);
    expect([await sandbox().reset('alpine', 'ops'), await sandbox().reset('alpine', 'ops')]).toEqual([true, false]);
    expect(await sandbox().overrides()).toEqual([]);
  });

  it('is in the audit log with what it was before', async () => {
    await withoutTriggers(database(), 'delete from audit_events');
    await sandbox().set('alpine', 'off', null, 'ada');
    await sandbox().set('alpine', 'shadow', null, 'eve');
    await sandbox().reset('alpine', 'eve');
    const events = await database().rows<{ line: string }>(
      sql`select actor || ' ' || coalesce(before->>'state', '-') || ' ' || coalesce(after->>'state', '-') as line from audit_events order by id`,
    );
    expect(events.map(({ line }) => line)).toEqual(['ada - off', 'eve off shadow', 'eve shadow -']);
  });
});

describe('the gateway', () => {
  /** A service that was started, what it applied and logged. It reads the states every 5 ms. */
  async function started() {
    const applied: [string, GivenState][][] = [];
    const registry = {
      applyStates: (states: ReadonlyMap<string, GivenState>) => {
        applied.push([...states]);
        return applied.length === 1 || JSON.stringify(applied.at(-2)) !== JSON.stringify(applied.at(-1));
      },
    } as unknown as SupplierRegistry;
    const logged: string[] = [];
    const logger = createLogger('info', { write: (line) => void logged.push(JSON.parse(line).msg) });
    const reads = { count: 0 };
    const counting: Pick<Database, 'rows' | 'changes'> = {
      changes: new TableChanges(false),
      rows: (statement) => {
        reads.count += 1;
        return database().rows(statement);
      },
    };
    const operatorReads = new OperatorReads(counting, 5, logger);
    new SupplierStatesService(operatorReads, configSchema.parse({}), logger, registry);
    await operatorReads.start();
    return { operatorReads, applied, logged, reads };
  }
  const rounds = async (reads: { readonly count: number }, count: number): Promise<void> => {
    const target = reads.count + count;
    while (reads.count < target) await new Promise((resolve) => setTimeout(resolve, 5));
  };

  it('applies them before it accepts requests, then follows changes, and says so only when there are any', async () => {
    await sandbox().set('alpine', 'drain', null, 'ops');
    const { operatorReads, applied, logged, reads } = await started();
    expect(applied).toEqual([[['alpine', { state: 'drain' }]]]);
    await rounds(reads, 3);
    await sandbox().set('alpine', 'off', null, 'ops');
    await rounds(reads, 2);
    operatorReads.stop();
    expect(applied.at(-1)).toEqual([['alpine', { state: 'off' }]]);
    expect(logged).toEqual(Array(2).fill('supplier states set by operators applied'));
  });

  it('passes on the announced end of a maintenance', async () => {
    const until = inMinutes(5);
    await sandbox().set('alpine', 'maintenance', until, 'ops');
    const { operatorReads, applied } = await started();
    operatorReads.stop();
    expect(applied[0]).toEqual([['alpine', { state: 'maintenance', untilMs: until.getTime() }]]);
  });

  it('passes on the share of a canary', async () => {
    await sandbox().canary('alpine', 25, 'ops');
    const { operatorReads, applied } = await started();
    operatorReads.stop();
    expect(applied[0]).toContainEqual(['alpine', { state: 'canary', percent: 25 }]);
  });

  it('keeps the last known states while they cannot be read, and warns once', async () => {
    await sandbox().set('alpine', 'off', null, 'ops');
    const { operatorReads, applied, logged, reads } = await started();
    await database().rows(sql`alter table supplier_states rename to supplier_states_away`);
    await rounds(reads, 4);
    const known = applied.length;
    await rounds(reads, 4);
    expect(applied).toHaveLength(known);
    await database().rows(sql`alter table supplier_states_away rename to supplier_states`);
    await rounds(reads, 2);
    operatorReads.stop();
    expect(logged).toEqual([
      'supplier states set by operators applied',
      'settings of operators cannot be read; the last known ones stay in effect',
    ]);
    expect(applied.at(-1)).toEqual([['alpine', { state: 'off' }]]);
  });
});
