import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { Logger } from 'pino';
import { CONFIG, type Config } from '../config/config.module.js';
import { LOGGER } from '../config/logger.js';
import type { Database } from '../database/database.js';
import { DATABASE } from '../database/database.module.js';
import { Refresher } from '../database/refresher.js';
import { SupplierRegistry } from '../suppliers/registry.js';
import { type Switch, type SwitchKind, SwitchStorage } from './switch-storage.js';

/**
 * Knows the switches of operators: reads them at startup and every `suppliers.statesMs`, and applies those of suppliers and
 * brands to the registry. Beginnings and ends are those of this machine's clock, which is watched (decision 0033). While the
 * database is unavailable, the last known switches stay in effect.
 */
@Injectable()
export class Switches implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly #refresher: Refresher;
  #pending: readonly Switch[] = [];
  #applied = '';

  constructor(
    @Inject(DATABASE) database: Database,
    @Inject(CONFIG) { environment, suppliers }: Config,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly registry: SupplierRegistry,
  ) {
    const storage = new SwitchStorage(database, environment);
    const read = async (): Promise<void> => {
      this.#pending = await storage.pending().catch((error: unknown) => {
        // Beginnings and ends that were announced come in any case.
        this.#apply();
        throw error;
      });
      this.#apply();
    };
    this.#refresher = new Refresher(read, suppliers.statesMs, 'switches', logger);
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.#refresher.start();
  }

  /** Before the database is closed. */
  beforeApplicationShutdown(): void {
    this.#refresher.stop();
  }

  /** Those that apply now, in order of beginning. */
  get current(): readonly Switch[] {
    const now = Date.now();
    return this.#pending.filter((one) => one.beginsAt.getTime() <= now && (one.endsAt?.getTime() ?? Infinity) > now);
  }

  /** Those that begin later and end, in order of beginning. */
  get planned(): readonly (Switch & { readonly endsAt: Date })[] {
    const now = Date.now();
    return this.#pending.flatMap((one) =>
      one.beginsAt.getTime() > now && one.endsAt ? [{ ...one, endsAt: one.endsAt }] : [],
    );
  }

  /** The switch that applies now to this subject; the one that ends last if there are several. */
  of(kind: SwitchKind, subject: string): Switch | undefined {
    const endOf = ({ endsAt }: Switch): number => endsAt?.getTime() ?? Number.POSITIVE_INFINITY;
    return this.current
      .filter((one) => one.kind === kind && one.subject === subject)
      .reduce<Switch | undefined>((last, one) => (last && endOf(last) >= endOf(one) ? last : one), undefined);
  }

  #apply(): void {
    const { current } = this;
    const applied = current.map(({ id, kind, subject }) => `${id} ${kind} ${subject}`).join();
    if (applied !== this.#applied)
      this.logger.info(
        { switches: current.map(({ kind, subject }) => `${kind} ${subject}`) },
        'switches of operators applied',
      );
    this.#applied = applied;
    const endsOf = (wanted: SwitchKind): Map<string, number | undefined> =>
      new Map(
        current
          .filter(({ kind }) => kind === wanted)
          .map(({ subject }) => [subject, this.of(wanted, subject)?.endsAt?.getTime()]),
      );
    this.registry.applySwitches({ suppliers: endsOf('supplier'), brands: endsOf('brand') });
  }
}
