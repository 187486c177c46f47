import { type SQL, sql } from 'drizzle-orm';
import type { Logger } from 'pino';
import type { Database } from './database.js';
import { Refresher } from './refresher.js';

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
 * Reads what operators set in one statement every `everyMs`, so that every gateway follows their changes and an idle one
 * costs the database little. While the database is unavailable, what was read last stays in effect.
 */
export class OperatorReads {
  readonly #reads: OperatorRead<never>[] = [];
  readonly #refresher: Refresher;

  constructor(
    private readonly database: Pick<Database, 'rows'>,
    everyMs: number,
    logger: Logger,
  ) {
    this.#refresher = new Refresher(() => this.#all(), everyMs, 'settings of operators', logger);
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

  async #all(): Promise<void> {
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
