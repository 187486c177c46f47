import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { CONFIG, type Config } from '../config/config.module.js';
import { LOGGER } from '../config/logger.js';
import { OperatorReads } from '../database/operator-reads.js';
import { SupplierRegistry } from '../suppliers/registry.js';
import { type StateRow, stateOverride, stateRows } from './supplier-switch.js';

/** Applies the supplier states that operators set to the registry, at startup and every `suppliers.statesMs`. */
@Injectable()
export class SupplierStatesService {
  constructor(
    reads: OperatorReads,
    @Inject(CONFIG) { environment }: Config,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly registry: SupplierRegistry,
  ) {
    reads.add<StateRow>({ statement: stateRows(environment), apply: (rows) => this.#apply(rows) });
  }

  #apply(rows: readonly StateRow[]): void {
    const overrides = rows.map(stateOverride);
    const states = overrides.map(({ supplierId, state, until, percent }) => {
      const end = until === null ? {} : { untilMs: until.getTime() };
      return [supplierId, { state, ...end, ...(percent === undefined ? {} : { percent }) }] as const;
    });
    const isChanged = this.registry.applyStates(new Map(states));
    if (!isChanged) return;
    const words = Object.fromEntries(overrides.map(({ supplierId, state }) => [supplierId, state]));
    this.logger.info({ states: words }, 'supplier states set by operators applied');
  }
}
