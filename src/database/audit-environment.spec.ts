import { beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from 'drizzle-orm';
import { migratedDatabase } from '../../test/support/migrated-database.js';
import { recordAudit } from './audit.js';
import { AuditLog } from './audit-log.js';

const database = migratedDatabase('audit_seals', 'audit_events');
const rows = <T>(text: string) => database().rows<T>(sql.raw(text));

/** What operators of the sandbox and of production see: subjects in the list, and in the export. */
async function seen(): Promise<Record<string, readonly string[]>> {
  const found: [string, readonly string[]][] = [];
  for (const environment of ['sandbox', 'production']) {
    const log = new AuditLog(database(), environment);
    const listed = (await log.list({ limit: 1_000 })).map(({ subject }) => subject).reverse();
    let text = '';
    for await (const part of log.export()) text += part;
    const lines = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { readonly sequence: number; readonly subject?: string });
    expect(lines.flatMap(({ subject = [] }) => subject)).toEqual(listed);
    expect(lines.map(({ sequence }) => sequence)).toEqual(lines.map((_, index) => index + 1));
    found.push([environment, listed]);
  }
  return Object.fromEntries(found);
}

/** Records an event as versions did that noted no environment. */
const recordOld = (actor: string, action: string, subject: string, after?: object) =>
  database().rows(sql`insert into audit_events (actor, action, subject, after)
    values (${actor}, ${action}, ${subject}, ${after === undefined ? null : JSON.stringify(after)}::json)`);

it('an event without an environment, of which nothing else says it, is that of a sandbox alone in its database', async () => {
  await recordOld('system', 'tested', 'nothing says it');
  expect(await seen()).toMatchObject({ sandbox: ['nothing says it'] });
});

describe('the environment of an event', () => {
  beforeAll(async () => {
    for (const [environment, letter] of [
      ['sandbox', 's'],
      ['production', 'p'],
    ] as const) {
      await rows(
        `insert into accounts (id, environment, name, tier) values ('acc_${letter}', '${environment}', 'A', 'demo')`,
      );
      await rows(`insert into applications (id, account_id, name, client_id, environment, tier)
        values ('app_${letter}', 'acc_${letter}', 'A', 'client_${letter}', '${environment}', 'demo')`);
      await rows(
        `insert into client_secrets (id, application_id, hmac) values ('sec_${letter}', 'app_${letter}', '${letter}')`,
      );
      await rows(`insert into admin_keys (id, environment, name, role, public_key, expires_at)
        values ('adk_${letter}', '${environment}', 'a', 'viewer', '${letter}', now())`);
      await rows(`insert into incidents (id, environment, kind, part, operations, began_at, calls, failed, notes)
        values ('inc_${letter}', '${environment}', 'notice', 'service', '{}', now(), 0, 0, '[]')`);
      await rows(`insert into reservations (id, environment, application_id, supplier, state, state_reason, state_actor, version, rental,
          view, payment, sent_until, created_at, updated_at)
        values ('res_${letter}', '${environment}', 'app_${letter}', 'alpine', 'pending', 'made', 'application', 1, '{}', '{}', '{}',
          now(), now(), now())`);
    }
  });

  it('is the writer’s, including for calls and background work; the other environment can’t see the event', async () => {
    for (const environment of ['sandbox', 'production'])
      await recordAudit(
        { tables: database().tables, environment },
        { actor: 'system', action: 'tested', subject: `of ${environment}` },
      );
    expect(await seen()).toEqual({ sandbox: ['of sandbox'], production: ['of production'] });
  });

  it.each(['app', 'acc', 'sec', 'adk', 'inc', 'res'])(
    'of an earlier version is that of its subject: %s_…',
    async (kind) => {
      for (const letter of ['s', 'p']) await recordOld('ops', 'tested', `${kind}_${letter}`);
      expect(await seen()).toEqual({ sandbox: [`${kind}_s`], production: [`${kind}_p`] });
    },
  );

  it('of an earlier version is that of who made the change, before that of its subject', async () => {
    for (const letter of ['s', 'p']) {
      await recordOld(`app_${letter}`, 'tested', `app ${letter}`);
      await recordOld(`acc_${letter}`, 'tested', `acc ${letter}`);
    }
    await recordOld('acc_p', 'tested', 'app_s');
    expect(await seen()).toEqual({ sandbox: ['app s', 'acc s'], production: ['app p', 'acc p', 'app_s'] });
  });

  it('of an earlier version is that of its contents, for suppliers and switches', async () => {
    await recordOld('automatic', 'supplier_state_given', 'alpine', { environment: 'production', state: 'shadow' });
    await recordOld('automatic', 'supplier_state_given', 'bravo', { environment: 'sandbox', state: 'shadow' });
    expect(await seen()).toEqual({ sandbox: ['bravo'], production: ['alpine'] });
  });

  it('of an earlier version is not in contents with half a character or NUL, which PostgreSQL cannot read', async () => {
    const contents = { environment: 'production', state: 'shadow' };
    await recordOld('automatic', 'supplier_state_given', 'half', { ...contents, note: 'A car \ud83d' });
    await recordOld('automatic', 'supplier_state_given', 'NUL', { ...contents, note: 'A car \0' });
    await recordOld('ops', 'tested', 'app_s', { ...contents, note: 'A car \ud83d' });
    expect(await seen()).toEqual({ sandbox: ['app_s'], production: ['half', 'NUL'] });
  });

  it('of an earlier version is production for decisions on access requests, although they name the application of the sandbox', async () => {
    for (const action of ['launch_approved', 'launch_refused']) await recordOld('ops', action, 'app_s');
    expect(await seen()).toEqual({ sandbox: [], production: ['app_s', 'app_s'] });
  });

  it("doesn't matter for the state of a version", async () => {
    await recordOld('system', 'version_deprecated', 'search v1');
    await recordAudit(
      { tables: database().tables, environment: 'production' },
      { actor: 'ops', action: 'version_retired', subject: 'search v2' },
    );
    const both = ['search v1', 'search v2'];
    expect(await seen()).toEqual({ sandbox: both, production: both });
  });

  it('is production if nothing says it, for as long as production has accounts in the database', async () => {
    await recordOld('system', 'tested', 'nothing says it');
    expect(await seen()).toEqual({ sandbox: [], production: ['nothing says it'] });
  });
});

it('only events of the audit log can have no environment: in every other table, the column is required', async () => {
  expect(
    await rows(`select table_name::text as table from information_schema.columns
      where column_name = 'environment' and is_nullable = 'YES' and table_schema = 'public'`),
  ).toEqual([{ table: 'audit_events' }]);
});
