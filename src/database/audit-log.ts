import { type SQL, sql } from 'drizzle-orm';
import { COLUMNS, type SealedEvent, sealedEvents } from './audit-chain.js';
import { isShownTo, mayBeShownTo } from './audit-environment.js';
import type { Database } from './database.js';

/** Which events to list: all members must apply. */
export interface AuditFilter {
  readonly actor?: string | undefined;
  readonly action?: string | undefined;
  readonly subject?: string | undefined;
  readonly since?: Date | undefined;
  readonly requestId?: string | undefined;
  /** Only events with a smaller id: those after a page that ended with it. */
  readonly before?: string | undefined;
  readonly limit: number;
}

/** An event as it is shown and exported. `before` and `after` are JSON values. */
export interface AuditRecord {
  /** Its place in the chain; null = it has no seal. */
  readonly sequence: number | null;
  readonly id: string | null;
  /** UTC, with microseconds. */
  readonly at: string;
  readonly environment: string | null;
  readonly actor: string;
  readonly channel: string | null;
  readonly agent: string | null;
  readonly address: string | null;
  readonly action: string;
  readonly subject_kind: string | null;
  readonly subject: string;
  readonly before: unknown;
  readonly after: unknown;
  readonly reason: string | null;
  readonly request_id: string | null;
  readonly hash: string | null;
}

const PAGE = 500;
/**
 * Events are searched for in parts, the newest first: a filter that few of millions of events pass, such as the environment,
 * would exceed the time of a statement. Each part has twice as many ids as the one before, up to a limit: an old event of no environment takes ten look-ups.
 */
const FIRST_PART = 2_000;
const LAST_PART = 32_000;
/** An event with a smaller id may have a later time: by what its transaction took. */
const OUT_OF_ORDER_MS = 3_600_000;

/**
 * Reads the audit log as an operator of one environment sees it: its events, and the changes of versions, wherever they were
 * made (audit-environment.ts). Rejects with the driver's error if the database is unavailable.
 */
export class AuditLog {
  constructor(
    private readonly database: Pick<Database, 'rows'>,
    private readonly environment: string,
  ) {}

  /** Newest first. */
  async list({
    actor,
    action,
    subject,
    since,
    requestId,
    before,
    limit,
  }: AuditFilter): Promise<readonly AuditRecord[]> {
    const conditions: SQL[] = [mayBeShownTo(this.environment)];
    if (actor !== undefined) conditions.push(sql`e.actor = ${actor}`);
    if (action !== undefined) conditions.push(sql`e.action = ${action}`);
    if (subject !== undefined) conditions.push(sql`e.subject = ${subject}`);
    // Not as text: PostgreSQL reads no year 0.
    if (since !== undefined) conditions.push(sql`e.at >= to_timestamp(${since.getTime() / 1_000}::float8)`);
    if (requestId !== undefined) conditions.push(sql`e.request_id = ${requestId}`);
    const found: SealedEvent[] = [];
    // `offset 0` keeps PostgreSQL from computing isShownTo for each row, or from compiling it, which takes a second.
    let part = FIRST_PART;
    for (let newest = await this.#newest(before, since); newest !== undefined; part = Math.min(2 * part, LAST_PART)) {
      const rows = await this.database.rows<SealedEvent>(sql`
        select s.sequence::float8 as sequence, s.hash, ${COLUMNS} from (
          select e.* from (
            select * from audit_events e where e.id <= ${newest} and e.id > ${newest - part} and ${sql.join(conditions, sql` and `)} offset 0
          ) e where ${isShownTo(this.environment)} order by e.id desc limit ${limit - found.length}) e
        left join audit_seals s on s.event_id = e.id order by e.id desc`);
      found.push(...rows);
      newest = found.length < limit ? await this.#newest(newest - part + 1, since) : undefined;
    }
    return found.map(recordOf);
  }

  /** The newest event with an id below `before`; undefined = none, or none that can have been recorded since that time. */
  async #newest(before: number | string | undefined, since: Date | undefined): Promise<number | undefined> {
    const below = before === undefined ? sql`` : sql`where e.id < ${before}::bigint`;
    const [event] = await this.database.rows<{ id: number; at: number }>(sql`
      select e.id::float8 as id, extract(epoch from e.at)::float8 * 1000 as at from audit_events e ${below} order by e.id desc limit 1`);
    const isTooOld = event !== undefined && since !== undefined && event.at < since.getTime() - OUT_OF_ORDER_MS;
    return isTooOld ? undefined : event?.id;
  }

  /**
   * All events in the order of the chain, one JSON object per line, in parts. Of the other environment's events, only the
   * sequence and the hash, so that the chain has no gaps.
   */
  async *export(): AsyncGenerator<string> {
    for (let sequence = 0; ; ) {
      const page = await sealedEvents(this.database, sequence, PAGE);
      if (page.length === 0) return;
      const shown = await this.#shown(page);
      yield page.map((row) => `${JSON.stringify(exported(row, shown))}\n`).join('');
      sequence = page.at(-1)?.sequence ?? 0;
    }
  }

  /** The ids of those of these events that this environment's operators see. */
  async #shown(events: readonly SealedEvent[]): Promise<ReadonlySet<string>> {
    const ids = JSON.stringify(events.map(({ id }) => id));
    const rows = await this.database.rows<{ id: string }>(sql`
      select e.id::text as id from audit_events e
      where e.id in (select json_array_elements_text(${ids}::json)::bigint) and ${isShownTo(this.environment)}`);
    return new Set(rows.map(({ id }) => id));
  }
}

function exported(row: SealedEvent, shown: ReadonlySet<string>): object {
  const { sequence, hash, id, before, after, contents, origin, salt, addressSalt } = row;
  if (id === null || !shown.has(id)) return { sequence, hash };
  // As texts: read and written again, JSON may have another digest.
  return { ...recordOf(row), before, after, contents, origin, salt, address_salt: addressSalt };
}

function recordOf(row: SealedEvent): AuditRecord {
  const { sequence, id, at, environment, actor, channel, agent, address, action, subject, reason, hash } = row;
  return {
    sequence,
    id,
    at,
    environment,
    actor,
    channel,
    agent,
    address,
    action,
    subject_kind: row.subjectKind,
    subject,
    before: jsonOf(row.before),
    after: jsonOf(row.after),
    reason,
    request_id: row.requestId,
    hash,
  };
}

function jsonOf(text: string | null): unknown {
  return text === null ? null : (JSON.parse(text) as unknown);
}
