import { Inject, Injectable } from '@nestjs/common';
import { sql } from 'drizzle-orm';
import { CONFIG, type Config } from '../../config/config.module.js';
import type { SupplierConfig, SupplierState } from '../../config/supplier-config.schema.js';
import type { Database } from '../../database/database.js';
import { DATABASE } from '../../database/database.module.js';
import { certificateEnd } from '../../metrics/supplier-certificates.js';
import { type BreakerOverview, breakersOf } from '../../metrics/supplier-resilience.js';
import { FailedExchangeLog, type ListedFailure } from '../../records/failed-exchange-log.js';
import { type DurationCount, SupplierTimeline } from '../../records/supplier-timeline.js';
import { SupplierSwitch } from '../../supplier-states/supplier-switch.js';
import { SupplierRegistry } from '../../suppliers/registry.js';
import { bucketsOf } from './compared-findings.js';
import { diagnose, type OwnHealth } from './diagnosis.js';
import { type KnownCalls, knownCalls } from './known-calls.js';
import { groupOf } from './outcome-groups.js';
import { percentileBound } from './percentile.js';
import { type Problem, problemsOf } from './problems.js';
import type { Stack } from './stack-plot.js';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** A supplier as operators see it. */
export interface SupplierFacts {
  readonly id: string;
  readonly name: string;
  readonly state: SupplierState;
  /** Null = no end is announced. */
  readonly until: Date | null;
  /** The share of the searches, for canary; otherwise undefined. */
  readonly percent: number | undefined;
  /** Why the gateway itself returned it to shadow; undefined if it didn't, or an operator changed the state since. */
  readonly returnedFor: string | undefined;
  /** Whether it isn't the state of its file. */
  readonly isSet: boolean;
  readonly config: SupplierConfig;
  /** The breakers of this gateway. */
  readonly breakers: readonly (BreakerOverview & { readonly operation: string })[];
  /** The last ten minutes, oldest first. */
  readonly stacks: readonly Stack[];
  /** Percentiles of the answers of the last ten minutes, as percentileBound; undefined without any. */
  readonly p50: number | undefined;
  readonly p95: number | undefined;
  /** Calls that were sent in the last full minute, per second. */
  readonly perSecond: number;
  /** The look-to-book ratio of this gateway, as a share; undefined = nothing is agreed. */
  readonly lookToBook: number | undefined;
  /** Offers per search of the last 30 minutes; undefined without searches. */
  readonly offers: number | undefined;
  /** Share of price checks of the last 30 minutes with another price; undefined without checks. */
  readonly drift: number | undefined;
  readonly lastFailure: ListedFailure | undefined;
  /** The most urgent first. */
  readonly problems: readonly Problem[];
  readonly known: KnownCalls;
  /** When this gateway took over another file of it, epoch milliseconds; undefined: not since its start. */
  readonly changedAt: number | undefined;
  /** When the certificate that it showed this gateway expires, epoch milliseconds; undefined: none was seen. */
  readonly certificateEnd: number | undefined;
}

/** All suppliers and the gateways' own state. */
export interface SuppliersFacts {
  readonly now: number;
  readonly own: OwnHealth;
  readonly suppliers: readonly SupplierFacts[];
}

/** A change of a supplier's state. */
export interface SupplierChange {
  /** ISO 8601. */
  readonly at: string;
  /** The name of the account, or what else made it. */
  readonly who: string;
  readonly before: string | null;
  readonly after: string | null;
  readonly until: string | null;
  readonly reason: string | null;
}

/** What a switch would affect: the last hour, and reservations that aren't final. */
export interface SwitchEffect {
  readonly answered: number;
  readonly failed: number;
  readonly bookings: number;
  readonly openReservations: number;
  /** Names of other suppliers that are live. */
  readonly others: readonly string[];
}

/** Collects what the pages of suppliers show. Rejects with the driver's error if the database is unavailable. */
@Injectable()
export class SupplierFactsService {
  constructor(
    private readonly timeline: SupplierTimeline,
    private readonly states: SupplierSwitch,
    private readonly failures: FailedExchangeLog,
    private readonly registry: SupplierRegistry,
    @Inject(DATABASE) private readonly database: Database,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** All suppliers in answer order, those with problems first. */
  async all(): Promise<SuppliersFacts> {
    const now = this.timeline.now();
    const [durations, measures, hours, day, overrides, failures] = await Promise.all([
      this.timeline.durations(now - DAY_MS, now - 30 * MINUTE_MS),
      this.timeline.measures(now - DAY_MS, now - 30 * MINUTE_MS),
      this.timeline.points(now - 180 * MINUTE_MS, 60),
      this.timeline.points(now - DAY_MS, 600),
      this.states.overrides(),
      this.failures.list({}, 200),
    ]);
    const points = [...day.filter(({ at }) => at < now - 190 * MINUTE_MS), ...hours];
    const changedAt = new Map(
      this.registry.configured.flatMap(({ id }) => {
        const at = this.registry.changedAt(id);
        return at === undefined ? [] : [[id, at + now - Date.now()] as const];
      }),
    );
    const { own, findings } = diagnose({ now, durations, measures, points, changedAt });
    const mean = (supplier: string, measure: string): number | undefined => {
      const rows = measures.filter((row) => row.supplier === supplier && row.measure === measure && row.at !== null);
      const count = rows.reduce((sum, row) => sum + row.count, 0);
      return count === 0 ? undefined : rows.reduce((sum, row) => sum + row.sum, 0) / count;
    };
    const suppliers = this.registry.configured.map((config): SupplierFacts => {
      const { id, name } = config;
      const given = overrides.find(({ supplierId }) => supplierId === id);
      const rows = durations.filter(({ supplier }) => supplier === id);
      const recent = rows.filter(({ at }) => at !== null && at > now - 11 * MINUTE_MS);
      return {
        ...{ id, name, config },
        state: given?.state ?? config.state,
        until: given?.until ?? null,
        percent: given?.percent,
        returnedFor: given?.returnedFor,
        isSet: given !== undefined,
        breakers: breakersOf(id),
        stacks: minuteStacks(rows, now),
        p50: percentileBound(bucketsOf(recent), 0.5),
        p95: percentileBound(bucketsOf(recent), 0.95),
        perSecond: sentIn(rows, Math.floor(now / MINUTE_MS - 1) * MINUTE_MS) / 60,
        lookToBook: this.registry.suppliers.find((one) => one.id === id)?.connection.rules.lookToBook?.used,
        offers: mean(id, 'offers'),
        drift: mean(id, 'price_change'),
        lastFailure: failures.find(({ supplier }) => supplier === id),
        problems: problemsOf(findings.filter(({ supplier }) => supplier === id)),
        known: knownCalls(points.filter(({ supplier }) => supplier === id)),
        changedAt: changedAt.get(id),
        certificateEnd: certificateEnd(id),
      };
    });
    return {
      now,
      own,
      suppliers: suppliers.sort((one, other) => Number(other.problems.length > 0) - Number(one.problems.length > 0)),
    };
  }

  /** The last 20 changes of the state, newest first. */
  async changes(supplier: string): Promise<readonly SupplierChange[]> {
    return await this.database.rows<SupplierChange>(sql`
      select to_json(e.at) as at, coalesce(a.name, e.actor) as who, e.before ->> 'state' as before, e.after ->> 'state' as after,
        e.after ->> 'until' as until, e.reason
      from audit_events e left join accounts a on a.id = e.actor
      where e.subject = ${supplier} and e.action in ('supplier_state_given', 'supplier_state_taken_back')
        and coalesce(e.after ->> 'environment', e.before ->> 'environment') = ${this.config.environment}
      order by e.id desc limit 20`);
  }

  /** What switching a supplier would affect. */
  async effect(supplier: string): Promise<SwitchEffect> {
    const now = this.timeline.now();
    const points = await this.timeline.points(now - 60 * MINUTE_MS, 3_600, supplier);
    const sum = (isCounted: (point: (typeof points)[number]) => boolean): number =>
      points.reduce((total, point) => total + (isCounted(point) ? point.calls : 0), 0);
    const [row] = await this.database.rows<{ readonly count: number }>(sql`
      select count(*)::int as count from reservations where environment = ${this.config.environment} and supplier = ${supplier}
        and state in ('pending', 'unknown', 'on_request', 'modify_pending', 'cancel_pending', 'cancel_unknown', 'manual_review')`);
    const overrides = await this.states.overrides();
    return {
      answered: sum(({ operation, cause }) => operation.startsWith('search') && cause === 'answered'),
      failed: sum(({ operation, cause }) => operation.startsWith('search') && !['answered', 'empty'].includes(cause)),
      bookings: sum(({ operation, cause }) => operation === 'book' && cause === 'answered'),
      openReservations: row?.count ?? 0,
      others: this.registry.configured.flatMap(({ id, name, state }) =>
        id !== supplier && (overrides.find((one) => one.supplierId === id)?.state ?? state) === 'live' ? [name] : [],
      ),
    };
  }
}

function minuteStacks(rows: readonly DurationCount[], now: number): readonly Stack[] {
  const last = Math.floor(now / MINUTE_MS) * MINUTE_MS;
  return Array.from({ length: 10 }, (_, index) =>
    stackOf(rows.filter(({ at }) => at === last - (9 - index) * MINUTE_MS)),
  );
}

/** Calls by group. */
export function stackOf(rows: readonly { readonly cause: string; readonly calls: number }[]): Stack {
  const stack: Record<string, number> = {};
  for (const { cause, calls } of rows) stack[groupOf(cause)] = (stack[groupOf(cause)] ?? 0) + calls;
  return stack;
}

function sentIn(rows: readonly DurationCount[], minute: number): number {
  return rows.reduce(
    (sum, { at, cause, calls }) => sum + (at === minute && groupOf(cause) !== 'unsent' ? calls : 0),
    0,
  );
}
