import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { Logger } from 'pino';
import { CONFIG, type Config } from '../../config/config.module.js';
import { LOGGER } from '../../config/logger.js';
import type { Store } from '../../store/store.js';
import { STORE } from '../../store/store.module.js';
import { SupplierRegistry } from '../registry.js';
import { EVERYONE } from './application-breakers.js';
import { ResilienceLog, type Trip } from './resilience-log.js';

const EXCHANGE_MS = 500;

/**
 * Shares opened breakers with the other gateways on the same Redis. It runs in the background, so no request waits for
 * it, and while the store is unavailable each gateway relies on its own calls. Only openings are shared; each gateway
 * closes its breakers after its own probes.
 */
@Injectable()
export class BreakerSharing implements OnApplicationBootstrap, OnApplicationShutdown {
  /** Mark → its end in the store, so that each mark is applied once. */
  #applied = new Map<string, number>();
  /** Not shared yet. */
  #trips: readonly Trip[] = [];
  #timer: NodeJS.Timeout | undefined;
  #isFailing = false;
  #isStopped = false;

  constructor(
    @Inject(STORE) private readonly store: Store,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly registry: SupplierRegistry,
    private readonly log: ResilienceLog,
  ) {}

  onApplicationBootstrap(): void {
    if (this.config.redisUrl !== undefined) this.#schedule();
  }

  onApplicationShutdown(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  #schedule(): void {
    if (this.#isStopped) return;
    this.#timer = setTimeout(async () => {
      await this.#exchange();
      this.#schedule();
    }, EXCHANGE_MS).unref();
  }

  async #exchange(): Promise<void> {
    this.#trips = [...this.#trips, ...this.log.takeTrips()].filter((trip) => leftOf(trip) > 0);
    try {
      const marks = await this.store.mark('breakers', new Map(this.#trips.map((trip) => [nameOf(trip), leftOf(trip)])));
      this.#trips = [];
      const applied = new Map<string, number>();
      for (const [name, { endsAtMs, leftMs }] of marks) {
        applied.set(name, endsAtMs);
        if (this.#applied.get(name) !== endsAtMs) this.#open(name, leftMs);
      }
      this.#applied = applied;
      this.#isFailing = false;
    } catch (error) {
      if (!this.#isFailing && !this.#isStopped)
        this.logger.warn({ err: error }, 'breakers are not shared while the store is unavailable');
      this.#isFailing = true;
    }
  }

  #open(name: string, ms: number): void {
    const [supplier, operation = '', scope = EVERYONE] = name.split('|', 3);
    this.registry.suppliers.find(({ id }) => id === supplier)?.connection.policy?.openFor(operation, scope, ms);
  }
}

function nameOf({ supplier, operation, scope }: Trip): string {
  return `${supplier}|${operation}|${scope}`;
}

function leftOf({ openMs, at }: Trip): number {
  return openMs - (performance.now() - at);
}
