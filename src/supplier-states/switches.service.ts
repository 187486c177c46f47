import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { CONFIG, type Config } from '../config/config.module.js';
import { LOGGER } from '../config/logger.js';
import { OperatorReads } from '../database/operator-reads.js';
import { SupplierRegistry } from '../suppliers/registry.js';
import { type Switch, type SwitchKind, type SwitchRow, switchesFrom, switchRows } from './switch-storage.js';

/** The longest timer. */
const LONGEST_MS = 3_600_000;

/**
 * Knows the switches of operators: reads them at startup and every `suppliers.statesMs`, and applies those of suppliers and
 * brands to the registry. Beginnings and ends are those of this machine's clock, which is watched (decision 0033). While the
 * database is unavailable, the last known switches stay in effect.
 */
@Injectable()
export class Switches {
  #pending: readonly Switch[] = [];
  #applied = '';
  #next: NodeJS.Timeout | undefined;

  constructor(
    reads: OperatorReads,
    @Inject(CONFIG) { environment }: Config,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly registry: SupplierRegistry,
  ) {
    const apply = (rows: readonly SwitchRow[]): void => {
      this.#pending = switchesFrom(rows);
      this.#apply();
    };
    // Beginnings and ends that were announced come in any case.
    reads.add({ statement: switchRows(environment), apply, unread: () => this.#apply() });
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

  /** Applies what was announced when it begins or ends. */
  #wait(): void {
    clearTimeout(this.#next);
    const now = Date.now();
    const instants = this.#pending.flatMap(({ beginsAt, endsAt }) => [beginsAt, endsAt ?? beginsAt]);
    const later = instants.map((instant) => instant.getTime() - now).filter((ms) => ms > 0);
    if (later.length > 0) this.#next = setTimeout(() => this.#apply(), Math.min(...later, LONGEST_MS) + 1).unref();
  }

  #apply(): void {
    this.#wait();
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
