import { setTimeout as wait } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { CONFIG, type Config } from '../config/config.module.js';
import { LOGGER } from '../config/logger.js';
import type { Database } from '../database/database.js';
import { DATABASE } from '../database/database.module.js';
import { Switches } from '../supplier-states/switches.service.js';
import { SupplierRegistry } from '../suppliers/registry.js';
import { MaintenanceService } from '../system/maintenance.service.js';
import { SERVICE } from '../system/maintenance-switch.js';
import { CountStorage } from './count-storage.js';
import { IncidentStorage } from './incident-storage.js';
import { reportOf, type StatusFigures } from './status-report.js';
import type { StatusReport } from './status-report.schema.js';

/** A report is used for so long, however many ask for it. */
const FRESH_MS = 5_000;
/** How long a caller waits for the database; then the report has the figures read last. */
const WAIT_MS = 500;
const RECENT_MS = 300_000;

/** Makes the status report at most every five seconds. It works without the database, with the figures that it read last. */
@Injectable()
export class StatusReports {
  readonly #counts: CountStorage;
  readonly #incidents: IncidentStorage;
  #figures: StatusFigures | undefined;
  #reading: Promise<void> | undefined;
  #report: StatusReport | undefined;
  #madeAt = Number.NEGATIVE_INFINITY;
  #making: Promise<StatusReport> | undefined;
  #isFailing = false;

  constructor(
    @Inject(DATABASE) private readonly database: Database,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly registry: SupplierRegistry,
    private readonly maintenance: MaintenanceService,
    private readonly switches: Switches,
  ) {
    this.#counts = new CountStorage(database, config.environment);
    this.#incidents = new IncidentStorage(database, config.environment);
  }

  /** The report: the same object until another one is made. Never rejects. */
  current(): Promise<StatusReport> {
    if (this.#report && performance.now() - this.#madeAt < FRESH_MS) return Promise.resolve(this.#report);
    this.#making ??= this.#make().finally(() => {
      this.#making = undefined;
    });
    return this.#making;
  }

  async #make(): Promise<StatusReport> {
    // A statement of a database that doesn't answer goes on, and its result is used later.
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
    });
    await Promise.race([this.#reading, wait(WAIT_MS, undefined, { ref: false })]);
    const { on } = this.config.maintenance;
    this.#report = reportOf({
      environment: this.config.environment,
      now: this.database.clock.now(),
      suppliers: this.registry.shown.map(({ id, name }) => ({ id, name, state: this.registry.stateOf(id) })),
      inMaintenance: [...(on ? [SERVICE] : []), ...this.maintenance.current.map(({ subject }) => subject)],
      planned: this.switches.planned,
      figures: this.#figures,
    });
    this.#madeAt = performance.now();
    return this.#report;
  }

  async #read(): Promise<void> {
    try {
      const at = this.database.clock.now();
      const [days, recent, incidents] = await Promise.all([
        this.#counts.days(),
        this.#counts.minutes(at - RECENT_MS),
        this.#incidents.recent(),
      ]);
      this.#figures = { at, days, recent, incidents };
      this.#isFailing = false;
    } catch (error) {
      if (!this.#isFailing) this.logger.warn({ err: error }, 'the figures of the status page cannot be read');
      this.#isFailing = true;
    }
  }
}
