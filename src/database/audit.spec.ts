import { expect, it } from '@jest/globals';
import { sql } from 'drizzle-orm';
import { migratedDatabase } from '../../test/support/migrated-database.js';
import { IncidentStorage } from '../incidents/incident-storage.js';
import { recordAudit } from './audit.js';

const database = migratedDatabase('audit_seals', 'audit_events', 'incidents');
const HALF = 'A car \ud83d\0';
const STORED = 'A car \ufffd';

it('a change is recorded without halves of characters and NUL, which PostgreSQL cannot read, wherever its texts have them', async () => {
  await recordAudit(
    { tables: database().tables, environment: 'sandbox' },
    {
      actor: 'ops',
      action: 'tested',
      subject: 'app_a',
      before: { texts: [HALF] },
      after: { name: HALF },
      // The limit of reasons is in the middle of the last character.
      reason: `${'x'.repeat(499)}🚗`,
    },
  );
  expect(
    await database().rows(
      sql`select before #>> '{texts,0}' as before, after ->> 'name' as after, reason from audit_events`,
    ),
  ).toEqual([{ before: STORED, after: STORED, reason: `${'x'.repeat(499)}\ufffd` }]);
});

it('so are the names of its members, none of which replaces another', async () => {
  const [half, other] = ['state\ud83d', 'state\ude97'] as const;
  const after = {
    state: 'confirmed',
    'state\0': 'failed',
    list: [{ [half]: 1, [other]: 2 }],
    '4111 1111 1111 1111': 3,
  };
  await recordAudit(
    { tables: database().tables, environment: 'sandbox' },
    { actor: 'ops', action: 'tested', subject: 'app_a', after },
  );
  const [row] = await database().rows<{ after: object }>(sql`select after::jsonb as after from audit_events`);
  expect(row?.after).toMatchObject({
    state: 'confirmed',
    'state\ufffd': 'failed',
    list: [{ 'state\ufffd': 1, 'state\ufffd\ufffd': 2 }],
  });
  expect(JSON.stringify(row?.after)).not.toMatch(/4111 1111|4111111/);
});

it('texts of an incident are stored without them', async () => {
  const storage = new IncidentStorage(database(), 'sandbox');
  const notes = [{ at: '2027-01-31T04:00:00Z', text: HALF }];
  const beganAt = new Date();
  const id = (await storage.begin({ kind: 'notice', part: 'search', operations: [], beganAt, notes }, 'ops')) ?? '';
  expect(await storage.note(id, HALF, 'ops')).toBe(true);
  expect(await database().rows(sql`select n ->> 'text' as text from incidents, json_array_elements(notes) n`)).toEqual([
    { text: STORED },
    { text: STORED },
  ]);
});
