import '../../test/support/long-timeout.mjs';
import { rmSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { sql } from 'drizzle-orm';
import { migratedFolder } from '../../test/support/migrated-folder.js';
import { type Actor, changeBy, SessionRevokedError } from './actor.js';
import { recordAudit } from './audit.js';
import { type Database, openDatabase } from './database.js';

let folder: string;
let database: Database;
beforeAll(async () => {
  folder = await migratedFolder();
  database = await openDatabase(undefined, folder);
  await database.rows(sql`insert into accounts (id, environment, name, tier, sessions_generation)
    values ('acc_a', 'sandbox', 'A', 'demo', 3)`);
}, 30_000);
afterAll(async () => {
  await database.close();
  rmSync(folder, { recursive: true, force: true });
});

const change = (actor: Actor): Promise<void> =>
  changeBy(database, actor, (tx) => recordAudit({ tables: tx }, { actor, action: 'tested', subject: 'app_a' }));
const actors = async (): Promise<unknown[]> =>
  (await database.rows<{ actor: string }>(sql`select actor from audit_events order by id`)).map(({ actor }) => actor);

it('a change of a person is carried out while the session is live, and one of an operator always', async () => {
  await change({ accountId: 'acc_a', session: { generation: 3 } });
  await change('ops');
  expect(await actors()).toEqual(['acc_a', 'ops']);
});

it.each([
  ['was revoked', { accountId: 'acc_a', session: { generation: 2 } }],
  ['is of an account that no longer exists', { accountId: 'acc_gone', session: { generation: 0 } }],
])('a change of a person whose session %s changes nothing', async (_, actor) => {
  const before = await actors();
  await expect(change(actor)).rejects.toThrow(SessionRevokedError);
  expect(await actors()).toEqual(before);
});
