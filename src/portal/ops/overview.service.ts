import { Inject, Injectable } from '@nestjs/common';
import { sql } from 'drizzle-orm';
import { mayDecide, type Visitor } from '../../accounts/sessions.service.js';
import { CONFIG, type Config } from '../../config/config.module.js';
import type { Database } from '../../database/database.js';
import { DATABASE } from '../../database/database.module.js';
import { AllRequests, type TrafficPoint } from '../../records/all-requests.js';
import { several } from './diagnosis-text.js';
import { SupplierFactsService, type SuppliersFacts } from './supplier-facts.service.js';
import { supplierTasks, type Task, task } from './supplier-tasks.js';

const MINUTE_MS = 60_000;
/** Plots show the last hour. */
const MINUTES = 60;

/** What the overview shows. Lists of minutes have 60 values, oldest first; null = no requests. */
export interface Overview {
  readonly facts: SuppliersFacts;
  readonly tasks: readonly Task[];
  readonly requests: readonly number[];
  readonly bookings: readonly number[];
  /** In percent of searches. */
  readonly partial: readonly (number | null)[];
  /** In milliseconds. */
  readonly meanMs: readonly (number | null)[];
}

interface Counts {
  readonly review: number;
  readonly reviewMinutes: number | null;
  readonly unresolved: number;
  readonly second: number;
  readonly mail: number;
  readonly requested: number;
  readonly secrets: number;
}

/** Collects what needs a person now. Rejects with the driver's error if the database is unavailable. */
@Injectable()
export class OverviewService {
  constructor(
    private readonly suppliers: SupplierFactsService,
    private readonly requests: AllRequests,
    @Inject(DATABASE) private readonly database: Pick<Database, 'reports'>,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  async of(visitor: Visitor): Promise<Overview> {
    const [facts, counts] = await Promise.all([this.suppliers.all(), this.#counts()]);
    const first = (Math.floor(facts.now / MINUTE_MS) - MINUTES + 1) * MINUTE_MS;
    const byMinute = Map.groupBy(await this.requests.traffic(first), ({ at }) => at);
    const minutes = Array.from({ length: MINUTES }, (_, index) => byMinute.get(first + index * MINUTE_MS) ?? []);
    return {
      facts,
      tasks: [...supplierTasks(facts), ...countTasks(counts, mayDecide(visitor))],
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
      meanMs: minutes.map((rows) => {
        const calls = callsOf(rows);
        return calls === 0 ? null : rows.reduce((sum, { durationMs }) => sum + durationMs, 0) / calls;
      }),
    };
  }

  async #counts(): Promise<Counts> {
    const { environment } = this.config;
    const [row] = await this.database.reports.rows<Counts>(sql`
      select
        (select count(*)::int from reservations where environment = ${environment} and state = 'manual_review') as review,
        (select floor(extract(epoch from now() - min(updated_at)) / 60)::int from reservations
          where environment = ${environment} and state = 'manual_review') as "reviewMinutes",
        (select count(*)::int from reservations where environment = ${environment} and state in ('unknown', 'cancel_unknown')
          and updated_at < now() - interval '15 minutes') as unresolved,
        (select count(*)::int from reservations where environment = ${environment} and strays is not null) as second,
        (select count(*)::int from outbox where environment = ${environment} and at < now() - interval '15 minutes') as mail,
        (select count(*)::int from launch_requests where state = 'requested') as requested,
        (select count(distinct s.application_id)::int from client_secrets s join applications a on a.id = s.application_id
          where a.environment = ${environment} and a.state = 'active' and s.revoked_at is null
            and s.expires_at between now() and now() + interval '7 days'
            and not exists (select from client_secrets o where o.application_id = s.application_id and o.revoked_at is null
              and (o.expires_at is null or o.expires_at > now() + interval '7 days'))) as secrets`);
    if (!row) throw new Error('a select without from must return a row');
    return this.config.mail.smtpUrl === undefined ? { ...row, mail: 0 } : row;
  }
}

function countTasks(counts: Counts, isDeciding: boolean): readonly Task[] {
  const { review, reviewMinutes, unresolved, second, mail, requested, secrets } = counts;
  return [
    ...task(
      review,
      'bad',
      'In review',
      `${several(review, 'reservation waits', 'reservations wait')} for a person, the oldest for ${reviewMinutes ?? 0} min.`,
      '/ops/reservations?state=manual_review',
    ),
    ...task(
      second,
      'bad',
      'Second bookings',
      `${several(second, 'reservation has', 'reservations have')} another booking at the supplier.`,
      '/ops/reservations?state=second',
    ),
    ...task(
      unresolved,
      'partial',
      'Unknown outcomes',
      `${several(unresolved, 'reservation has', 'reservations have')} had an unknown outcome for more than 15 min.`,
      '/ops/reservations?state=unknown',
    ),
    ...task(
      isDeciding ? requested : 0,
      'partial',
      'Access requests',
      `${several(requested, 'production access request waits', 'production access requests wait')} for a decision.`,
      '/ops/access-requests',
    ),
    ...task(
      mail,
      'partial',
      'Email',
      `${several(mail, 'email has', 'emails have')} not been delivered for more than 15 min. Check SMTP_URL and the log.`,
      '/ops',
    ),
    ...task(
      secrets,
      'partial',
      'Secrets',
      `The last secret of ${several(secrets, 'application', 'applications')} expires within 7 days.`,
      '/ops/applications?show=expiring',
    ),
  ];
}

function callsOf(rows: readonly TrafficPoint[]): number {
  return rows.reduce((sum, { calls }) => sum + calls, 0);
}
