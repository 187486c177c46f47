import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../config/config.module.js';
import { OperatorReads } from '../database/operator-reads.js';
import { Switches } from '../supplier-states/switches.service.js';
import { type Maintenance, type MaintenanceRow, maintenanceFrom, maintenanceRows } from './maintenance-switch.js';

/** Knows what operators put into maintenance: reads it at startup and every `suppliers.statesMs`. */
@Injectable()
export class MaintenanceService {
  #current: readonly Maintenance[] = [];

  constructor(
    reads: OperatorReads,
    @Inject(CONFIG) { environment }: Config,
    private readonly switches: Switches,
  ) {
    const apply = (rows: readonly MaintenanceRow[]): void => {
      this.#current = rows.map(maintenanceFrom);
    };
    reads.add({ statement: maintenanceRows(environment), apply });
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
