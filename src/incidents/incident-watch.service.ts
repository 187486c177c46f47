import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { Logger } from 'pino';
import { CONFIG, type Config } from '../config/config.module.js';
import { LOGGER } from '../config/logger.js';
import type { Database } from '../database/database.js';
import { DATABASE } from '../database/database.module.js';
import { Refresher } from '../database/refresher.js';
import { SupplierRegistry } from '../suppliers/registry.js';
import { MaintenanceService } from '../system/maintenance.service.js';
import { SERVICE } from '../system/maintenance-switch.js';
import { CountStorage } from './count-storage.js';
import { failingParts, recoveredAt } from './incident-rules.js';
import { type Incident, IncidentStorage } from './incident-storage.js';

const EVERY_MS = 15_000;
const JUDGED_MS = 7_200_000;
const PRUNE_EVERY_ROUNDS = 240;

/**
 * Opens an incident when a part fails or is put into maintenance, and ends it afterwards, by the counts of all gateways.
 * Every gateway with `backgroundWork` does it; the database keeps them from opening two.
 */
@Injectable()
export class IncidentWatch implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly #counts: CountStorage;
  readonly #incidents: IncidentStorage;
  readonly #refresher: Refresher;
  #rounds = 0;

  constructor(
    @Inject(DATABASE) private readonly database: Database,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly registry: SupplierRegistry,
    private readonly maintenance: MaintenanceService,
  ) {
    this.#counts = new CountStorage(database, config.environment);
    this.#incidents = new IncidentStorage(database, config.environment);
    this.#refresher = new Refresher(
      () => this.judge(),
      () => EVERY_MS,
      'incidents',
      logger,
    );
  }

  async onApplicationBootstrap(): Promise<void> {
    if (this.config.backgroundWork) await this.#refresher.start();
  }

  /** Before the database is closed. */
  beforeApplicationShutdown(): void {
    this.#refresher.stop();
  }

  /** Opens and ends incidents by what is known now. Rejects if the database is unavailable. */
  async judge(now: number = this.database.clock.now()): Promise<void> {
    const [rows, open] = await Promise.all([this.#counts.minutes(now - JUDGED_MS), this.#incidents.open()]);
    const failing = failingParts(rows, now, this.config.incidents);
    const inMaintenance = this.#inMaintenance();
    for (const { beganAt, ...part } of failing)
      if (!isOpen(open, 'failing', part.part))
        await this.#begin({ kind: 'failing', ...part, beganAt: new Date(beganAt) });
    for (const part of inMaintenance)
      if (!isOpen(open, 'maintenance', part))
        await this.#begin({ kind: 'maintenance', part, operations: [], beganAt: new Date(now) });
    for (const incident of open) {
      if (incident.kind === 'maintenance' && !inMaintenance.includes(incident.part)) await this.#end(incident, now);
      if (incident.kind !== 'failing' || failing.some(({ part }) => part === incident.part)) continue;
      const at = recoveredAt(incident, rows, now, this.config.incidents);
      if (at !== undefined) await this.#end(incident, at);
    }
    if (this.#rounds % PRUNE_EVERY_ROUNDS === 0) await this.#incidents.prune();
    this.#rounds += 1;
  }

  #inMaintenance(): readonly string[] {
    const suppliers = this.registry.shown.filter(({ id }) => this.registry.stateOf(id) === 'maintenance');
    const subjects = this.maintenance.current.map(({ subject }) =>
      subject === SERVICE ? SERVICE : `product:${subject}`,
    );
    return [...subjects, ...suppliers.map(({ id }) => `supplier:${id}`)];
  }

  async #begin(incident: Parameters<IncidentStorage['begin']>[0]): Promise<void> {
    const id = await this.#incidents.begin(incident);
    const { kind, part, operations, calls, failed } = incident;
    if (id) this.logger.warn({ incident: id, kind, part, operations, calls, failed }, 'incident opened');
  }

  async #end({ id, kind, part }: Incident, at: number): Promise<void> {
    if (await this.#incidents.end(id, new Date(at))) this.logger.info({ incident: id, kind, part }, 'incident ended');
  }
}

function isOpen(open: readonly Incident[], kind: Incident['kind'], part: string): boolean {
  return open.some((one) => one.kind === kind && one.part === part);
}
