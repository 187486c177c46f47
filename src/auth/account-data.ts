import { setImmediate as nextTurn } from 'node:timers/promises';
import { and, eq, getTableColumns, getTableName, is, isNotNull, or, type SQL, sql, Table } from 'drizzle-orm';
import { type Actor, endBy } from '../database/actor.js';
import * as schema from '../database/all-tables.js';
import { recordAudit } from '../database/audit.js';
import { BY_INDEX, byIndex, FOUND_BY_INDEX, type Run, rowsIn } from '../database/by-index.js';
import type { Database, Tables } from '../database/database.js';
import { readFor } from '../database/report-pool.js';
import { accounts, applications } from '../database/schema.js';
import type { Store } from '../store/store.js';
import { ACCOUNT_ROWS, type AccountRows, type AccountScope } from './account-tables.js';
import type { ApplicationAdmin } from './application-admin.js';
import { lockAccount } from './application-records.js';
import { ChangeRefused } from './change-refused.js';
import type { Environment } from './credentials.js';

/** Rows per part of an export. Preparing a part takes less than a millisecond, and other requests get their turn after it. */
const PAGE = 100;
/** Rows per statement of an erasure: tens of milliseconds. */
const ERASED_AT_ONCE = 1_000;

/**
 * Exports and deletes everything that is kept about an account of this environment (account-tables.ts). Methods reject with the driver's error if the database is unavailable.
 */
export class AccountData {
  /** `store` is undefined if each gateway keeps sessions and tokens in its own memory. */
  constructor(
    private readonly database: Database,
    private readonly admin: ApplicationAdmin,
    private readonly store: Pick<Store, 'endSessions'> | undefined,
    private readonly environment: Environment,
  ) {}

  /** Finds an account with a login by id or email address. Throws an Error if there is none. */
  async find(idOrEmail: string): Promise<AccountScope> {
    const { id, email } = accounts;
    const [row] = await this.database.tables
      .select({ id, email })
      .from(accounts)
      .where(
        and(eq(accounts.environment, this.environment), or(eq(id, idOrEmail), eq(email, idOrEmail.toLowerCase()))),
      );
    if (!row?.email) throw new Error(`no account found for ${idOrEmail} in ${this.environment}`);
    return { accountId: row.id, email: row.email, environment: this.environment };
  }

  /** Records the export, then returns one JSON document in parts of at most 100 rows: a list for each name of ACCOUNT_ROWS. */
  async *export(account: AccountScope, actor: string): AsyncGenerator<string> {
    await recordAudit(
      { tables: this.database.tables, environment: this.environment },
      { actor, action: 'account_exported', subject: account.accountId },
    );
    yield JSON.stringify({ exported_at: new Date().toISOString(), environment: this.environment }).slice(0, -1);
    for (const rows of ACCOUNT_ROWS) {
      let separator = `,\n${JSON.stringify(rows.name)}:[\n`;
      for await (const page of this.#pages(rows, account)) {
        yield separator + page.map((row) => JSON.stringify(row)).join(',\n');
        separator = ',\n';
        await nextTurn();
      }
      yield separator === ',\n' ? '\n]' : `${separator}]`;
    }
    yield '}\n';
  }

  /** Closes the account and erases what is kept about it. If erasing fails, a gateway does it later (account-erasure.ts). */
  async delete(account: AccountScope, actor: Actor): Promise<void> {
    await this.close(account, actor);
    await this.erase(account.accountId);
  }

  /**
   * Deletes the account's applications and its login, and ends its sessions and tokens. Everything else that is kept about it
   * must be erased afterwards. If it fails halfway, it can be repeated.
   */
  async close(account: AccountScope, actor: Actor): Promise<void> {
    const { accountId } = account;
    for (const { id } of await this.#liveApplications(this.database.tables, accountId))
      await this.admin.remove(id, actor);
    // Others wait for this transaction, so it changes few rows.
    await endBy(this.database, actor, async (tx) => {
      await lockAccount(tx, accountId);
      if ((await this.#liveApplications(tx, accountId)).length > 0)
        throw new ChangeRefused('An application was created in the meantime. Try again.');
      await tx.execute(BY_INDEX);
      for (const rows of [...ACCOUNT_ROWS].reverse()) if (rows.isClosing) await eraseRows(rowsIn(tx), rows, account);
      await recordAudit(
        { tables: tx, environment: this.environment },
        { actor, action: 'account_deleted', subject: accountId },
      );
    });
    await this.store?.endSessions(accountId);
  }

  /** The ids of closed accounts about which something may still be kept. */
  async closed(): Promise<readonly string[]> {
    const { id, environment, erasingSince } = accounts;
    const isClosed = and(eq(environment, this.environment), isNotNull(erasingSince));
    return (await this.database.tables.select({ id }).from(accounts).where(isClosed)).map((row) => row.id);
  }

  /**
   * Erases what is kept about a closed account, at most 1,000 rows in a transaction. It can be repeated, even by several
   * gateways concurrently. Rejects with the reason of `signal` if it stops it.
   */
  async erase(accountId: string, signal?: AbortSignal): Promise<void> {
    const inParts = byIndex(this.database.tables);
    const run: Run = async (statement) => {
      signal?.throwIfAborted();
      return await inParts(statement);
    };
    const account = { accountId, email: null, environment: this.environment };
    for (const rows of [...ACCOUNT_ROWS].reverse()) if (!rows.isClosing) await eraseRows(run, rows, account);
    await this.database.tables.update(accounts).set({ erasingSince: null }).where(eq(accounts.id, accountId));
  }

  /**
   * Deletes up to `most` accounts that were created `days` ago or earlier, whose address was never verified: someone else may
   * have entered it. Operators, accounts with applications, and those with a valid link stay. Returns how many.
   */
  async forgetUnverified(days: number, most: number): Promise<number> {
    const deleted = await this.database.rows(sql`
      delete from accounts where id = any(array(
        select a.id from accounts a where a.environment = ${this.environment} and a.verified_at is null and a.email is not null
          and a.role = 'developer' and a.created_at < now() - ${days} * interval '1 day'
          and not exists (select from applications p where p.account_id = a.id)
          and not exists (select from account_links l where l.account_id = a.id and l.expires_at > now())
        limit ${most} for update skip locked)) returning id`);
    return deleted.length;
  }

  /** The rows in parts of at most 100; each costs the same, however many rows there are. */
  async *#pages(rows: AccountRows, account: AccountScope): AsyncGenerator<readonly unknown[]> {
    const { tables, rows: readRows } = this.database.reports;
    const how = rows.which === 'reservation' ? FOUND_BY_INDEX : undefined;
    const run: Run = rows.summary === undefined ? byIndex(tables, how) : readRows;
    const read: Run = (statement) => readFor(account.accountId, () => run(statement));
    for await (const condition of conditionsOf(read, rows, account))
      yield* rows.summary === undefined ? pagesOf(read, rows, condition) : summaryOf(read, rows, condition);
  }

  async #liveApplications(tables: Tables, accountId: string) {
    const { id, state } = applications;
    return await tables
      .select({ id })
      .from(applications)
      .where(and(eq(applications.accountId, accountId), sql`${state} <> 'deleted'`));
  }
}

/** The key of a row as text. */
interface Placed {
  readonly place: readonly string[];
}

/** Conditions that the rows of the account meet, each row one of them. */
async function* conditionsOf(run: Run, { which }: AccountRows, account: AccountScope): AsyncGenerator<SQL> {
  if (typeof which === 'function') yield which(account);
  if (which === 'subject') yield sql`t.subject = ${account.accountId}`;
  if (typeof which === 'function') return;
  const own = await run<{ id: string }>(sql`select id from applications where account_id = ${account.accountId}`);
  for (const { id } of own) {
    if (which === 'application') yield sql`t.application_id = ${id}`;
    if (which === 'reservation') yield* reservationsOf(run, id);
    if (which === 'subject') yield* subjectsOf(run, id);
  }
}

/** The reservations of an application, a hundred at a time. */
async function* reservationsOf(run: Run, applicationId: string): AsyncGenerator<SQL> {
  for (let last = '', length = PAGE; length === PAGE; ) {
    const page = await run<{ id: string }>(sql`select id from reservations
      where application_id = ${applicationId} and id > ${last} order by id limit ${PAGE}`);
    length = page.length;
    last = page.at(-1)?.id ?? last;
    if (length > 0) yield sql`t.reservation_id in ${page.map(({ id }) => id)}`;
  }
}

/** An application, and its secrets that are subjects. */
async function* subjectsOf(run: Run, applicationId: string): AsyncGenerator<SQL> {
  yield sql`t.subject = ${applicationId}`;
  const secrets = await run<{
    id: string;
  }>(sql`select s.id from client_secrets s where s.application_id = ${applicationId}
    and exists (select from audit_events e where e.subject = s.id)`);
  for (const { id } of secrets) yield sql`t.subject = ${id}`;
}

async function eraseRows(run: Run, rows: AccountRows, account: AccountScope): Promise<void> {
  const { deletion } = rows;
  if (deletion !== 'rows' && 'kept' in deletion) return;
  const name = sql.identifier(rows.table);
  const change = deletion === 'rows' ? sql`delete from ${name}` : sql`update ${name} set ${deletion}`;
  for await (const condition of conditionsOf(run, rows, account)) await eraseInParts(run, rows, condition, change);
}

async function* pagesOf(read: Run, rows: AccountRows, condition: SQL): AsyncGenerator<readonly unknown[]> {
  for (let last: Placed | undefined, length = PAGE; length === PAGE; ) {
    const page = await read<Placed & { row: unknown }>(sql`
      select ${shownOf(rows)} as row, ${placed(rows, condition, last, PAGE)}`);
    length = page.length;
    last = page.at(-1);
    if (length > 0) yield page.map(({ row }) => row);
  }
}

/** Groups one day at a time: a statement over all days could take minutes. */
async function* summaryOf(read: Run, rows: AccountRows, condition: SQL): AsyncGenerator<readonly unknown[]> {
  const { table, summary } = rows;
  if (!summary) return;
  const [name, instant] = [sql.identifier(table), sql`t.${sql.identifier(summary.day)}`];
  for (let from = '-infinity'; ; ) {
    const [day] = await read<{ first: string | null; next: string }>(sql`
      select first::text, (first + interval '24 hours')::text as next from (
        select date_trunc('day', min(${instant}), 'UTC') as first from ${name} t
        where ${condition} and ${instant} >= ${from}::timestamptz) days`);
    if (!day?.first) return;
    const groups = await read<{ row: unknown }>(sql`
      select row_to_json(g) as row from (
        select ${summary.columns} from ${name} t
        where ${condition} and ${instant} >= ${day.first}::timestamptz and ${instant} < ${day.next}::timestamptz
        group by ${summary.groups}) g`);
    for (let at = 0; at < groups.length; at += PAGE) yield groups.slice(at, at + PAGE).map(({ row }) => row);
    from = day.next;
  }
}

async function eraseInParts(run: Run, rows: AccountRows, condition: SQL, change: SQL): Promise<void> {
  for (let last: Placed | undefined, length = ERASED_AT_ONCE; length === ERASED_AT_ONCE; await nextTurn()) {
    const some = await run<Placed>(sql`
      with chosen as materialized (select t.tableoid as part, t.ctid as line, ${placed(rows, condition, last, ERASED_AT_ONCE)}),
        erased as (${change} where ctid = any(array(select line from chosen)) and (tableoid, ctid) in (select part, line from chosen))
      select place from chosen`);
    length = some.length;
    last = some.at(-1);
  }
}

/** Columns of each table, shorter names first, as in type jsonb. */
const COLUMNS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.values(schema).flatMap((table) =>
    is(table, Table) ? [[getTableName(table), columnsOf(table)] as const] : [],
  ),
);

function columnsOf(table: Table): readonly string[] {
  const names = Object.values(getTableColumns(table)).map(({ name }) => name);
  return names.toSorted((one, other) => one.length - other.length || (one < other ? -1 : 1));
}

/** The shown columns as json. Type jsonb refuses NUL and half a surrogate pair, which columns of type json may hold. */
function shownOf({ table, hidden = [] }: AccountRows): SQL {
  const shown = (COLUMNS.get(table) ?? []).filter((name) => !hidden.includes(name));
  const members = shown.map((name) => sql`${name}::text, t.${sql.identifier(name)}`);
  return sql`json_build_object(${sql.join(members, sql`, `)})`;
}

/** The end of a select: the key of up to `count` rows as `place`, in the order of the key, starting after `last`. */
function placed({ table, key, which }: AccountRows, condition: SQL, last: Placed | undefined, count: number): SQL {
  const names = Object.keys(key).map((name) => sql`t.${sql.identifier(name)}`);
  const listed = sql.join(names, sql`, `);
  const texts = names.map((name) => sql`${name}::text`);
  const values = Object.values(key).map((type, index) => sql`${last?.place[index]}::${sql.raw(type)}`);
  const after = last && sql`and (${listed}) > (${sql.join(values, sql`, `)})`;
  // Some reservations have few rows, which are found first. PostgreSQL might search for them in the order of the key among everyone's.
  const found =
    which === 'reservation'
      ? sql`(select * from ${sql.identifier(table)} t where ${condition} offset 0) t where true`
      : sql`${sql.identifier(table)} t where ${condition}`;
  return sql`json_build_array(${sql.join(texts, sql`, `)}) as place from ${found} ${after} order by ${listed} limit ${count}`;
}
