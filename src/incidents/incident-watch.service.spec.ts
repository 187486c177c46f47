import { expect, it } from '@jest/globals';
import { sql } from 'drizzle-orm';
import { pino } from 'pino';
import { migratedDatabase } from '../../test/support/migrated-database.js';
import { configSchema } from '../config/config.schema.js';
import type { SupplierState } from '../config/supplier-config.schema.js';
import type { Switches } from '../supplier-states/switches.service.js';
import type { SupplierRegistry } from '../suppliers/registry.js';
import type { MaintenanceService } from '../system/maintenance.service.js';
import type { Maintenance } from '../system/maintenance-switch.js';
import { CountStorage } from './count-storage.js';
import { IncidentStorage } from './incident-storage.js';
import { IncidentWatch } from './incident-watch.service.js';
import { statusReport } from './status-report.schema.js';
import { StatusReports } from './status-report.service.js';

const database = migratedDatabase('service_counts', 'account_counts', 'usage_batches', 'incidents', 'audit_events');
const config = configSchema.parse({});
const silent = pino({ level: 'silent' });
/** A full minute, and the time when gateways have written it. */
const MINUTE = Math.floor(Date.now() / 60_000) - 30;
const after = (minutes: number): number => (MINUTE + minutes) * 60_000 + 20_000;

/** A gateway that shows these suppliers; what is in maintenance can be changed. */
function gateway(states: Record<string, SupplierState> = { uno: 'live', duo: 'live' }) {
  const current: Maintenance[] = [];
  const planned: object[] = [];
  const registry = {
    get shown() {
      return Object.keys(states)
        .filter((id) => states[id] !== 'shadow')
        .map((id) => ({ id, name: id.toUpperCase() }));
    },
    stateOf: (id: string) => states[id],
  } as unknown as SupplierRegistry;
  const maintenance = { current } as unknown as MaintenanceService;
  const watch = new IncidentWatch(database(), config, silent, registry, maintenance);
  const reports = new StatusReports(database(), config, silent, registry, maintenance, {
    planned,
  } as unknown as Switches);
  return { watch, reports, current, planned, states };
}
const stored = () => new IncidentStorage(database(), 'sandbox');
let batches = 0;
async function count(failed: number, ...minutes: number[]): Promise<void> {
  const part = { part: 'supplier:uno', operation: 'searchVehicles', account: '', calls: 20, failed };
  batches += 1;
  const rows = minutes.map((minute) => ({ ...part, minute: MINUTE + minute }));
  await new CountStorage(database(), 'sandbox').add({ number: batches, rows });
}

it('several gateways open one incident when a supplier fails, and end it after it recovered', async () => {
  const [one, other] = [gateway(), gateway()];
  await count(20, 0, 1, 2);
  await Promise.all([one.watch.judge(after(3)), other.watch.judge(after(3))]);
  await one.watch.judge(after(3));
  expect(await stored().recent()).toMatchObject([
    { kind: 'failing', part: 'supplier:uno', operations: ['searchVehicles'], endedAt: null, calls: 60, failed: 60 },
  ]);
  await count(0, 3, 4, 5);
  await other.watch.judge(after(6));
  const [ended] = await stored().recent();
  expect([ended?.beganAt.getTime(), ended?.endedAt?.getTime()]).toEqual([MINUTE * 60_000, (MINUTE + 3) * 60_000]);
  const audit = await database().rows<{ action: string }>(sql`select action from audit_events order by id`);
  expect(audit.map(({ action }) => action)).toEqual(['incident_opened', 'incident_ended']);
});

/** Calls of accounts to a supplier in three minutes, each through a gateway of its own: by account, how many were served and failed. */
async function countBy(calls: Readonly<Record<string, readonly [served: number, failed: number]>>): Promise<void> {
  const part = { part: 'supplier:uno', operation: 'book' };
  for (const [account, [served, failed]] of Object.entries(calls)) {
    const rows = [0, 1, 2].map((minute) => ({
      ...part,
      account,
      minute: MINUTE + minute,
      calls: served + failed,
      failed,
    }));
    await new CountStorage(database(), 'sandbox').add({ number: 1, rows });
  }
}
const SERVED = { acc_1: [3, 0], acc_2: [3, 0], acc_3: [3, 0], acc_4: [3, 0], acc_5: [3, 0] } as const;

it.each<[string, Parameters<typeof countBy>[0], number]>([
  ['that fails alone, while another one is served by another gateway', { acc_a: [0, 200], acc_1: [12, 0] }, 0],
  ['with another one, while five are served', { acc_a: [0, 200], acc_b: [0, 200], ...SERVED }, 0],
  ['with half as many others as are served', { acc_a: [0, 9], acc_b: [0, 9], acc_c: [0, 9], ...SERVED }, 1],
])('the failures of an account %s: %j makes %d incidents', async (_case, calls, incidents) => {
  const { watch } = gateway();
  await countBy(calls);
  await watch.judge(after(3));
  expect(await stored().recent()).toHaveLength(incidents);
});

it('a maintenance is an incident from its beginning to its end; a hidden supplier never is', async () => {
  const { watch, current, states } = gateway({ uno: 'maintenance', duo: 'shadow' });
  current.push({ subject: 'service', until: null });
  await watch.judge(after(0));
  await watch.judge(after(1));
  const open = await stored().open();
  expect(open.map(({ kind, part }) => `${kind} ${part}`).sort()).toEqual([
    'maintenance service',
    'maintenance supplier:uno',
  ]);
  states.uno = 'live';
  current.pop();
  await watch.judge(after(2));
  expect(await stored().open()).toEqual([]);
});

it('the report says what failed, with the notes of operators, in the documented shape', async () => {
  const { watch, reports, planned } = gateway({ uno: 'live', duo: 'maintenance', tre: 'shadow' });
  const times = { beginsAt: new Date('2099-01-01T00:00:00Z'), endsAt: new Date('2099-01-01T02:00:00Z') };
  for (const subject of ['uno', 'tre']) planned.push({ kind: 'supplier', subject, ...times, reason: 'New release' });
  await count(20, 0, 1, 2);
  await watch.judge(after(3));
  const [{ id } = { id: '' }] = (await stored().recent()).filter(({ kind }) => kind === 'failing');
  expect([
    await stored().note(id, 'Uno is looking into it.', 'ops'),
    await stored().note('inc_x', 'No.', 'ops'),
  ]).toEqual([true, false]);
  await stored().begin({ kind: 'failing', part: 'supplier:tre', operations: [], beganAt: new Date() });
  const report = await reports.current();
  expect(statusReport.parse(report)).toEqual(report);
  expect(await reports.current()).toBe(report);
  expect(report.parts.map((part) => [part.id, part.state, part.uptime_90d])).toEqual([
    ['search', 'operational', null],
    ['booking', 'operational', null],
    ['token', 'operational', null],
    ['supplier:uno', 'degraded', 0],
    ['supplier:duo', 'maintenance', null],
  ]);
  expect(report.planned).toMatchObject([{ part: 'supplier:uno', name: 'UNO', ends_at: '2099-01-01T02:00:00.000Z' }]);
  expect(report.state).toBe('degraded');
  expect(JSON.stringify(report)).not.toMatch(/tre/i);
  expect(report.incidents.find((one) => one.id === id)?.notes).toMatchObject([{ text: 'Uno is looking into it.' }]);
});

it('without the database, the report has the states and the figures that were read last', async () => {
  const { reports } = gateway();
  await database().rows(sql`alter table incidents rename to incidents_away`);
  const report = await reports.current();
  await database().rows(sql`alter table incidents_away rename to incidents`);
  expect([report.counted_at, report.parts.length, report.incidents]).toEqual([null, 5, []]);
});
