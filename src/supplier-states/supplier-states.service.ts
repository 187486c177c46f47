import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { Logger } from 'pino';
import { CONFIG, type Config } from '../config/config.module.js';
import { LOGGER } from '../config/logger.js';
import type { Database } from '../database/database.js';
import { DATABASE } from '../database/database.module.js';
import { Refresher } from '../database/refresher.js';
import { SupplierRegistry } from '../suppliers/registry.js';
import { SupplierSwitch } from './supplier-switch.js';

/**
 * Applies the supplier states that operators set to the registry, at startup and every `suppliers.statesMs`. While the
 * database is unavailable, the last known states stay in effect.
 */
@Injectable()
export class SupplierStatesService implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly #switch: SupplierSwitch;
  readonly #refresher: Refresher;

  constructor(
    @Inject(DATABASE) database: Database,
    @Inject(CONFIG) { environment, suppliers }: Config,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly registry: SupplierRegistry,
  ) {
    this.#switch = new SupplierSwitch(database, environment);
    this.#refresher = new Refresher(() => this.#apply(), suppliers.statesMs, 'supplier states', logger);
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.#refresher.start();
  }

  /** Before the database is closed. */
  beforeApplicationShutdown(): void {
    this.#refresher.stop();
  }

  async #apply(): Promise<void> {
    const overrides = await this.#switch.overrides();
    const states = overrides.map(({ supplierId, state, until }) => {
      const end = until === null ? {} : { untilMs: until.getTime() };
      return [supplierId, { state, ...end }] as const;
    });
    const isChanged = this.registry.applyStates(new Map(states));
    if (!isChanged) return;
    const words = Object.fromEntries(overrides.map(({ supplierId, state }) => [supplierId, state]));
    this.logger.info({ states: words }, 'supplier states set by operators applied');
  }
}
