import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { Logger } from 'pino';
import { CONFIG, type Config } from '../../config/config.module.js';
import { LOGGER } from '../../config/logger.js';
import type { Store } from '../../store/store.js';
import { STORE } from '../../store/store.module.js';
import { SupplierRegistry } from '../registry.js';
import { ResilienceLog, type Trip } from './resilience-log.js';

const EXCHANGE_MS = 500;

/**
 * Tells the other gateways on the same Redis which breakers opened here, and opens those that opened there. In the background: no request waits for it, and
 * while the store is away each gateway goes on by what it sees itself. Only openings are shared; each gateway closes its own by its own probes.
 */
@Injectable()
export class BreakerSharing implements OnApplicationBootstrap, OnApplicationShutdown {
  /** Mark → its end as the store knows it: each is obeyed once. */
  #obeyed = new Map<string, number>();
  /** Not told yet. */
  #trips: readonly Trip[] = [];
  #timer: NodeJS.Timeout | undefined;
  #isBehind = false;
  #isOver = false;

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
    this.#isOver = true;
    clearTimeout(this.#timer);
  }

  #schedule(): void {
    if (this.#isOver) return;
    this.#timer = setTimeout(async () => {
      await this.#exchange();
      this.#schedule();
    }, EXCHANGE_MS).unref();
  }

  async #exchange(): Promise<void> {
    this.#trips = [...this.#trips, ...this.log.takeTrips()].filter((trip) => leftOf(trip) > 0);
    try {
      const marks = await this.store.mark(
        `breakers:${this.config.environment}`,
        new Map(this.#trips.map((trip) => [nameOf(trip), leftOf(trip)])),
      );
      this.#trips = [];
      const obeyed = new Map<string, number>();
      for (const [name, { endsAtMs, leftMs }] of marks) {
        obeyed.set(name, endsAtMs);
        if (this.#obeyed.get(name) !== endsAtMs) this.#open(name, leftMs);
      }
      this.#obeyed = obeyed;
      this.#isBehind = false;
    } catch (error) {
      if (!this.#isBehind && !this.#isOver)
        this.logger.warn({ err: error }, 'breakers are not shared while the store is away');
      this.#isBehind = true;
    }
  }

  #open(name: string, ms: number): void {
    const [supplier, operation = ''] = name.split('|', 2);
    this.registry.suppliers.find(({ id }) => id === supplier)?.connection.policy?.openFor(operation, ms);
  }
}

function nameOf({ supplier, operation }: Trip): string {
  return `${supplier}|${operation}`;
}

function leftOf({ openMs, at }: Trip): number {
  return openMs - (performance.now() - at);
}
