import { setTimeout as wait } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { Pace } from './pace.js';
import { TableChanges } from './table-changes.js';

const LIMITS = { quickMs: 10, slowMs: 1_000, aloneMs: 9_000, activeMs: 50 };
const TABLES = ['audit_events', 'reservations'] as const;

it.each([
  ['insert into "audit_events" ("id") values ($1)', ['audit_events']],
  [
    'with a as (insert into audit_events values (1)) insert into subscriptions select 1',
    ['audit_events', 'subscriptions'],
  ],
  ['delete from webhook_endpoints where id = $1', ['webhook_endpoints']],
  ['update reservations set checks = checks + 1', []],
  ['select * from audit_events for update', []],
  ['insert into accounts values (1)', []],
])('%s changes %j', (statement, tables) => {
  const changes = new TableChanges(true);
  for (const _time of ['first', 'again']) {
    changes.note(statement);
    expect(changes.takeOwn()).toEqual(tables);
    expect(changes.takeOwn()).toEqual([]);
  }
});

it('calls each watcher of a table, says whose change it is, and keeps only its own for others', () => {
  const changes = new TableChanges(false);
  const seen: boolean[] = [];
  changes.watch(['reservations'], (isOwn) => seen.push(isOwn));
  changes.announceOwn('reservations');
  changes.announce('reservations');
  changes.announce('audit_events');
  changes.announce('a_table_of_another_version');
  expect([seen, changes.takeOwn()]).toEqual([[true, false], ['reservations']]);
});

it('a pace is quick for a while after a change, resumes once, and is slow again', async () => {
  const changes = new TableChanges(true);
  let resumed = 0;
  const pace = new Pace(changes, TABLES, LIMITS, () => {
    resumed += 1;
  });
  expect(pace.pauseMs).toBe(9_000);
  changes.announceOwn('reservations');
  changes.announce('audit_events');
  expect([pace.pauseMs, resumed]).toEqual([10, 1]);
  await wait(70);
  expect(pace.pauseMs).toBe(9_000);
});

it('a pace is quick while changes by other processes are not announced, and slow once they are', () => {
  const changes = new TableChanges(false);
  const pace = new Pace(changes, TABLES, LIMITS, () => undefined);
  expect(pace.pauseMs).toBe(10);
  changes.isInformed = true;
  expect(pace.pauseMs).toBe(1_000);
});
