import { randomBytes } from 'node:crypto';
import { and, eq, type SQL, sql } from 'drizzle-orm';
import { changeBy, endBy } from '../database/actor.js';
import { recordAudit } from '../database/audit.js';
import type { Database } from '../database/database.js';
import { switches } from '../database/switch-tables.js';

/** What a switch can concern. */
export const SWITCH_KINDS = ['service', 'product', 'supplier', 'operation', 'brand'] as const;

export type SwitchKind = (typeof SWITCH_KINDS)[number];

/** Planned maintenance, or something that an operator switched off. It applies from `beginsAt` until `endsAt`. */
export interface Switch {
  /** `sw_…`. */
  readonly id: string;
  readonly kind: SwitchKind;
  /** `service`, the id of a product, supplier or API operation, or the name of a brand. */
  readonly subject: string;
  readonly beginsAt: Date;
  /** Null = until an operator removes it. */
  readonly endsAt: Date | null;
  readonly reason: string;
}

/** A row of `switchRows`; times in Unix milliseconds. */
export interface SwitchRow {
  readonly id: string;
  readonly kind: string;
  readonly subject: string;
  readonly begins: number;
  readonly ends: number | null;
  readonly reason: string;
}

/** Selects the switches of an environment that apply or will, in order of beginning. */
export function switchRows(environment: string): SQL {
  return sql`
    select id, kind, subject, (extract(epoch from begins_at) * 1000)::float8 as begins,
      (extract(epoch from ends_at) * 1000)::float8 as ends, reason
    from switches where environment = ${environment} and (ends_at is null or ends_at > now()) order by begins_at, id`;
}

/** The switches of rows. A newer version of the gateway may have stored a kind that this one can't apply: it is left out. */
export function switchesFrom(rows: readonly SwitchRow[]): readonly Switch[] {
  return rows.flatMap(({ kind: word, begins, ends, ...rest }) => {
    const kind = SWITCH_KINDS.find((one) => one === word);
    const times = { beginsAt: new Date(begins), endsAt: ends === null ? null : new Date(ends) };
    return kind ? [{ ...rest, kind, ...times }] : [];
  });
}

/** Stores the switches of one environment, with an audit log. Every gateway applies them within `suppliers.statesMs`. */
export class SwitchStorage {
  constructor(
    private readonly database: Pick<Database, 'tables' | 'rows'>,
    private readonly environment: string,
  ) {}

  /** Those that apply or will, in order of beginning. Rejects with the driver's error if the database is unavailable. */
  async pending(): Promise<readonly Switch[]> {
    return switchesFrom(await this.database.rows<SwitchRow>(switchRows(this.environment)));
  }

  /** Adds a switch and returns its id; deletes those that ended more than 90 days ago. */
  async add(added: Omit<Switch, 'id'>, actor: string): Promise<string> {
    const row = { id: `sw_${randomBytes(9).toString('base64url')}`, environment: this.environment, ...added };
    await changeBy(this.database, actor, async (tx) => {
      await tx.delete(switches).where(sql`${switches.endsAt} < now() - interval '90 days'`);
      await tx.insert(switches).values(row);
      await recordAudit(
        { tables: tx, environment: this.environment },
        { actor, action: 'switch_added', subject: row.id, after: row },
      );
    });
    return row.id;
  }

  /** Removes a switch, so that it applies no longer; false if there is none with this id. */
  async remove(id: string, actor: string): Promise<boolean> {
    return endBy(this.database, actor, async (tx) => {
      const isIt = and(eq(switches.environment, this.environment), eq(switches.id, id));
      const [before] = await tx.delete(switches).where(isIt).returning();
      if (before)
        await recordAudit(
          { tables: tx, environment: this.environment },
          { actor, action: 'switch_removed', subject: id, before },
        );
      return before !== undefined;
    });
  }
}
