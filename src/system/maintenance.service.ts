import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { Logger } from 'pino';
import { CONFIG, type Config } from '../config/config.module.js';
import { LOGGER } from '../config/logger.js';
import type { Database } from '../database/database.js';
import { DATABASE } from '../database/database.module.js';
import { Refresher } from '../database/refresher.js';
import { Switches } from '../supplier-states/switches.service.js';
import { type Maintenance, MaintenanceSwitch } from './maintenance-switch.js';

/** Knows what operators put into maintenance: reads it at startup and every `suppliers.statesMs`. */
@Injectable()
export class MaintenanceService implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly #refresher: Refresher;
  #current: readonly Maintenance[] = [];

  constructor(
    @Inject(DATABASE) database: Database,
    @Inject(CONFIG) config: Config,
    @Inject(LOGGER) logger: Logger,
    private readonly switches: Switches,
  ) {
    const stored = new MaintenanceSwitch(database, config.environment);
    const read = async (): Promise<void> => {
      this.#current = await stored.current();
    };
    this.#refresher = new Refresher(read, config.suppliers.statesMs, 'maintenance periods', logger);
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.#refresher.start();
  }

  beforeApplicationShutdown(): void {
    this.#refresher.stop();
  }

  /** What is in maintenance now: switched on in order of subject, then planned in order of beginning. */
  get current(): readonly Maintenance[] {
    const planned = this.switches.current.filter(({ kind }) => kind === 'service' || kind === 'product');
    return [
      ...this.#current.filter(({ until }) => until === null || until > new Date()),
      ...planned.map(({ subject, endsAt }) => ({ subject, until: endsAt })),
    ];
  }

  /** The switch that keeps an operation of the API (operationId) off; undefined if it is on. */
  ofOperation(id: string): Maintenance | undefined {
    const found = this.switches.of('operation', id);
    return found && { subject: id, until: found.endsAt };
  }

  /** The maintenance of the service or of a product; undefined if there is none or its end has passed. */
  of(subject: string): Maintenance | undefined {
    return this.current.find((one) => one.subject === subject);
  }
}
