import { type SQL, sql } from 'drizzle-orm';
import { COLUMNS, type SealedEvent, sealedEvents } from './audit-chain.js';
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
/** How actions begin that change the state of a product's version, which both environments share (decision 0093). */
const SHARED = 'version_';

/**
 * Reads the audit log as an operator of one environment sees it: its events, and those of both environments, among them the
 * changes of versions, wherever they were made. Rejects with the driver's error if the database is unavailable.
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
    const conditions: SQL[] = [
      sql`(e.environment is null or e.environment = ${this.environment} or starts_with(e.action, ${SHARED}))`,
    ];
    if (actor !== undefined) conditions.push(sql`e.actor = ${actor}`);
    if (action !== undefined) conditions.push(sql`e.action = ${action}`);
    if (subject !== undefined) conditions.push(sql`e.subject = ${subject}`);
    if (since !== undefined) conditions.push(sql`e.at >= ${since.toISOString()}::timestamptz`);
    if (requestId !== undefined) conditions.push(sql`e.request_id = ${requestId}`);
    if (before !== undefined) conditions.push(sql`e.id < ${before}::bigint`);
    const rows = await this.database.rows<SealedEvent>(sql`
      select s.sequence::float8 as sequence, s.hash, ${COLUMNS} from audit_events e left join audit_seals s on s.event_id = e.id
      where ${sql.join(conditions, sql` and `)} order by e.id desc limit ${limit}`);
    return rows.map(recordOf);
  }

  /**
   * All events in the order of the chain, one JSON object per line, in parts. Of the other environment's events, only the
   * sequence and the hash, so that the chain has no gaps.
   */
  async *export(): AsyncGenerator<string> {
    for (let sequence = 0; ; ) {
      const page = await sealedEvents(this.database, sequence, PAGE);
      if (page.length === 0) return;
      yield page.map((row) => `${JSON.stringify(this.#exported(row))}\n`).join('');
      sequence = page.at(-1)?.sequence ?? 0;
    }
  }

  #exported(row: SealedEvent) {
    const { sequence, hash, id, environment } = row;
    if (id === null || (environment !== null && environment !== this.environment && !row.action.startsWith(SHARED)))
      return { sequence, hash };
    const { before, after, contents, origin, salt, addressSalt } = row;
    // As texts: read and written again, JSON may have another digest.
    return { ...recordOf(row), before, after, contents, origin, salt, address_salt: addressSalt };
  }
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
