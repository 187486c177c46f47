import { type SQL, sql } from 'drizzle-orm';
import type { Logger } from 'pino';
import type { Database } from './database.js';
import { Pace } from './pace.js';
import { Refresher } from './refresher.js';

/** How often the settings are read while no change is announced, on a shared database and on the process's own, and for how long often after one. */
const SLOW_MS = 5_000;
const ALONE_MS = 60_000;
const ACTIVE_MS = 2_000;

/** A read of something that operators set: a small table. */
export interface OperatorRead<Row> {
  /** Selects members that JSON can express: text, numbers and booleans. */
  readonly statement: SQL;
  /** Receives all rows, in the statement's order. */
  readonly apply: (rows: readonly Row[]) => void;
  /** Called instead of `apply` while the database is unavailable. */
  readonly unread?: () => void;
}

/**
 * Reads what operators set in one statement, so that every gateway follows their changes and an idle one costs the
 * database little: when a change is announced and every `everyMs` for a moment after it, otherwise every five seconds (every minute on its own database). If
 * changes by other processes aren't announced, always every `everyMs`. While the database is unavailable, what was read
 * last stays in effect.
 */
export class OperatorReads {
  readonly #reads: OperatorRead<never>[] = [];
  readonly #refresher: Refresher;

  constructor(
    private readonly database: Pick<Database, 'rows' | 'changes'>,
    everyMs: number,
    logger: Logger,
  ) {
    const limits = { quickMs: everyMs, slowMs: SLOW_MS, aloneMs: ALONE_MS, activeMs: ACTIVE_MS };
    const pace = new Pace(database.changes, ['audit_events', 'subscriptions', 'webhook_endpoints'], limits, () =>
      this.#refresher.wake(),
    );
    this.#refresher = new Refresher(
      () => this.refresh(),
      () => pace.pauseMs,
      'settings of operators',
      logger,
    );
  }

  /** Adds a read. Call it before `start`. */
  add<Row>(read: OperatorRead<Row>): void {
    this.#reads.push(read as OperatorRead<never>);
  }

  /** Resolves after the first read, whether or not it succeeded. */
  async start(): Promise<void> {
    await this.#refresher.start();
  }

  /** Call it before the database is closed. */
  stop(): void {
    this.#refresher.stop();
  }

  /** Reads everything now. Rejects with the driver's error if the database is unavailable. */
  async refresh(): Promise<void> {
    const lists = this.#reads.map(
      ({ statement }) => sql`coalesce((select json_agg(one) from (${statement}) as one), '[]'::json)`,
    );
    const [row] = await this.database
      .rows<{ lists: readonly (readonly never[])[] }>(
        sql`select json_build_array(${sql.join(lists, sql`, `)}) as lists`,
      )
      .catch((error: unknown) => {
        for (const { unread } of this.#reads) unread?.();
        throw error;
      });
    this.#reads.forEach(({ apply }, index) => {
      apply(row?.lists[index] ?? []);
    });
  }
}
