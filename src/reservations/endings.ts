import { sql } from 'drizzle-orm';
import { AccountData } from '../auth/account-data.js';
import type { ApplicationAdmin } from '../auth/application-admin.js';
import { recordAudit } from '../database/audit.js';
import type { Database } from '../database/database.js';
import { databaseFault } from '../database/database-fault.js';
import { type Store, StoreUnavailableError } from '../store/store.js';
import type { CopiedChange } from './audit-copy.js';
import { PersonalData } from './personal-data.js';

type Environment = CopiedChange['env'];

/** What can be carried out again without asking: each ends something for good, and a second time does nothing. */
const ENDINGS = [
  'reservation_erased',
  'secret_revoked',
  'application_deleted',
  'account_deleted',
  'admin_key_revoked',
] as const;
type Ending = (typeof ENDINGS)[number];

const ACTOR = 'system';

/** How many ids one statement asks for. Tenants can revoke millions of secrets in the time that copies are kept. */
const BATCH = 1_000;

/** Ends again what a database that was restored to an earlier time shows as if it had never ended. */
export class Endings {
  /** Ids of reservations, secrets, applications, accounts and keys of the admin API that are still to be looked up. */
  readonly #waiting = new Map<Ending, Set<string>>();
  #count = 0;

  constructor(
    private readonly database: Database,
    private readonly environment: Environment,
    private readonly admin: ApplicationAdmin,
    private readonly store: Pick<Store, 'endSessions'>,
    private readonly failed: (id: string, error: unknown) => void,
  ) {}

  /**
   * Adds a change. If it is an ending, it is carried out now or with later ones. `failed` is called with what it can't end;
   * the others are tried anyway. Rejects with the driver's error if the database is unavailable, and
   * with StoreUnavailableError if the store is.
   */
  async add({ action, subject, secret }: CopiedChange): Promise<void> {
    const ending = ENDINGS.find((one) => one === action);
    const id = ending === 'secret_revoked' ? secret : subject;
    if (!ending || id === undefined) return;
    const ids = (this.#waiting.get(ending) ?? new Set()).add(id);
    this.#waiting.set(ending, ids);
    if (ids.size >= BATCH) await this.#carryOut(ending, ids);
  }

  /** Carries out what is left, and returns how many it ended in total. Rejects as `add` does. */
  async end(): Promise<number> {
    for (const [ending, ids] of this.#waiting) await this.#carryOut(ending, ids);
    return this.#count;
  }

  async #carryOut(ending: Ending, ids: ReadonlySet<string>): Promise<void> {
    this.#waiting.delete(ending);
    for (const { id, email } of await this.#living(ending, [...ids])) {
      try {
        await this.#end(ending, id, email);
        this.#count += 1;
      } catch (error) {
        if (databaseFault(error) || error instanceof StoreUnavailableError) throw error;
        // Gateways that start together end the same.
        const [still] = await this.#living(ending, [id]);
        if (still) this.failed(id, error);
      }
    }
  }

  /** Those of these ids that belong to this environment and aren't ended here. */
  async #living(
    ending: Ending,
    ids: readonly string[],
  ): Promise<readonly { readonly id: string; readonly email: string | null }[]> {
    const named = sql`in (select json_array_elements_text(${JSON.stringify(ids)}::json)) and environment = ${this.environment}`;
    switch (ending) {
      case 'reservation_erased':
        return await this.database.rows(
          sql`select id, null as email from reservations where id ${named} and personal is not null`,
        );
      case 'secret_revoked':
        return await this.database.rows(sql`select s.id, null as email from client_secrets s join applications a on a.id = s.application_id
          where s.id ${named} and s.revoked_at is null`);
      case 'application_deleted':
        return await this.database.rows(
          sql`select id, null as email from applications where id ${named} and state <> 'deleted'`,
        );
      case 'account_deleted':
        return await this.database.rows(sql`select id, email from accounts where id ${named} and email is not null`);
      case 'admin_key_revoked':
        return await this.database.rows(
          sql`select id, null as email from admin_keys where id ${named} and revoked_at is null`,
        );
    }
  }

  async #end(ending: Ending, id: string, email: string | null): Promise<void> {
    const { database, environment, admin, store } = this;
    switch (ending) {
      case 'reservation_erased':
        await new PersonalData(database, environment).erase(id);
        await recordAudit({ tables: database.tables, environment }, { actor: ACTOR, action: ending, subject: id });
        return;
      case 'secret_revoked':
        await admin.revoke(id, ACTOR);
        return;
      case 'application_deleted':
        await admin.remove(id, ACTOR);
        return;
      case 'account_deleted':
        // What is kept about it is erased by AccountErasure.
        await new AccountData(database, admin, store, environment).close({ accountId: id, email, environment }, ACTOR);
        return;
      case 'admin_key_revoked':
        await this.#revokeAdminKey(id);
        return;
    }
  }

  /** As AdminKeys does, which is in a room that this one may not import. */
  async #revokeAdminKey(id: string): Promise<void> {
    const revoked = await this.database.rows(
      sql`update admin_keys set revoked_at = now() where id = ${id} and revoked_at is null returning id`,
    );
    const {
      environment,
      database: { tables },
    } = this;
    if (revoked.length > 0)
      await recordAudit({ tables, environment }, { actor: ACTOR, action: 'admin_key_revoked', subject: id });
  }
}
