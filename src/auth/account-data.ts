import { setImmediate as nextTurn } from 'node:timers/promises';
import { and, eq, ne, or, type SQL, sql } from 'drizzle-orm';
import { recordAudit } from '../database/audit.js';
import type { Database, Tables } from '../database/database.js';
import { accounts, applications } from '../database/schema.js';
import type { Store } from '../store/store.js';
import { ACCOUNT_ROWS, type AccountRows, type AccountScope } from './account-tables.js';
import type { ApplicationAdmin } from './application-admin.js';
import { lockAccount } from './application-records.js';
import { ChangeRefused } from './change-refused.js';
import type { Environment } from './credentials.js';

/** Rows per part of an export. Preparing a part takes less than a millisecond, and other requests get their turn after it. */
const PAGE = 100;
const DELETED_AT_ONCE = 1_000;

/**
 * Exports and deletes everything that is kept about an account of this environment (account-tables.ts). `actor` is `ops`
 * or the account's id. Methods reject with the driver's error if the database is unavailable.
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
    await recordAudit(this.database, { actor, action: 'account_exported', subject: account.accountId });
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

  /**
   * Deletes the account with its applications, and ends its sessions and tokens. If it fails halfway, it can be repeated.
   */
  async delete(account: AccountScope, actor: string): Promise<void> {
    const { accountId } = account;
    for (const { id } of await this.#liveApplications(this.database.tables, accountId))
      await this.admin.remove(id, actor);
    await this.database.tables.transaction(async (tx) => {
      await lockAccount(tx, accountId);
      if ((await this.#liveApplications(tx, accountId)).length > 0)
        throw new ChangeRefused('An application was created in the meantime. Try again.');
      for (const rows of [...ACCOUNT_ROWS].reverse()) await deleteRows(tx, rows, account);
      await recordAudit({ tables: tx }, { actor, action: 'account_deleted', subject: accountId });
    });
    await this.store?.endSessions(accountId);
  }

  async *#pages(rows: AccountRows, account: AccountScope): AsyncGenerator<readonly unknown[]> {
    const { table, which, hidden = [], summary } = rows;
    const columns = sql`to_jsonb(t) - ${`{${hidden.join(',')}}`}::text[] as row`;
    if (summary) {
      const all = await this.database.rows<{ row: unknown }>(
        sql`select ${columns} from (${summary}) t where ${which(account)}`,
      );
      for (let at = 0; at < all.length; at += PAGE) yield all.slice(at, at + PAGE).map(({ row }) => row);
      return;
    }
    for (let last = '(0,0)', length = PAGE; length === PAGE; ) {
      const page = await this.database.rows<{ row: unknown; place: string }>(sql`
        select ${columns}, t.ctid::text as place from ${sql.identifier(table)} t
        where ${which(account)} and t.ctid > ${last}::tid order by t.ctid limit ${PAGE}`);
      length = page.length;
      last = page.at(-1)?.place ?? last;
      if (length > 0) yield page.map(({ row }) => row);
    }
  }

  async #liveApplications(tables: Tables, accountId: string) {
    const { id, state } = applications;
    return await tables
      .select({ id })
      .from(applications)
      .where(and(eq(applications.accountId, accountId), ne(state, 'deleted')));
  }
}

async function deleteRows(tx: Tables, { table, which, deletion }: AccountRows, account: AccountScope) {
  const name = sql.identifier(table);
  if (deletion === 'rows') {
    for (let count = DELETED_AT_ONCE; count === DELETED_AT_ONCE; ) {
      const some = sql`array(select t.ctid from ${name} t where ${which(account)} limit ${DELETED_AT_ONCE})`;
      const { rows } = await rowsOf(tx, sql`delete from ${name} where ctid = any(${some}) returning 1`);
      count = rows.length;
    }
  } else if (!('kept' in deletion)) await tx.execute(sql`update ${name} t set ${deletion} where ${which(account)}`);
}

/** Both drivers return the rows as a member, which drizzle's type for either of them lacks. */
async function rowsOf(tx: Tables, statement: SQL): Promise<{ readonly rows: readonly unknown[] }> {
  return (await tx.execute(statement)) as unknown as { readonly rows: readonly unknown[] };
}
