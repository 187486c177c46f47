import { Inject, Injectable } from '@nestjs/common';
import { sql } from 'drizzle-orm';
import { CONFIG, type Config } from '../../config/config.module.js';
import { isOf } from '../../database/audit-environment.js';
import type { Database } from '../../database/database.js';
import { DATABASE } from '../../database/database.module.js';
import { type Incident, IncidentStorage } from '../../incidents/incident-storage.js';
import { SupplierSwitch } from '../../supplier-states/supplier-switch.js';
import { type Switch, SwitchStorage } from '../../supplier-states/switch-storage.js';
import { MaintenanceSwitch } from '../../system/maintenance-switch.js';

const MOST_APPLICATIONS = 100;

/** Something that operators took out of the service, or will. */
export interface SwitchedPart {
  /** As in `gw switch list`; `application` = suspended. */
  readonly kind: 'service' | 'product' | 'supplier' | 'operation' | 'brand' | 'application';
  readonly subject: string;
  /** A state of a supplier, or what it is for all others: `maintenance`, `off`, `suspended`. */
  readonly state: string;
  /** Null = the audit log doesn't say. */
  readonly begin: Date | null;
  /** Null = until an operator ends it. */
  readonly end: Date | null;
  readonly reason: string | null;
  /** The name of the operator; `ops` for a command, `automatic` for a gateway; null = the audit log doesn't say. */
  readonly who: string | null;
  /** Local path of the page that ends it. */
  readonly endPath: string;
}

/** What the audit log knows of a part, by the subject of its last change. */
interface LastChange {
  readonly subject: string;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly reason: string | null;
  readonly who: string;
}

/** What is out of the service now, what is planned, and the incidents that aren't over. */
export interface Switchboard {
  readonly off: readonly SwitchedPart[];
  readonly planned: readonly SwitchedPart[];
  readonly incidents: readonly Incident[];
}

/** Reads what is switched off and planned, of all kinds. Rejects with the driver's error if the database is unavailable. */
@Injectable()
export class SwitchboardService {
  constructor(
    @Inject(DATABASE) private readonly database: Database,
    @Inject(CONFIG) private readonly config: Pick<Config, 'environment'>,
    private readonly suppliers: SupplierSwitch,
  ) {}

  async all(): Promise<Switchboard> {
    const { environment } = this.config;
    const [switches, maintenance, states, suspended, incidents] = await Promise.all([
      new SwitchStorage(this.database, environment).pending(),
      new MaintenanceSwitch(this.database, environment).current(),
      this.suppliers.overrides(),
      this.#suspended(),
      new IncidentStorage(this.database, environment).open(),
    ]);
    const away = states.filter(({ state }) => state !== 'live');
    const changes = await this.#lastChanges([
      ...switches.map(({ id }) => id),
      ...maintenance.map(({ subject }) => subject),
      ...away.map(({ supplierId }) => supplierId),
      ...suspended.map(({ id }) => id),
    ]);
    const parts = switches.map(({ id, ...one }) => switchedBy(id, one, changes));
    const isPlanned = ({ begin }: SwitchedPart): boolean => begin !== null && begin.getTime() > Date.now();
    return {
      off: [
        ...maintenance.map(
          ({ subject, until }): SwitchedPart => ({
            ...{ kind: subject === 'service' ? 'service' : 'product', subject, state: 'maintenance', end: until },
            ...knownOf(changes.get(subject)),
            endPath: `/ops/commands/endMaintenance?subject=${subject}`,
          }),
        ),
        ...away.map(
          ({ supplierId, state, until, percent }): SwitchedPart => ({
            ...{ kind: 'supplier', subject: supplierId, end: until, ...knownOf(changes.get(supplierId)) },
            state: percent === undefined ? state : `${state} ${percent} %`,
            endPath: `/ops/suppliers/${encodeURIComponent(supplierId)}`,
          }),
        ),
        ...parts.filter((part) => !isPlanned(part)),
        ...suspended.map(
          ({ id, name }): SwitchedPart => ({
            ...{ kind: 'application', subject: name, state: 'suspended', end: null, ...knownOf(changes.get(id)) },
            endPath: `/ops/applications/${id}`,
          }),
        ),
      ],
      planned: parts.filter(isPlanned),
      incidents,
    };
  }

  /** By subject, the newest change that took it out of the service. */
  async #lastChanges(subjects: readonly string[]): Promise<ReadonlyMap<string, LastChange>> {
    const rows = await this.database.rows<LastChange>(sql`
      select s.subject, (extract(epoch from e.at) * 1000)::float8 as at, e.reason, coalesce(nullif(c.name, ''), e.actor) as who
      from json_array_elements_text(${JSON.stringify(subjects)}::json) as s (subject) cross join lateral (
        select * from audit_events e where e.subject = s.subject and ${isOf(this.config.environment)}
          and e.action in ('switch_added', 'maintenance_switched_on', 'supplier_state_given', 'application_suspended')
        order by e.id desc limit 1) e left join accounts c on c.id = e.actor`);
    return new Map(rows.map((row) => [row.subject, row]));
  }

  async #suspended(): Promise<readonly { readonly id: string; readonly name: string }[]> {
    return await this.database.reports.rows(sql`
      select id, name from applications where environment = ${this.config.environment} and state = 'suspended'
      order by name, id limit ${MOST_APPLICATIONS}`);
  }
}

function switchedBy(
  id: string,
  { kind, subject, beginsAt, endsAt, reason }: Omit<Switch, 'id'>,
  changes: ReadonlyMap<string, LastChange>,
): SwitchedPart {
  return {
    ...{ kind, subject, begin: beginsAt, end: endsAt, reason, who: changes.get(id)?.who ?? null },
    state: endsAt !== null && kind !== 'operation' && kind !== 'brand' ? 'maintenance' : 'off',
    endPath: `/ops/commands/removeSwitch?switch=${id}`,
  };
}

function knownOf(change: LastChange | undefined): Pick<SwitchedPart, 'begin' | 'reason' | 'who'> {
  return change
    ? { begin: new Date(change.at), reason: change.reason, who: change.who }
    : { begin: null, reason: null, who: null };
}
