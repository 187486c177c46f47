import { ApiError } from './api-error.js';

/** What the gateway can't use at the moment, as the `cause` of a 503 `maintenance`. */
interface OutageRow {
  /** What is wrong, as the beginning of a sentence; without names of hosts or tables. */
  readonly what: string;
  /** What the operator of the gateway does about it. */
  readonly fix: string;
  readonly retryAfterSeconds: number;
}

/** Every `cause` of an outage or overload. docs/errors.md is generated from this table. */
export const outages = {
  gateway_overloaded: {
    what: 'The gateway has more requests than it can process',
    fix: 'Add gateways, or find who sends so much (`forecourt_admission_limit`, `forecourt_requests_refused_total`).',
    retryAfterSeconds: 1,
  },
  database_unavailable: {
    what: 'The database does not answer',
    fix: 'Check that PostgreSQL runs and that the gateway reaches it.',
    retryAfterSeconds: 5,
  },
  database_full: {
    what: "The database's disk is full",
    fix: 'Free or add disk space. Nothing needs to be restarted.',
    retryAfterSeconds: 30,
  },
  database_read_only: {
    what: 'The database accepts only reads',
    fix: 'Point `DATABASE_URL` to the primary, or end the failover.',
    retryAfterSeconds: 10,
  },
  database_overloaded: {
    what: 'The database has no free connection or memory',
    fix: 'Find what occupies the connections (`pg_stat_activity`), or raise `max_connections`.',
    retryAfterSeconds: 5,
  },
  database_locked: {
    what: 'The database did not finish in time, for example because of a lock',
    fix: 'Find who holds the lock (`pg_blocking_pids`), such as a maintenance task.',
    retryAfterSeconds: 5,
  },
  key_missing: {
    what: 'This gateway lacks the key that the data is encrypted with',
    fix: 'Configure the key that the log names (`keyVersion`) on this gateway too: [rotate keys in two steps](authentication.md#rotate-a-key).',
    retryAfterSeconds: 5,
  },
  store_unavailable: {
    what: 'The token store does not answer',
    fix: 'Check that Redis runs and that the gateway reaches it.',
    retryAfterSeconds: 5,
  },
  store_out_of_memory: {
    what: "The token store's memory is full",
    fix: 'Raise `maxmemory` of Redis.',
    retryAfterSeconds: 10,
  },
  store_read_only: {
    what: 'The token store accepts only reads',
    fix: 'Point `REDIS_URL` to the primary, or end the failover.',
    retryAfterSeconds: 10,
  },
  store_full: {
    what: 'The token store cannot save its data to disk',
    fix: 'Free disk space of Redis; its log says why it cannot save.',
    retryAfterSeconds: 30,
  },
} as const satisfies Record<string, OutageRow>;

/** A value of `cause` that names an outage. */
export type Outage = keyof typeof outages;

/** What the caller may conclude, if the database is the cause. */
const UNCHANGED = 'Nothing was booked or changed.';

/**
 * The 503 for an outage, with Retry-After. `consequence` says what it means for this operation; the default is right
 * for every operation that had not called a supplier to book or change, nor may have changed the database (`doubtError`).
 */
export function outageError(outage: Outage, error: unknown, consequence = UNCHANGED): ApiError {
  const { what, retryAfterSeconds } = outages[outage];
  // Only the store decides about tokens and limits, so no operation works without it.
  const cause = outage.startsWith('store_')
    ? `${what}, so the gateway cannot check credentials.`
    : `${what}. ${consequence}`;
  const details = `${cause} This is temporary and not caused by your request: try again in ${retryAfterSeconds} s.`;
  return unavailable(outage, details, retryAfterSeconds, error);
}

/** The 503 for a request whose change may have been stored, although the database stopped answering before it said so. */
export function doubtError(outage: Outage, error: unknown): ApiError {
  const { what, retryAfterSeconds } = outages[outage];
  const details = `${what}, and it is not known whether this request changed anything. In ${retryAfterSeconds} s, read what it was to change, and repeat the request only if that is as it was. If the request was to show a secret, replace that secret.`;
  return unavailable('outcome_unknown', details, retryAfterSeconds, error);
}

function unavailable(cause: string, details: string, retryAfterSeconds: number, error: unknown): ApiError {
  const headers = { 'retry-after': String(retryAfterSeconds) };
  return new ApiError([{ reason: 'maintenance', cause, details }], headers, { cause: error });
}
