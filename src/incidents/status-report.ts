import type { Config } from '../config/config.schema.js';
import type { SupplierState } from '../config/supplier-config.schema.js';
import type { Switch } from '../supplier-states/switch-storage.js';
import { DAYS_KEPT, type StoredCount } from './count-storage.js';
import { shownPart } from './incident-rules.js';
import type { Incident } from './incident-storage.js';
import {
  PART_STATES,
  type PartState,
  type StatusIncident,
  type StatusPart,
  type StatusPlan,
  type StatusReport,
} from './status-report.schema.js';

/** What was read from the database. */
export interface StatusFigures {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly days: readonly StoredCount[];
  /** The counts of the last minutes. */
  readonly recent: readonly StoredCount[];
  /** Newest first. */
  readonly incidents: readonly Incident[];
}

/** What a report is made of. */
export interface StatusFacts {
  readonly environment: Config['environment'];
  /** Epoch milliseconds. */
  readonly now: number;
  /** Suppliers that callers may see, in the order of answers. */
  readonly suppliers: readonly { readonly id: string; readonly name: string; readonly state: SupplierState }[];
  /** `service`, and ids of products. */
  readonly inMaintenance: readonly string[];
  /** Switches that begin later, the next one first. */
  readonly planned: readonly (Omit<Switch, 'endsAt'> & { readonly endsAt: Date })[];
  /** Undefined = they could never be read. */
  readonly figures: StatusFigures | undefined;
}

const DAY_MS = 86_400_000;
/** The last minutes by which a failing part is `down`, not `degraded`. */
const DOWN_SHARE = 0.9;

/** Product → the part of the API that it is. */
const PART_OF_PRODUCT: Readonly<Record<string, string>> = { car_reservation: 'booking', car_availability: 'search' };

const API_PARTS = [
  ['search', 'Searches'],
  ['booking', 'Bookings'],
  ['token', 'Access tokens'],
] as const;

/** Makes the report. It has no data of accounts, and no supplier that callers can't see. Pure. */
export function reportOf({ environment, now, suppliers, inMaintenance, planned, figures }: StatusFacts): StatusReport {
  const days = Map.groupBy(figures?.days ?? [], shownPart);
  const isDown = inMaintenance.includes('service');
  const maintained = inMaintenance.map((subject) => PART_OF_PRODUCT[subject]);
  const made = (id: string, name: string, given: PartState | undefined): StatusPart => ({
    id,
    name,
    state: given ?? measuredState(id, figures),
    ...uptimesOf(days.get(id) ?? [], now),
  });
  const api = API_PARTS.map(([id, name]) =>
    made(id, name, isDown || maintained.includes(id) ? 'maintenance' : undefined),
  );
  const own = suppliers.map(({ id, name, state }) => made(`supplier:${id}`, name, GIVEN[state]));
  const names = new Map([...api, ...own].map(({ id, name }) => [id, name]));
  return {
    environment,
    state: overall(api, own),
    generated_at: isoOf(now),
    counted_at: figures ? isoOf(figures.at) : null,
    parts: [...api, ...own],
    planned: planned.flatMap((one) => shownPlan(one, names)),
    incidents: (figures?.incidents ?? []).flatMap((one) => shownIncident(one, names)),
  };
}

/** The states of suppliers that aren't measured. */
const GIVEN: Readonly<Partial<Record<SupplierState, PartState>>> = { maintenance: 'maintenance', drain: 'paused' };

function measuredState(id: string, figures: StatusFigures | undefined): PartState {
  const isFailing = figures?.incidents.some(
    ({ part, kind, endedAt }) => part === id && kind === 'failing' && endedAt === null,
  );
  if (!figures || !isFailing) return 'operational';
  const recent = figures.recent.filter((row) => shownPart(row) === id);
  return shareOf(recent, 'failed') >= DOWN_SHARE ? 'down' : 'degraded';
}

function overall(api: readonly StatusPart[], suppliers: readonly StatusPart[]): PartState {
  const isFailing = suppliers.some(({ state }) => state === 'degraded' || state === 'down');
  const states: PartState[] = [...api.map(({ state }) => state), isFailing ? 'degraded' : 'operational'];
  return states.reduce((worst, state) => (PART_STATES.indexOf(state) > PART_STATES.indexOf(worst) ? state : worst));
}

function uptimesOf(rows: readonly StoredCount[], now: number): Pick<StatusPart, 'uptime_90d' | 'days'> {
  const byDay = Map.groupBy(rows, ({ at }) => dateOf(at));
  const days = Array.from({ length: DAYS_KEPT }, (_, index) => {
    const date = dateOf(now - (DAYS_KEPT - 1 - index) * DAY_MS);
    return { date, uptime: uptimeOf(byDay.get(date) ?? []) };
  });
  const [{ date: first } = { date: '' }] = days;
  return { uptime_90d: uptimeOf(rows.filter(({ at }) => dateOf(at) >= first)), days };
}

function uptimeOf(rows: readonly StoredCount[]): number | null {
  return rows.length === 0 ? null : Math.round((1 - shareOf(rows, 'failed')) * 1e5) / 1e5;
}

function shareOf(rows: readonly StoredCount[], member: 'failed'): number {
  const calls = rows.reduce((sum, row) => sum + row.calls, 0);
  return calls === 0 ? 0 : rows.reduce((sum, row) => sum + row[member], 0) / calls;
}

/** Empty if callers can't see what it concerns. */
function shownIncident(
  { id, kind, part, operations, beganAt, endedAt, notes }: Incident,
  names: ReadonlyMap<string, string>,
): StatusIncident[] {
  const name = names.get(part) ?? (part.startsWith('supplier:') ? undefined : nameOf(part));
  if (name === undefined) return [];
  const [began_at, ended_at] = [beganAt.toISOString(), endedAt?.toISOString() ?? null];
  return [{ id, kind, part, name, operations: [...operations], began_at, ended_at, notes: [...notes] }];
}

function shownPlan(
  { kind, subject, beginsAt, endsAt, reason }: StatusFacts['planned'][number],
  names: ReadonlyMap<string, string>,
): StatusPlan[] {
  const part = kind === 'service' ? subject : `${kind}:${subject}`;
  const name = names.get(part) ?? (kind === 'supplier' ? undefined : nameOf(part));
  if (name === undefined) return [];
  return [{ part, name, begins_at: beginsAt.toISOString(), ends_at: endsAt.toISOString(), reason }];
}

function nameOf(part: string): string {
  return part === 'service' ? 'The service' : part.replace(/^\w+:/, '');
}

function dateOf(at: number): string {
  return isoOf(at).slice(0, 10);
}

function isoOf(at: number): string {
  return new Date(at).toISOString();
}
