import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { sql } from 'drizzle-orm';
import { PgDialect } from 'drizzle-orm/pg-core';
import { pino } from 'pino';
import { migratedDatabase, withoutTriggers } from '../../test/support/migrated-database.js';
import { countingRows } from '../../test/support/rows-read.js';
import { AdminKeys } from '../admin-keys/admin-keys.js';
import { ApplicationAdmin } from '../auth/application-admin.js';
import { ClientSecrets } from '../auth/client-secrets.js';
import { configSchema } from '../config/config.schema.js';
import { loadKeys } from '../config/keys.js';
import { recordAudit } from '../database/audit.js';
import type { Database } from '../database/database.js';
import { changesCopiedAt } from '../metrics/operation-metrics.js';
import { type Store, StoreUnavailableError } from '../store/store.js';
import { AuditCopies } from './audit-copies.js';
import { AuditCopy, type CopiedChange } from './audit-copy.js';
import { PersonalData } from './personal-data.js';

const base = configSchema.parse({ secret: 'a-secret-of-the-audit-copies-tests-0123456789' });
const secrets = new ClientSecrets(base, loadKeys(base));
const store = { endSessions: async () => undefined };

const database = migratedDatabase();
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'forecourt-copies-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const admin = () => new ApplicationAdmin(database(), 'sandbox', secrets, undefined);
const rows = <T = Record<string, unknown>>(text: string) => database().rows<T>(sql.raw(text));

/** The copies of a gateway, with what it logged; `stop` copies what was changed last. */
async function started(
  changes: {
    readonly environment?: 'production';
    readonly journal?: string;
    readonly admin?: ApplicationAdmin;
    readonly reader?: Database;
  } = {},
) {
  const lines: { msg: string; count?: number }[] = [];
  const logger = pino({}, { write: (line: string) => void lines.push(JSON.parse(line) as (typeof lines)[0]) });
  const config = configSchema.parse({
    environment: changes.environment ?? 'sandbox',
    ...(changes.environment ? { secret: base.secret } : {}),
    reservations: { journal: { folder: changes.journal ?? folder } },
  });
  const copies = new AuditCopies(changes.reader ?? database(), config, logger, changes.admin ?? admin(), store);
  await copies.onApplicationBootstrap();
  return { lines, stop: () => copies.onApplicationShutdown() };
}

async function copied(): Promise<readonly CopiedChange[]> {
  const found: CopiedChange[] = [];
  for await (const change of new AuditCopy(folder).read()) found.push(change);
  return found;
}

let count = 0;
/** An account with an application, a reservation, and a key of the admin API. */
async function things() {
  count += 1;
  const account = `acc_copied${count}`;
  await rows(
    `insert into accounts (id, environment, name, tier, email) values ('${account}', 'sandbox', 'A', 'standard', 'a${count}@copied.example')`,
  );
  const create = (name: string) =>
    admin().create({ name, tier: 'standard', accountId: account, products: [], description: '' }, 'ops');
  const [revoked, deleted] = [await create('Revoked'), await create('Deleted')];
  const reservation = `res_${String(count).padStart(20, '0')}`;
  await rows(`insert into reservations (id, environment, application_id, supplier, state, state_reason, state_actor, version, rental, view, personal, payment, sent_until, created_at, updated_at)
    values ('${reservation}', 'sandbox', '${revoked.applicationId}', 'uno', 'pending', 'x', 'ops', 1, '{}', '{}', 'sealed', '{"type":"counter"}', now(), now(), now())`);
  const key = await new AdminKeys(database(), 'sandbox').create(
    { name: `k${count}`, role: 'viewer', expiresAt: new Date(Date.now() + 1e9) },
    'ops',
  );
  return { account, revoked, deleted, reservation, key: key.id };
}

/** What was carried out: erased, revoked, deleted, closed, revoked. */
async function doneTo({ account, revoked, deleted, reservation, key }: Awaited<ReturnType<typeof things>>) {
  const [row] = await rows<Record<string, boolean>>(`select
    (select personal is null from reservations where id = '${reservation}') as erased,
    (select revoked_at is not null from client_secrets where id = '${revoked.secretId}') as revoked,
    (select state = 'deleted' from applications where id = '${deleted.applicationId}') as deleted,
    (select email is null from accounts where id = '${account}') as closed,
    (select revoked_at is not null from admin_keys where id = '${key}') as key`);
  return Object.values(row ?? {});
}

describe('the copies of the audit log', () => {
  it('have which changes were made, with ids only; they are for their owner only', async () => {
    const { stop } = await started();
    const { revoked } = await things();
    await admin().revoke(revoked.secretId, 'ops');
    await recordAudit(
      { tables: database().tables, environment: 'sandbox' },
      { actor: 'ops', action: 'noted', subject: 'ada@copied.example', after: 'Ada' },
    );
    await stop();
    const own = (await copied()).filter(({ subject }) => subject === revoked.applicationId);
    expect(own.map(({ action, secret, env }) => [action, secret, env])).toEqual([
      ['application_created', revoked.secretId, 'sandbox'],
      ['secret_revoked', revoked.secretId, 'sandbox'],
    ]);
    const [file = ''] = readdirSync(folder);
    expect(file).toMatch(/^\d{4}-\d\d-\d\d\.changes\.ndjson$/);
    expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600);
    const text = readFileSync(join(folder, file), 'utf8');
    for (const trace of ['copied.example', 'Ada', 'Revoked', revoked.clientSecret]) expect(text).not.toContain(trace);
  });

  it('have what was changed while no gateway ran', async () => {
    await (await started()).stop();
    const { key } = await things();
    await rows(`insert into audit_events (actor, action, subject, after)
      values ('ops', 'tested', '${key}', null), ('system', 'tested', 'of_production', '{"environment":"production"}')`);
    await (await started()).stop();
    const subjects = (await copied()).map(({ action, subject }) => `${action} ${subject}`);
    expect(subjects).toEqual(expect.arrayContaining([`admin_key_created ${key}`, `tested ${key}`]));
    // Earlier versions noted no environment.
    expect(subjects).not.toContain('tested of_production');
  });

  it('are made after events with half a character, of both environments and of earlier versions', async () => {
    const { lines, stop } = await started();
    const { revoked } = await things();
    const half = String.raw`{"text":"We look into it \ud83d"}`;
    await rows(`insert into audit_events (actor, action, subject, after, environment)
      values ('ops', 'noted', 'inc_other', '${half}', 'production'), ('ops', 'noted', 'inc_own', '${half}', 'sandbox'),
        ('system', 'noted', 'inc_older', '${half}', null)`);
    await admin().revoke(revoked.secretId, 'ops');
    await stop();
    expect(lines).toEqual([]);
    const own = (await copied()).map(({ action, subject, secret }) => [action, subject, secret].join(' ').trim());
    expect(own).toEqual(
      expect.arrayContaining(['noted inc_own', `secret_revoked ${revoked.applicationId} ${revoked.secretId}`]),
    );
    expect(own).not.toContain('noted inc_other');
  });

  it('are made later if the log cannot be read when a gateway starts', async () => {
    let isSlow = true;
    const rows: Database['rows'] = (statement) => {
      const { sql: text } = new PgDialect().sqlToQuery(statement);
      return isSlow && /from audit_seals/.test(text)
        ? Promise.reject(new Error('canceling statement due to statement timeout'))
        : database().rows(statement);
    };
    const { lines, stop } = await started({ reader: { ...database(), rows } });
    const { key } = await things();
    const startedAt = await changesCopiedAt();
    expect(startedAt).toBeGreaterThan(Date.now() - 10_000);
    await until(async () => lines.some(({ msg }) => msg.startsWith('changes cannot be copied')));
    // Metrics and `gw health` show since when.
    expect(await changesCopiedAt()).toBe(startedAt);
    isSlow = false;
    await stop();
    expect(await changesCopiedAt()).toBeGreaterThan(startedAt);
    expect((await copied()).some(({ subject }) => subject === key)).toBe(true);
  });

  it('go on where the newest one was made, in a log of any length, without reading what was before', async () => {
    const length = 15_000;
    await withoutTriggers(
      database(),
      `insert into audit_events (at, actor, action, subject, environment)
        select now() - n * interval '1 minute', 'ops', 'noted', 'long_' || n, 'sandbox' from generate_series(${length}, 1, -1) n`,
      `insert into audit_seals (sequence, event_id, contents, origin, hash)
        select (select coalesce(max(sequence), 0) from audit_seals) + row_number() over (order by id), id, '', '', ''
        from audit_events where subject like 'long_%'`,
      'analyze audit_events, audit_seals',
    );
    const at = new Date(Date.now() - 60.5 * 60_000).toISOString();
    await new AuditCopy(folder, 'gateway2').append([{ at, env: 'sandbox', action: 'noted', subject: 'app_newest' }]);
    const counting = countingRows(database());
    const { stop } = await started({ reader: counting.database });
    await stop();
    const subjects = (await copied()).map(({ subject }) => subject).filter((subject) => subject.startsWith('long_'));
    expect([subjects.at(0), subjects.at(-1), subjects.length]).toEqual(['long_70', 'long_1', 70]);
    expect(await counting.read()).toBeLessThan(length / 2);
  });

  it('end again what ended, once, and say so; not in the other environment', async () => {
    const all = await things();
    const at = new Date().toISOString();
    const change = (action: string, subject: string, secret?: string): CopiedChange => ({
      ...{ at, env: 'sandbox', action, subject },
      ...(secret === undefined ? {} : { secret }),
    });
    const endings = [
      change('reservation_erased', all.reservation),
      change('secret_revoked', all.revoked.applicationId, all.revoked.secretId),
      change('application_deleted', all.deleted.applicationId),
      change('admin_key_revoked', all.key),
      change('secret_revoked', 'app_unknown', 'sec_unknown'),
    ];
    await new AuditCopy(folder, 'gateway2').append(endings);
    await (await started({ environment: 'production' })).stop();
    expect(await doneTo(all)).toEqual([false, false, false, false, false]);
    const first = await started();
    expect(await doneTo(all)).toEqual([true, true, true, false, true]);
    expect(first.lines).toMatchObject([{ count: 4, msg: expect.stringContaining('carried out again') }]);
    await new AuditCopy(folder).append([change('account_deleted', all.account)]);
    const second = await started();
    expect([await doneTo(all), second.lines.map((line) => line.count)]).toEqual([[true, true, true, true, true], [1]]);
    expect((await started()).lines).toEqual([]);
    for (const one of [first, second]) await one.stop();
  });

  it('are compared with the database in parts, however many there are', async () => {
    const { revoked } = await things();
    const change = (secret: string): CopiedChange => ({
      at: new Date().toISOString(),
      env: 'sandbox',
      action: 'secret_revoked',
      subject: revoked.applicationId,
      secret,
    });
    const others = Array.from({ length: 2_500 }, (_, index) => change(`sec_revoked_earlier_${index}`));
    await new AuditCopy(folder).append([...others.slice(0, 1_700), change(revoked.secretId), ...others.slice(1_700)]);
    const asked = jest.spyOn(database(), 'rows');
    const { lines, stop } = await started();
    const lengths = asked.mock.calls.flatMap(([query]) =>
      new PgDialect().sqlToQuery(query).params.map((value) => String(value).length),
    );
    asked.mockRestore();
    expect(lines).toMatchObject([{ count: 1 }]);
    expect(Math.max(...lengths)).toBeLessThan(1_000 * 30);
    expect((await doneTo({ ...(await things()), revoked }))[1]).toBe(true);
    await stop();
  });

  it('are not made without a journal', async () => {
    const { stop } = await started({ journal: 'off' });
    const { reservation } = await things();
    await new PersonalData(database(), 'sandbox').erase(reservation);
    await stop();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('are carried out by gateways that start together without a failure', async () => {
    const before = await started();
    const made = await things();
    await admin().revoke(made.revoked.secretId, 'ops');
    await admin().remove(made.deleted.applicationId, 'ops');
    await new AdminKeys(database(), 'sandbox').revoke(made.key, 'ops');
    await before.stop();
    await rows(`update client_secrets set revoked_at = null where id = '${made.revoked.secretId}'`);
    await rows(`update applications set state = 'active' where id = '${made.deleted.applicationId}'`);
    await rows(`update admin_keys set revoked_at = null where id = '${made.key}'`);
    const [one, other] = await Promise.all([started(), started()]);
    expect([...one.lines, ...other.lines].filter(({ msg }) => msg.includes('cannot be carried out'))).toEqual([]);
    expect((await doneTo(made)).slice(1, 3)).toEqual([true, true]);
    expect((await doneTo(made)).at(-1)).toBe(true);
    await Promise.all([one.stop(), other.stop()]);
  });

  it('are deleted with the journal of their day', async () => {
    const old = join(folder, '2020-01-01.changes.ndjson');
    writeFileSync(old, '');
    const { stop } = await started();
    await stop();
    expect(existsSync(old)).toBe(false);
  });

  it('go on when a database that was behind gives the same places again', async () => {
    const { stop } = await started();
    const first = await things();
    await admin().revoke(first.revoked.secretId, 'ops');
    await until(async () =>
      (await copied()).some(({ secret, action }) => secret === first.revoked.secretId && action === 'secret_revoked'),
    );
    // The replica lacks what was changed last.
    await withoutTriggers(
      database(),
      'delete from audit_events where id in (select event_id from audit_seals order by sequence desc limit 10)',
      'delete from audit_seals where sequence > (select max(sequence) - 10 from audit_seals)',
    );
    const second = await things();
    await admin().revoke(second.revoked.secretId, 'ops');
    await stop();
    expect(
      (await copied()).filter(({ secret }) => secret === second.revoked.secretId).map(({ action }) => action),
    ).toContain('secret_revoked');
  });

  it('are read although the last line before them is incomplete', async () => {
    const day = new Date().toISOString().slice(0, 10);
    writeFileSync(join(folder, `${day}.changes.ndjson`), '{"at":"2026-');
    const change: CopiedChange = { at: new Date().toISOString(), env: 'sandbox', action: 'noted', subject: 'app_a' };
    await new AuditCopy(folder).append([change]);
    expect(await copied()).toEqual([change]);
  });

  it('are not written through a symbolic link', async () => {
    const other = join(folder, 'other.txt');
    writeFileSync(other, 'kept');
    symlinkSync(other, join(folder, '2031-05-06.changes.ndjson'));
    const change: CopiedChange = {
      at: '2031-05-06T10:00:00Z',
      env: 'sandbox',
      action: 'account_deleted',
      subject: 'acc_1',
    };
    await expect(new AuditCopy(folder).append([change])).rejects.toThrow('ELOOP');
    expect(readFileSync(other, 'utf8')).toBe('kept');
  });

  it('keep a gateway from starting while tokens cannot be revoked: it would serve what was deleted', async () => {
    const { deleted } = await things();
    const at = new Date().toISOString();
    const change = { at, env: 'sandbox', action: 'application_deleted', subject: deleted.applicationId } as const;
    await new AuditCopy(folder, 'gateway2').append([change]);
    const away = { revokeAll: () => Promise.reject(new StoreUnavailableError()) } as unknown as Store;
    const failing = started({ admin: new ApplicationAdmin(database(), 'sandbox', secrets, away) });
    await expect(failing).rejects.toThrow(StoreUnavailableError);
    const { lines, stop } = await started();
    expect(lines).toMatchObject([{ count: 1 }]);
    await stop();
  });

  it('keep a gateway from starting while the database fails', async () => {
    const { stop } = await started();
    const { revoked } = await things();
    await admin().revoke(revoked.secretId, 'ops');
    await stop();
    await rows(`update client_secrets set revoked_at = null where id = '${revoked.secretId}'`);
    await rows(
      `create function fail() returns trigger language plpgsql as $$ begin raise exception 'x' using errcode = '57P01'; end $$`,
    );
    await rows(`create trigger fail before update on client_secrets for each row execute function fail()`);
    await expect(started()).rejects.toThrow();
    await rows('drop trigger fail on client_secrets');
    await (await started()).stop();
    expect(
      (await rows(`select revoked_at is not null as done from client_secrets where id = '${revoked.secretId}'`))[0],
    ).toEqual({ done: true });
  });
});

async function until(is: () => Promise<boolean>): Promise<void> {
  for (const end = performance.now() + 20_000; !(await is()); await wait(50))
    if (performance.now() > end) throw new Error('not in time');
}
