import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { Logger } from 'pino';
import { CONFIG, type Config } from '../config/config.module.js';
import { LOGGER } from '../config/logger.js';
import type { Database } from '../database/database.js';
import { DATABASE } from '../database/database.module.js';
import { type AwaitedTable, TABLES_AWAITED } from '../database/table-changes.js';
import type { Mark, Store } from '../store/store.js';
import { STORE } from '../store/store.module.js';

const BOARD = 'changes';
/** Longer than a gateway takes to read the board, however slow the store is. */
const LASTS_MS = 10_000;
/** How often the board is read, and how soon after a change of its own a gateway writes it. */
const EVERY_MS = 500;
const SOON_MS = 50;
/** Between two exchanges. */
const LEAST_MS = 250;

/**
 * Notifies all gateways on the same Redis that tables change (TableChanges), so that an idle gateway asks the database seldom
 * (decision 0076). While the store is unavailable, gateways ask as often as without it.
 */
@Injectable()
export class ChangeNotices implements OnApplicationBootstrap, OnApplicationShutdown {
  readonly #changes: Database['changes'];
  #unsent: readonly AwaitedTable[] = [];
  #seen: ReadonlyMap<string, Mark> = new Map();
  #timer: NodeJS.Timeout | undefined;
  #dueAt = Number.POSITIVE_INFINITY;
  #exchangedAt = Number.NEGATIVE_INFINITY;
  #isStopped = false;

  constructor(
    @Inject(DATABASE) { changes }: Pick<Database, 'changes'>,
    @Inject(STORE) private readonly store: Pick<Store, 'mark'>,
    @Inject(CONFIG) private readonly config: Pick<Config, 'databaseUrl' | 'redisUrl'>,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.#changes = changes;
  }

  onApplicationBootstrap(): void {
    if (this.config.databaseUrl === undefined || this.config.redisUrl === undefined) return;
    this.#changes.watch(TABLES_AWAITED, (isOwn) => {
      if (isOwn) this.#schedule(Math.max(SOON_MS, this.#exchangedAt + LEAST_MS - performance.now()));
    });
    this.#schedule(EVERY_MS);
  }

  onApplicationShutdown(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  /** Exchanges in `ms`, or earlier if it is due earlier. */
  #schedule(ms: number): void {
    const dueAt = performance.now() + ms;
    if (this.#isStopped || dueAt >= this.#dueAt) return;
    clearTimeout(this.#timer);
    this.#dueAt = dueAt;
    this.#timer = setTimeout(async () => {
      await this.#exchange();
      this.#dueAt = Number.POSITIVE_INFINITY;
      this.#schedule(EVERY_MS);
    }, ms).unref();
  }

  async #exchange(): Promise<void> {
    this.#unsent = [...new Set([...this.#unsent, ...this.#changes.takeOwn()])];
    try {
      const marks = await writeNotices(this.store, this.#unsent);
      this.#unsent = [];
      for (const [table, { endsAtMs }] of marks)
        if (this.#seen.get(table)?.endsAtMs !== endsAtMs) this.#changes.announce(table);
      this.#seen = marks;
      this.#changes.isInformed = true;
    } catch (error) {
      if (this.#changes.isInformed && !this.#isStopped)
        this.logger.warn({ err: error }, 'gateways read settings more often while the store is unavailable');
      this.#changes.isInformed = false;
    }
    this.#exchangedAt = performance.now();
  }
}

/** Notifies all gateways that these tables changed, and returns all recent notices. Rejects with StoreUnavailableError. */
export function writeNotices(
  store: Pick<Store, 'mark'>,
  tables: readonly AwaitedTable[],
): Promise<ReadonlyMap<string, Mark>> {
  return store.mark(BOARD, new Map(tables.map((table) => [table, LASTS_MS])));
}
