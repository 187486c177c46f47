import { Inject, Injectable } from '@nestjs/common';
import { eq, sql } from 'drizzle-orm';
import { CONFIG, type Config } from '../config/config.module.js';
import { type Actor, changeBy, endBy, limitApplicationChanges } from '../database/actor.js';
import { recordAudit } from '../database/audit.js';
import type { Database, Tables } from '../database/database.js';
import { DATABASE } from '../database/database.module.js';
import { OperatorReads } from '../database/operator-reads.js';
import { testClocks } from '../database/sandbox-tables.js';
import { lockApplication } from './application-records.js';
import { ChangeRefused } from './change-refused.js';

/** What becomes of confirmed reservations: completed at their return, or no_show at their pickup. */
export const OUTCOMES = ['completed', 'no_show'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** A clock that was moved. */
export interface TestClock {
  /** By how many milliseconds it is ahead of real time; 0 or more. */
  readonly aheadMs: number;
  readonly outcome: Outcome;
}

/** What a developer sets. `to`, in epoch milliseconds, must not be before the clock's time; undefined = it isn't moved. */
export interface ClockChange {
  readonly to: number | undefined;
  readonly outcome: Outcome;
}

/** How far ahead of real time a clock may be. */
const MOST_DAYS = 731;
const DAY_MS = 86_400_000;
/** A clock that was not moved for so long is back at real time. */
const KEPT = sql.raw(`interval '30 days'`);

type Row = Readonly<typeof testClocks.$inferSelect>;

/**
 * The clocks of sandbox applications (decision 0087): a snapshot in memory, which every gateway reads within two seconds
 * of a change, so that no request reads the database for it. In production it is always empty, and so is its table.
 */
@Injectable()
export class TestClocks {
  #clocks: ReadonlyMap<string, TestClock> = new Map();

  constructor(
    @Inject(DATABASE) private readonly database: Database,
    @Inject(OperatorReads) private readonly reads: Pick<OperatorReads, 'add' | 'refresh'>,
    @Inject(CONFIG) private readonly config: Config,
  ) {
    if (config.environment !== 'sandbox') return;
    const apply = (rows: readonly (TestClock & { readonly id: string })[]): void => {
      this.#clocks = new Map(rows.map(({ id, aheadMs, outcome }) => [id, { aheadMs, outcome }]));
    };
    reads.add({ statement: READ, apply });
  }

  /** By id of the application. */
  get all(): ReadonlyMap<string, TestClock> {
    return this.#clocks;
  }

  /** Undefined = the application uses real time. */
  of(applicationId: string): TestClock | undefined {
    return this.#clocks.get(applicationId);
  }

  /** 0 = real time. */
  aheadMs(applicationId: string): number {
    return this.of(applicationId)?.aheadMs ?? 0;
  }

  /** The application's time, in epoch milliseconds. */
  now(applicationId: string): number {
    return this.realNow() + this.aheadMs(applicationId);
  }

  /** The database's time, in epoch milliseconds. */
  realNow(): number {
    return this.database.clock.now();
  }

  /**
   * Moves the clock of a sandbox application forward, or only sets the outcome. Once it resolves, this gateway has the new
   * time. Throws ChangeRefused, with the field `now`, for a time before the clock's or too far ahead, and for an application of
   * production; TooManyChangesError after too many changes.
   */
  async set(applicationId: string, { to, outcome }: ClockChange, actor: Actor): Promise<void> {
    await changeBy(this.database, actor, async (tx) => {
      await this.#lock(tx, applicationId);
      if (actor === applicationId) await limitApplicationChanges(tx, applicationId);
      const before = await find(tx, applicationId);
      const real = this.realNow();
      const aheadMs = aheadFor(to, before, real);
      const isMoved = aheadMs !== before?.aheadMs;
      const values = { aheadMs, outcome, movedAt: isMoved ? new Date(real) : before.movedAt };
      await tx
        .insert(testClocks)
        .values({ applicationId, ...values })
        .onConflictDoUpdate({ target: testClocks.applicationId, set: values });
      await recordAudit(
        { tables: tx, environment: 'sandbox' },
        {
          actor,
          action: 'test_clock_moved',
          subject: applicationId,
          before: before ? { ahead_seconds: seconds(before.aheadMs), outcome: before.outcome } : { ahead_seconds: 0 },
          after: { now: new Date(real + aheadMs).toISOString(), ahead_seconds: seconds(aheadMs), outcome },
        },
      );
    });
    await this.reads.refresh();
  }

  /** Returns an application to real time. What happened by its clock stays. Without a clock, nothing happens. */
  async reset(applicationId: string, actor: Actor): Promise<void> {
    const isReset = await endBy(this.database, actor, async (tx) => {
      await this.#lock(tx, applicationId);
      const [gone] = await tx.delete(testClocks).where(eq(testClocks.applicationId, applicationId)).returning();
      if (!gone) return false;
      const before = { ahead_seconds: seconds(gone.aheadMs), outcome: gone.outcome };
      const after = { ahead_seconds: 0 };
      await recordAudit(
        { tables: tx, environment: 'sandbox' },
        { actor, action: 'test_clock_reset', subject: applicationId, before, after },
      );
      return true;
    });
    // Repeating it, which nothing limits, reads no settings.
    if (isReset) await this.reads.refresh();
  }

  async #lock(tx: Tables, applicationId: string): Promise<void> {
    if (this.config.environment !== 'sandbox') throw new ChangeRefused('Production has no test clocks.', 'now');
    await lockApplication(tx, applicationId, 'sandbox');
  }
}

/**
 * How far ahead a clock is once it was moved, in milliseconds. Moving it to the same time again, as after a lost response,
 * changes nothing.
 */
function aheadFor(to: number | undefined, before: Row | undefined, real: number): number {
  const aheadMs = before?.aheadMs ?? 0;
  const movedTo = before ? before.movedAt.getTime() + aheadMs : real;
  if (to === undefined || (to >= movedTo && to <= real + aheadMs)) return aheadMs;
  if (to < real + aheadMs) {
    const now = new Date(real + aheadMs).toISOString();
    throw new ChangeRefused(`A test clock only moves forward, and it is ${now} now. Reset it to start over.`, 'now');
  }
  if (to > real + MOST_DAYS * DAY_MS)
    throw new ChangeRefused('A test clock can be at most two years ahead of real time.', 'now');
  return Math.round(to - real);
}

/** The clock of a locked application, if it has one that wasn't left alone for too long. */
async function find(tx: Tables, applicationId: string): Promise<Row | undefined> {
  const { movedAt } = testClocks;
  const [row] = await tx
    .select()
    .from(testClocks)
    .where(sql`${testClocks.applicationId} = ${applicationId} and ${movedAt} > now() - ${KEPT}`);
  return row;
}

function seconds(ms: number): number {
  return Math.round(ms / 1_000);
}

const READ = sql`select application_id as id, ahead_ms::float8 as "aheadMs", outcome from test_clocks
  where environment = 'sandbox' and moved_at > now() - ${KEPT}`;
