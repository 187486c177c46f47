import { setTimeout as wait } from 'node:timers/promises';
import { Inject, Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import type { Database } from '../database/database.js';
import { DATABASE } from '../database/database.module.js';
import { MOST_SKEW_MS } from '../database/database-clock.js';
import { type DatabaseFault, databaseFault } from '../database/database-fault.js';
import { lifecycle } from '../http/open-request.js';
import { showParts } from '../metrics/operation-metrics.js';
import { type Store, StoreUnavailableError } from '../store/store.js';
import { STORE } from '../store/store.module.js';
import { type StoreFault, storeFault } from '../store/store-fault.js';
import { type PartState, PartWatch, partState } from './part-watch.js';

/** How long a caller waits for a fresh answer. */
const WAIT_MS = 30;
/** How often parts are asked in the background after a call, and for how long: longer than the pause of a usual probe. */
const REFRESH_MS = 500;
const WATCHED_MS = 30_000;
/** The same if no part was asked for a second: the last answers say nothing about now. */
const QUIET_MS = 1_000;
const LONG_WAIT_MS = 550;

/** Whether the gateway should get calls, and the state of each part. */
export interface ReadinessState {
  readonly isReady: boolean;
  readonly parts: {
    /** `down` = it does not answer. */
    readonly store: PartState<StoreFault>;
    /** The same; a database that answers reads is in the state of its last write. */
    readonly database: PartState<DatabaseFault>;
    /** When that write failed, in ISO 8601; absent if it succeeded or the database is down. */
    readonly database_failed_at?: string;
    /** `right`, or how far the machine's clock is off (docs/decisions/0033). */
    readonly clock: string;
    readonly draining: boolean;
  };
}

/**
 * Decides whether the gateway is ready: every part of the store admits calls, the machine's clock agrees with the database's, and the
 * process is not draining. A database that is down or can't be written is listed only, because searches still work.
 */
@Injectable()
export class Readiness implements OnModuleInit, OnModuleDestroy {
  readonly #store: PartWatch<StoreFault>;
  readonly #reads: PartWatch<DatabaseFault>;
  #timer: NodeJS.Timeout | undefined;
  #calledMs = 0;

  constructor(
    @Inject(STORE) store: Store,
    @Inject(DATABASE) private readonly database: Database,
  ) {
    this.#store = new PartWatch(
      () => store.ping(),
      (error) => (error instanceof StoreUnavailableError ? storeFault(error) : undefined),
      undefined,
      () => store.failedMs,
    );
    this.#reads = new PartWatch(() => database.ping(), databaseFault);
  }

  onModuleInit(): void {
    showParts(async () => this.#partsUp());
  }

  onModuleDestroy(): void {
    clearInterval(this.#timer);
  }

  /**
   * Returns the state after at most 30 ms, even if parts don't answer; after half a second if there was no call in the last
   * 30 s. Never rejects.
   */
  async check(): Promise<ReadinessState> {
    this.#watch();
    const isQuiet = [this.#store, this.#reads].some(({ answeredAgoMs }) => answeredAgoMs > QUIET_MS);
    await Promise.race([this.#refresh(), wait(isQuiet ? LONG_WAIT_MS : WAIT_MS, undefined, { ref: false })]);
    const { state: store } = this.#store;
    const { state: reads } = this.#reads;
    const { fault: write } = this.database.writes;
    const failed = reads === 'up' ? write : undefined;
    const database = failed ? partState(failed.fault) : reads;
    const clock = clockText(this.database.clock.ownAheadMs);
    const { draining } = lifecycle;
    return {
      isReady: store === 'up' && clock === RIGHT && !draining,
      parts: {
        store,
        database,
        ...(failed ? { database_failed_at: new Date(failed.at).toISOString() } : {}),
        clock,
        draining,
      },
    };
  }

  async #partsUp(): Promise<Readonly<Record<string, boolean>>> {
    const { store, database, clock } = (await this.check()).parts;
    return { store: store === 'up', database: database === 'up', clock: clock === RIGHT };
  }

  /** Asks the parts in the background while the gateway is probed; one that isn't asks nothing. */
  #watch(): void {
    this.#calledMs = performance.now();
    this.#timer ??= setInterval(() => {
      if (performance.now() - this.#calledMs < WATCHED_MS) return void this.#refresh();
      clearInterval(this.#timer);
      this.#timer = undefined;
    }, REFRESH_MS).unref();
  }

  async #refresh(): Promise<void> {
    await Promise.all([this.#store.refresh(), this.#reads.refresh()]);
  }
}

const RIGHT = 'right';

function clockText(aheadMs: number): string {
  if (Math.abs(aheadMs) <= MOST_SKEW_MS) return RIGHT;
  return `${Math.round(Math.abs(aheadMs) / 1_000)} s ${aheadMs < 0 ? 'behind' : 'ahead of'} the database`;
}
