import { Inject, Injectable } from '@nestjs/common';
import type { Database } from '../database/database.js';
import { DATABASE } from '../database/database.module.js';
import { MOST_SKEW_MS } from '../database/database-clock.js';
import { type DatabaseFault, databaseFault } from '../database/database-fault.js';
import { lifecycle } from '../http/open-request.js';
import { type Store, StoreUnavailableError } from '../store/store.js';
import { STORE } from '../store/store.module.js';
import { type StoreFault, storeFault } from '../store/store-fault.js';

/** `up`, or the fault of a part; one that does not answer is `down`. */
type PartState<Fault extends string> = 'up' | 'down' | Exclude<Fault, 'unavailable'>;

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
 * Decides whether the gateway is ready: the store answers, the machine's clock agrees with the database's, and the
 * process is not draining. A database that is down or can't be written is listed only, because searches still work.
 */
@Injectable()
export class Readiness {
  constructor(
    @Inject(STORE) private readonly store: Store,
    @Inject(DATABASE) private readonly database: Database,
  ) {}

  /** Asks each part. Never rejects. */
  async check(): Promise<ReadinessState> {
    const [store, reads] = await Promise.all([
      stateOf(this.store.ping(), (error) => (error instanceof StoreUnavailableError ? storeFault(error) : undefined)),
      stateOf(this.database.ping(), databaseFault),
    ]);
    const { fault: write } = this.database.writes;
    const failed = reads === 'up' ? write : undefined;
    const database = failed ? shown(failed.fault) : reads;
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
}

const RIGHT = 'right';

function clockText(aheadMs: number): string {
  if (Math.abs(aheadMs) <= MOST_SKEW_MS) return RIGHT;
  return `${Math.round(Math.abs(aheadMs) / 1_000)} s ${aheadMs < 0 ? 'behind' : 'ahead of'} the database`;
}

/** The state of a part after a ping. A part with a fault is a result, not an error. */
async function stateOf<Fault extends string>(
  ping: Promise<void>,
  faultOf: (error: unknown) => Fault | undefined,
): Promise<PartState<Fault>> {
  return ping.then(
    () => 'up',
    (error: unknown) => shown(faultOf(error)),
  );
}

function shown<Fault extends string>(fault: Fault | undefined): PartState<Fault> {
  return fault === undefined || fault === 'unavailable' ? 'down' : (fault as PartState<Fault>);
}
