import { Injectable } from '@nestjs/common';
import { mayDecide, type Visitor } from '../../accounts/sessions.service.js';
import { firingAlerts } from '../../metrics/alert-metrics.js';
import { AllRequests, type TrafficPoint } from '../../records/all-requests.js';
import { SupplierTimeline } from '../../records/supplier-timeline.js';
import { bucketsOf } from './compared-findings.js';
import { percentileBound } from './percentile.js';
import { SupplierFactsService, type SuppliersFacts } from './supplier-facts.service.js';
import { budgetTasks, supplierTasks, type Task } from './supplier-tasks.js';
import { SwitchboardService } from './switchboard.service.js';
import { WaitingService } from './waiting.service.js';
import { waitingTasks } from './waiting-tasks.js';

const MINUTE_MS = 60_000;
/** Plots show the last hour. */
const MINUTES = 60;

/** What the overview shows. Lists of minutes have 60 values, oldest first; null = no requests. */
export interface Overview {
  readonly facts: SuppliersFacts;
  readonly tasks: readonly Task[];
  /** How many parts are out of the service now, and how many will be. */
  readonly switched: { readonly off: number; readonly planned: number };
  readonly requests: readonly number[];
  readonly bookings: readonly number[];
  /** In percent of searches. */
  readonly partial: readonly (number | null)[];
  /** In milliseconds: upper bounds of buckets; Infinity = above the last one. */
  readonly p95: readonly (number | null)[];
}

/** Collects what needs a person now. Rejects with the driver's error if the database is unavailable. */
@Injectable()
export class OverviewService {
  constructor(
    private readonly suppliers: SupplierFactsService,
    private readonly requests: AllRequests,
    private readonly waiting: WaitingService,
    private readonly timeline: SupplierTimeline,
    private readonly switchboard: SwitchboardService,
  ) {}

  async of(visitor: Visitor): Promise<Overview> {
    const [facts, counts, { off, planned }] = await Promise.all([
      this.suppliers.all(),
      this.waiting.count(),
      this.switchboard.all(),
    ]);
    const first = (Math.floor(facts.now / MINUTE_MS) - MINUTES + 1) * MINUTE_MS;
    const [traffic, answers] = await Promise.all([this.requests.traffic(first), this.timeline.answers(first)]);
    const byMinute = Map.groupBy(traffic, ({ at }) => at);
    const minutes = Array.from({ length: MINUTES }, (_, index) => byMinute.get(first + index * MINUTE_MS) ?? []);
    return {
      facts,
      switched: { off: off.length, planned: planned.length },
      tasks: [
        ...supplierTasks(facts),
        ...budgetTasks(facts, firingAlerts()),
        ...waitingTasks(counts, mayDecide(visitor)),
      ],
      requests: minutes.map((rows) => callsOf(rows)),
      bookings: minutes.map((rows) =>
        callsOf(
          rows.filter(({ operation, status }) => operation === 'createReservation' && [201, 202].includes(status)),
        ),
      ),
      partial: minutes.map((rows) => {
        const searches = rows.filter(
          ({ operation, status }) => /^search/.test(operation) && [200, 206].includes(status),
        );
        const calls = callsOf(searches);
        return calls === 0 ? null : (callsOf(searches.filter(({ status }) => status === 206)) / calls) * 100;
      }),
      p95: Array.from({ length: MINUTES }, (_, index) => {
        const rows = answers.filter(({ at }) => at === first + index * MINUTE_MS);
        return percentileBound(bucketsOf(rows), 0.95) ?? null;
      }),
    };
  }
}

function callsOf(rows: readonly TrafficPoint[]): number {
  return rows.reduce((sum, { calls }) => sum + calls, 0);
}
