import { expect, test } from '@jest/globals';
import { sql } from 'drizzle-orm';
import { migratedDatabase } from '../../../test/support/migrated-database.js';
import { SupplierSwitch } from '../../supplier-states/supplier-switch.js';
import { SwitchboardService } from './switchboard.service.js';

const database = migratedDatabase();

test('the actor and reason of a state are of this environment, even if an earlier version recorded them', async () => {
  const record = (actor: string, environment: string, reason: string) =>
    database().rows(sql`insert into audit_events (actor, action, subject, after, reason)
      values (${actor}, 'supplier_state_given', 'alpine', ${JSON.stringify({ environment })}::json, ${reason})`);
  const suppliers = new SupplierSwitch(database(), 'sandbox');
  await suppliers.set('alpine', 'off', null, 'ops', 'of the sandbox');
  await record('automatic', 'production', 'of production');
  const shown = async () =>
    (await new SwitchboardService(database(), { environment: 'sandbox' }, suppliers).all()).off.map(
      ({ subject, who, reason }) => [subject, who, reason],
    );
  expect(await shown()).toEqual([['alpine', 'ops', 'of the sandbox']]);
  await record('automatic', 'sandbox', 'of the sandbox, earlier');
  expect(await shown()).toEqual([['alpine', 'automatic', 'of the sandbox, earlier']]);
});
