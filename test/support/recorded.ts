import type { TraceRecord } from '../../src/records/request-record.js';
import { eventually } from './booking.js';
import type { TestDatabase } from './database.js';

/** A row of request_log. */
export interface RecordedRequest {
  readonly application_id: string;
  readonly request_id: string;
  readonly operation: string;
  readonly status: number;
  readonly duration_ms: number;
  readonly trace: TraceRecord;
}

/** The stored request with this id, once it is written. */
export async function recorded(postgres: Pick<TestDatabase, 'query'>, requestId: string): Promise<RecordedRequest> {
  const rows = await eventually(
    () => postgres.query('select * from request_log where request_id = $1', [requestId]),
    (found) => found.length > 0,
  );
  return rows[0] as unknown as RecordedRequest;
}

/** Counted calls as `operation status` → calls, once their sum is `sum`. */
export async function counted(postgres: Pick<TestDatabase, 'query'>, sum: number): Promise<Record<string, number>> {
  const rows = await eventually(
    () =>
      postgres.query(
        `select operation || ' ' || status as what, sum(calls)::int as calls from usage_counters where minute > 'epoch' group by 1 order by 1`,
      ),
    (found) => found.reduce((total, { calls }) => total + Number(calls), 0) >= sum,
  );
  return Object.fromEntries(rows.map(({ what, calls }) => [String(what), Number(calls)]));
}
