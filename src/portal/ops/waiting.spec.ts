import { expect, test } from '@jest/globals';
import { sql } from 'drizzle-orm';
import { migratedDatabase } from '../../../test/support/migrated-database.js';
import { configSchema } from '../../config/config.schema.js';
import { ReservationList } from './reservation-list.service.js';
import { WaitingService } from './waiting.service.js';
import { waitingTasks } from './waiting-tasks.js';

const database = migratedDatabase();

const config = configSchema.parse({});
const rows = (text: string) => database().rows(sql.raw(text));
const shown = async () =>
  waitingTasks(await new WaitingService(database(), config).count(), false).map(
    ({ tone, what, text }) => `${tone} ${what}: ${text}`,
  );

test('nothing waits in an empty database', async () => {
  expect(await shown()).toEqual([]);
});

test('late bookings wait while they are in review, and their page lists the same ones', async () => {
  await rows(`insert into accounts (id, environment, name, tier) values ('acc_a', 'sandbox', 'A', 'demo')`);
  await rows(`insert into applications (id, account_id, name, environment, tier, client_id)
    values ('app_a', 'acc_a', 'A', 'sandbox', 'demo', 'a')`);
  await rows(`insert into reservations (id, environment, application_id, supplier, state, state_reason, state_actor, version, rental, view,
      payment, sent_until, created_at, updated_at)
    select id, 'sandbox', 'app_a', 'alpine', 'pending', 'made', 'application', 1, '{}', '{}', '{}', now(), now(), now()
    from unnest(array['res_late', 'res_kept', 'res_unclear']) id`);
  const move = (ids: string, state: string, version: number) =>
    rows(`update reservations set state = '${state}', version = ${version} where id in (${ids})`);
  await move(`'res_late', 'res_kept'`, 'failed', 2);
  await move(`'res_late', 'res_kept'`, 'manual_review', 3);
  await move(`'res_kept'`, 'confirmed', 4);
  await move(`'res_unclear'`, 'unknown', 2);
  await move(`'res_unclear'`, 'manual_review', 3);
  expect(await shown()).toEqual([
    'bad In review: 2 reservations wait for a person, the oldest for 0 min.',
    'bad Late bookings: 1 reservation in review was found at the supplier after the caller got a failure: ask the caller whether to keep or cancel.',
  ]);
  const list = new ReservationList(database(), config);
  expect((await list.list({ state: 'late_in_review' }, 10)).map(({ id }) => id)).toEqual(['res_late']);
  expect((await list.list({ state: 'late' }, 10)).map(({ id }) => id).sort()).toEqual(['res_kept', 'res_late']);
  await rows(`update reservations set state = 'failed', version = version + 1 where state = 'manual_review'`);
});

test('keys of the admin API that expire within 14 days wait, in this environment, unless they are revoked', async () => {
  await rows(`insert into admin_keys (id, environment, name, role, public_key, expires_at, revoked_at)
    select 'adk_' || name, environment, name, 'viewer', 'k', now() + days * interval '1 day' + interval '1 hour',
      case when name = 'revoked' then now() end
    from (values ('soon', 'sandbox', 13), ('next', 'sandbox', 5), ('far', 'sandbox', 14), ('past', 'sandbox', -2),
      ('revoked', 'sandbox', 1), ('other', 'production', 1)) k (name, environment, days)`);
  expect(await shown()).toEqual([
    'partial Admin keys: 2 keys of the admin API expire within 14 days, first "next" in 5 days. Create another with gw admin-keys create.',
  ]);
  await rows(`update admin_keys set expires_at = now() + interval '36 hours' where name = 'next'`);
  expect((await shown())[0]).toMatch(/^bad .* "next" in 1 day\./);
  await rows('delete from admin_keys');
});

test('keys that encrypt stored data wait a year after they were last rotated', async () => {
  const rotated = (days: number, environment: string) =>
    rows(`insert into audit_events (at, actor, action, subject, environment)
      values (now() - interval '${days} days', 'ops', 'keys_rotated', 'keys', '${environment}')`);
  await rotated(400, 'sandbox');
  await rotated(2, 'production');
  expect(await shown()).toEqual([
    'partial Encryption keys: Stored data was last re-encrypted 400 days ago. Rotate CLIENT_SECRET_KEYS and PERSONAL_DATA_KEYS in two steps (docs/authentication.md).',
  ]);
  // Recorded by an earlier version, which noted no environment: it can have been production.
  await rows(`insert into accounts (id, environment, name, tier) values ('acc_p', 'production', 'P', 'demo')`);
  await rows(
    `insert into audit_events (at, actor, action, subject) values (now() - interval '3 days', 'ops', 'keys_rotated', 'keys')`,
  );
  expect((await shown()).length).toBe(1);
  await rotated(3, 'sandbox');
  expect(await shown()).toEqual([]);
});
