import type { SupplierConfig } from '../../config/supplier-config.schema.js';
import { type CacheResult, countCache } from '../../metrics/supplier-cache.js';
import type { Warning, WarningKind } from '../../model/warnings.js';
import type { Caller } from '../resilience/caller.js';
import { AnswerMemory } from './answer-memory.js';
import type { LookToBook } from './look-to-book.js';
import { PriceDrift } from './price-drift.js';

/** The searches that can be answered from memory. */
export type KeptOperation = 'searchVehicles' | 'searchLocations';

/** An item that says how much memory it needs and when it expires. */
export interface Measure<T> {
  /** Bytes of memory. */
  bytesOf(item: T): number;
  /** Epoch milliseconds; undefined = never. */
  expiryOf(item: T): number | undefined;
}

/** An answer from memory. */
export interface Remembered<T> {
  readonly items: readonly T[];
  /** Whole seconds since the supplier answered. */
  readonly ageSeconds: number;
  /** Whether the supplier must be asked again, in the background. */
  readonly isStale: boolean;
}

/** The memory for one call of a search. */
export interface CallMemory<T> {
  /** The answer to the same search; undefined if there is none, or the request doesn't accept one. */
  find(): Remembered<T> | undefined;
  /** Call it when the supplier is called; it returns what keeps the answer. */
  begin(): (items: readonly T[], warnings: readonly Warning[]) => void;
}

/** Something may be missing from an answer with these warnings; it isn't kept. */
const INCOMPLETE: ReadonlySet<WarningKind> = new Set(['row_dropped', 'amount_rejected', 'contradiction', 'incomplete']);

/**
 * The answers that one connection to a supplier keeps (docs/caching.md). It ends with the connection, so a changed file, and with it
 * changed credentials, begin with an empty memory.
 */
export class SupplierMemory {
  readonly drift: PriceDrift;
  readonly #memories = new Map<KeptOperation, AnswerMemory<unknown>>();
  /** Grows when the memory is emptied: answers to earlier calls aren't kept. */
  #epoch = 0;

  /** `now` is a monotonic clock in milliseconds. */
  constructor(
    private readonly config: Pick<SupplierConfig, 'id' | 'cache'>,
    private readonly looks?: Pick<LookToBook, 'stretch'>,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.drift = new PriceDrift(now);
    for (const operation of ['searchVehicles', 'searchLocations'] as const) {
      const settings = config.cache[operation];
      if (settings) this.#memories.set(operation, new AnswerMemory(settings.maxBytes));
    }
  }

  /** Whether answers to this operation are kept. */
  keeps(operation: KeptOperation): boolean {
    return this.#memories.has(operation);
  }

  /** Memory in use, in bytes. */
  bytes(operation: KeptOperation): number {
    return this.#memories.get(operation)?.bytes ?? 0;
  }

  /** Forgets all answers, including those to calls in progress. */
  clear(): void {
    this.#epoch += 1;
    for (const memory of this.#memories.values()) memory.clear();
  }

  /**
   * The memory for one call; undefined if answers to the operation aren't kept. `key` contains the application and everything that is
   * sent to the supplier. `isRefused`: the request wants the supplier's own answer, which is then kept for others.
   */
  forCall<T>(
    operation: KeptOperation,
    caller: Caller,
    key: string,
    isRefused: boolean,
    measure: Measure<T>,
  ): CallMemory<T> | undefined {
    const memory = this.#memories.get(operation) as AnswerMemory<T> | undefined;
    if (!memory) return undefined;
    const count = (result: CacheResult): void => countCache(this.config.id, operation, result);
    return {
      find: () => {
        const found = isRefused ? undefined : this.#find(memory, operation, caller, key);
        count(found ? (found.isStale ? 'stale' : 'hit') : isRefused ? 'refused' : 'miss');
        return found;
      },
      begin: () => {
        const epoch = this.#epoch;
        return (items, warnings) => {
          if (epoch !== this.#epoch || warnings.some(({ kind }) => INCOMPLETE.has(kind))) return;
          const keptAt = this.now();
          memory.keep(caller.accountId, key, {
            items,
            keptAt,
            endsAt: keptAt + halfLifeOf(items, measure),
            bytes: items.reduce((sum, item) => sum + measure.bytesOf(item), 0),
          });
        };
      },
    };
  }

  #find<T>(memory: AnswerMemory<T>, operation: KeptOperation, caller: Caller, key: string): Remembered<T> | undefined {
    const found = memory.find(caller.accountId, key);
    if (!found) return undefined;
    const now = this.now();
    const ageMs = now - found.keptAt;
    const lifetimeMs = this.#lifetimeMs(operation, caller.accountId);
    const staleMs =
      operation === 'searchLocations' ? (this.config.cache.searchLocations?.staleSeconds ?? 0) * 1_000 : 0;
    if (now >= found.endsAt || ageMs >= lifetimeMs + staleMs) return undefined;
    return { items: found.items, ageSeconds: Math.floor(ageMs / 1_000), isStale: ageMs >= lifetimeMs };
  }

  /**
   * How old an answer may be now: the configured time; for offers, less while prices drift, and otherwise more while the agreed ratio of
   * searches to bookings is near.
   */
  #lifetimeMs(operation: KeptOperation, account: string): number {
    const configured = (this.config.cache[operation]?.ttlSeconds ?? 0) * 1_000;
    return operation === 'searchLocations'
      ? configured
      : configured * this.#stretched(this.drift.lifetimeShareOf(account));
  }

  /** The lifetime of offers divided by the configured one, from 1/16 to 4, for the account for which it is shortest. */
  get lifetimeShare(): number {
    return this.#stretched(this.drift.shortestShare);
  }

  #stretched(share: number): number {
    return share < 1 ? share : (this.looks?.stretch ?? 1);
  }
}

/** Half of the time, in milliseconds, until the first item expires, so that the other half is left for using it. */
function halfLifeOf<T>(items: readonly T[], { expiryOf }: Measure<T>): number {
  const now = Date.now();
  return items.reduce((least, item) => Math.min(least, ((expiryOf(item) ?? Infinity) - now) / 2), Infinity);
}
