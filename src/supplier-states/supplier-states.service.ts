import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { Logger } from 'pino';
import { CONFIG, type Config } from '../config/config.module.js';
import { LOGGER } from '../config/logger.js';
import type { Database } from '../database/database.js';
import { DATABASE } from '../database/database.module.js';
import { SupplierRegistry } from '../suppliers/registry.js';
import { SupplierSwitch } from './supplier-switch.js';

/**
 * Applies the supplier states that operators set to the registry, at startup and every `suppliers.statesMs`. While the
 * database is unavailable, the last known states stay in effect.
 */
@Injectable()
export class SupplierStatesService implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly #switch: SupplierSwitch;
  #timer: NodeJS.Timeout | undefined;
  #isFailing = false;
  #isStopped = false;

  constructor(
    @Inject(DATABASE) database: Database,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly registry: SupplierRegistry,
  ) {
    this.#switch = new SupplierSwitch(database, config.environment);
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.#refresh();
    this.#schedule();
  }

  /** Before the database is closed. */
  beforeApplicationShutdown(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  #schedule(): void {
    if (this.#isStopped) return;
    this.#timer = setTimeout(async () => {
      await this.#refresh();
      this.#schedule();
    }, this.config.suppliers.statesMs).unref();
  }

  async #refresh(): Promise<void> {
    try {
      const overrides = await this.#switch.overrides();
      const states = overrides.map(({ supplierId, state, until }) => {
        const end = until === null ? {} : { untilMs: until.getTime() };
        return [supplierId, { state, ...end }] as const;
      });
      const isChanged = this.registry.applyStates(new Map(states));
      if (isChanged)
        this.logger.info({ states: Object.fromEntries(states) }, 'supplier states set by operators applied');
      this.#isFailing = false;
    } catch (error) {
      if (!this.#isFailing && !this.#isStopped)
        this.logger.warn({ err: error }, 'supplier states cannot be read; the last known states stay in effect');
      this.#isFailing = true;
    }
  }
}
