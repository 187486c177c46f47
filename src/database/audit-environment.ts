import { type SQL, sql } from 'drizzle-orm';

/** How actions begin that change the state of a product's version, which both environments share (decision 0093). */
const SHARED = 'version_';

/** Only operators of production decide on access requests, although the subject is an application of the sandbox. */
const DECISIONS = sql.raw("('launch_approved', 'launch_refused')");

/** A member of the JSON of an event; null if a text in it has half a character or NUL, for which PostgreSQL would reject all rows. */
const memberOf = (column: 'after' | 'before') =>
  sql.raw(`case when e.${column}::text !~* '\\\\u(d[89a-f]|0000)' then e.${column} ->> 'environment' end`);

/**
 * The environment of an event `e` that has none, from an earlier version, by what it names: who made the change, or what was
 * changed. Null = that doesn't say.
 */
const DERIVED = sql`coalesce(
  case when e.action in ${DECISIONS} then 'production' end,
  (select environment from applications where id = e.actor),
  (select environment from accounts where id = e.actor),
  ${memberOf('after')}, ${memberOf('before')},
  (select environment from applications where id = e.subject),
  (select environment from accounts where id = e.subject),
  (select a.environment from client_secrets s join applications a on a.id = s.application_id where s.id = e.subject),
  (select environment from reservations where id = e.subject),
  (select environment from incidents where id = e.subject),
  (select environment from admin_keys where id = e.subject))`;

/** An event isn't the sandbox's if production could have recorded it. */
const UNKNOWN = sql`case when exists (select from accounts where environment = 'production') then 'production' else 'sandbox' end`;

/**
 * The condition that an event `e` of audit_events belongs to an environment. Events without one, which earlier versions
 * recorded, belong to that of the person or program that made the change, or of what was changed. If neither is known, they belong to production, and
 * to the sandbox only if production has no accounts in the database (docs/audit-log.md#environments).
 */
export function isOf(environment: string): SQL {
  const unknown = environment === 'production' ? sql`'production'` : UNKNOWN;
  return sql`(e.environment = ${environment} or e.environment is null and coalesce(${DERIVED}, ${unknown}) = ${environment})`;
}

/** The condition that operators of an environment see an event `e`: it belongs to it, or changed the state of a version. */
export function isShownTo(environment: string): SQL {
  return sql`(starts_with(e.action, ${SHARED}) or ${isOf(environment)})`;
}

/** A condition that PostgreSQL computes quickly, and that all events fulfill that `isShownTo` is for, and a few others. */
export function mayBeShownTo(environment: string): SQL {
  return sql`(e.environment = ${environment} or e.environment is null or starts_with(e.action, ${SHARED}))`;
}
