import { randomBytes } from 'node:crypto';
import { and, asc, desc, eq, gt, isNull, or, sql } from 'drizzle-orm';
import { z } from 'zod';
import { changeBy, endBy } from '../database/actor.js';
import { recordAudit } from '../database/audit.js';
import type { Database } from '../database/database.js';
import { incidents } from '../database/incident-tables.js';
import { storable } from '../database/storable.js';

/** `failing` and `maintenance` are opened and closed by the gateways, `notice` by an operator. */
export const INCIDENT_KINDS = ['failing', 'maintenance', 'notice'] as const;

/** What an operator wrote about an incident. */
export interface Note {
  /** ISO 8601. */
  readonly at: string;
  readonly text: string;
}

/** An incident of one environment. */
export interface Incident {
  /** `inc_…`. */
  readonly id: string;
  readonly kind: (typeof INCIDENT_KINDS)[number];
  /** `search`, `booking`, `token`, `service`, `product:` or `supplier:` and an id. */
  readonly part: string;
  /** Operations of a supplier; empty = all, or it isn't a supplier. */
  readonly operations: readonly string[];
  readonly beganAt: Date;
  /** Null = it isn't over. */
  readonly endedAt: Date | null;
  readonly calls: number;
  readonly failed: number;
  /** Oldest first. */
  readonly notes: readonly Note[];
}

type Beginning = Pick<Incident, 'kind' | 'part' | 'operations' | 'beganAt'> &
  Partial<Pick<Incident, 'calls' | 'failed' | 'notes'>>;

const notes = z.array(z.object({ at: z.string(), text: z.string() }));
/** More belong into another incident. */
const MOST_NOTES = 20;
const MOST_SHOWN = 100;

/** Stores incidents of one environment. Rejects with the driver's error if the database is unavailable. */
export class IncidentStorage {
  constructor(
    private readonly database: Pick<Database, 'tables' | 'rows'>,
    private readonly environment: string,
  ) {}

  /** Those that aren't over, in order of their beginning. */
  async open(): Promise<readonly Incident[]> {
    const isOpen = and(this.#isOwn(), isNull(incidents.endedAt));
    const rows = await this.database.tables.select().from(incidents).where(isOpen).orderBy(asc(incidents.beganAt));
    return rows.map(incidentOf);
  }

  /** Those that aren't over or ended in the last 90 days, newest first; at most 100. */
  async recent(): Promise<readonly Incident[]> {
    const isRecent = or(isNull(incidents.endedAt), gt(incidents.endedAt, sql`now() - interval '90 days'`));
    const rows = await this.database.tables
      .select()
      .from(incidents)
      .where(and(this.#isOwn(), isRecent))
      .orderBy(desc(incidents.beganAt), asc(incidents.id))
      .limit(MOST_SHOWN);
    return rows.map(incidentOf);
  }

  /** Opens an incident, unless one of this kind is open for the part (notices: in any case). Returns the id of a new one. */
  async begin(
    { kind, part, operations, beganAt, calls = 0, failed = 0, notes: texts = [] }: Beginning,
    actor = 'system',
  ): Promise<string | undefined> {
    const { environment } = this;
    const id = `inc_${randomBytes(9).toString('base64url')}`;
    const stored = texts.map(({ at, text }) => ({ at, text: storable(text) }));
    const row = { id, environment, kind, part, operations: [...operations], beganAt, calls, failed, notes: stored };
    return changeBy(this.database, actor, async (tx) => {
      const [opened] = await tx.insert(incidents).values(row).onConflictDoNothing().returning({ id: incidents.id });
      if (opened)
        await recordAudit(
          { tables: tx, environment: this.environment },
          { actor, action: 'incident_opened', subject: id, after: row },
        );
      return opened?.id;
    });
  }

  /** Ends an open incident; false if there is none with this id. */
  async end(id: string, endedAt: Date, actor = 'system'): Promise<boolean> {
    return endBy(this.database, actor, async (tx) => {
      const isIt = and(this.#isOwn(), eq(incidents.id, id), isNull(incidents.endedAt));
      // An incident of the other kind may have begun later than a minute that was calm.
      const at = sql`greatest(${incidents.beganAt}, ${endedAt.toISOString()}::timestamptz)`;
      const [ended] = await tx.update(incidents).set({ endedAt: at }).where(isIt).returning({ id: incidents.id });
      if (ended)
        await recordAudit(
          { tables: tx, environment: this.environment },
          { actor, action: 'incident_ended', subject: id, after: { endedAt } },
        );
      return ended !== undefined;
    });
  }

  /** Adds a text to an incident; false if there is none with this id, or it has 20 texts. */
  async note(id: string, text: string, actor: string): Promise<boolean> {
    return changeBy(this.database, actor, async (tx) => {
      const isIt = and(this.#isOwn(), eq(incidents.id, id));
      const [found] = await tx.select().from(incidents).where(isIt).for('update');
      const before = found ? notes.parse(found.notes) : [];
      if (!found || before.length >= MOST_NOTES) return false;
      const note: Note = { at: new Date().toISOString(), text: storable(text) };
      await tx
        .update(incidents)
        .set({ notes: [...before, note] })
        .where(isIt);
      await recordAudit(
        { tables: tx, environment: this.environment },
        { actor, action: 'incident_noted', subject: id, after: note },
      );
      return true;
    });
  }

  /** Deletes incidents that ended more than 90 days ago. */
  async prune(): Promise<void> {
    await this.database.rows(
      sql`delete from incidents where environment = ${this.environment} and ended_at < now() - interval '90 days'`,
    );
  }

  #isOwn() {
    return eq(incidents.environment, this.environment);
  }
}

function incidentOf({ environment: _own, ...row }: typeof incidents.$inferSelect): Incident {
  // A newer version of the gateway may have stored a kind that this one doesn't know.
  const kind = INCIDENT_KINDS.find((one) => one === row.kind) ?? 'notice';
  return { ...row, kind, notes: notes.parse(row.notes) };
}
