import { Inject, Injectable } from '@nestjs/common';
import type { Database } from '../database/database.js';
import { DATABASE } from '../database/database.module.js';
import { MOST_SKEW_MS } from '../database/database-clock.js';
import { lifecycle } from '../http/open-request.js';
import type { Store } from '../store/store.js';
import { STORE } from '../store/store.module.js';

/** Whether the gateway should get calls, and the state of each part. */
export interface ReadinessState {
  readonly isReady: boolean;
  readonly parts: {
    readonly store: 'up' | 'down';
    readonly database: 'up' | 'down';
    /** `right`, or how far the machine's clock is off (docs/decisions/0033). */
    readonly clock: string;
    readonly draining: boolean;
  };
}

/**
 * Decides whether the gateway is ready: the store answers, the machine's clock agrees with the database's, and the
 * process is not draining. A database that is down is listed only, because searches still work.
 */
@Injectable()
export class Readiness {
  constructor(
    @Inject(STORE) private readonly store: Store,
    @Inject(DATABASE) private readonly database: Database,
  ) {}

  /** Asks each part. Never rejects. */
  async check(): Promise<ReadinessState> {
    const [store, database] = await Promise.all([answers(this.store.ping()), answers(this.database.ping())]);
    const clock = clockText(this.database.clock.ownAheadMs);
    const { draining } = lifecycle;
    return {
      isReady: store && clock === RIGHT && !draining,
      parts: { store: store ? 'up' : 'down', database: database ? 'up' : 'down', clock, draining },
    };
  }
}

const RIGHT = 'right';

function clockText(aheadMs: number): string {
  if (Math.abs(aheadMs) <= MOST_SKEW_MS) return RIGHT;
  return `${Math.round(Math.abs(aheadMs) / 1_000)} s ${aheadMs < 0 ? 'behind' : 'ahead of'} the database`;
}

/** Whether a part answers. An unavailable part is a result, not an error. */
async function answers(ping: Promise<void>): Promise<boolean> {
  return ping.then(
    () => true,
    () => false,
  );
}
