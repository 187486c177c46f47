import { setTimeout as wait } from 'node:timers/promises';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { sql } from 'drizzle-orm';
import type { Logger } from 'pino';
import { ApplicationAdmin } from '../auth/application-admin.js';
import { CONFIG, type Config } from '../config/config.module.js';
import { LOGGER } from '../config/logger.js';
import { isOf } from '../database/audit-environment.js';
import type { Database } from '../database/database.js';
import { DATABASE } from '../database/database.module.js';
import { Pace } from '../database/pace.js';
import { showChangesCopied } from '../metrics/operation-metrics.js';
import { maskedText } from '../privacy/masked-text.js';
import type { Store } from '../store/store.js';
import { STORE } from '../store/store.module.js';
import { AuditCopy, type CopiedChange } from './audit-copy.js';
import { Endings } from './endings.js';
import { journalFolderOf } from './intent-journal.js';

const DAY_MS = 86_400_000;
const BATCH = 500;
/** Changes are copied again from so long before the newest copy: they may have been committed later. */
const OVERLAP_MS = 600_000;
/** How often old files are deleted. */
const PRUNE_EVERY_MS = 6 * 3_600_000;
/** How long a gateway that stops waits for the last copies: the file system may hang. */
const MOST_STOPPING_MS = 5_000;
const PACE = { quickMs: 1_000, slowMs: 10_000, aloneMs: 60_000, activeMs: 5_000 };

/** A change as it is read, with its place in the order of commits. */
interface Row {
  readonly sequence: number;
  readonly event: string;
  /** It belongs to this environment. */
  readonly own: boolean;
  readonly at: string;
  readonly action: string;
  readonly subject: string;
  /** Null for an event of the other environment. */
  readonly after: { readonly secret_id?: unknown } | null;
}

/**
 * Copies which changes the audit log has into the folder of the journal of bookings, a second after they are made, so that a
 * database restored to an earlier time revives nothing: at the start, erasures and revocations are carried out again, and
 * an operator can list the other changes (docs/backup.md#changes-since-the-backup).
 */
@Injectable()
export class AuditCopies implements OnApplicationBootstrap, OnApplicationShutdown {
  readonly #copy: AuditCopy | undefined;
  /** The place of the last change that was read; undefined until it was found where to go on. */
  #after: number | undefined;
  /** Changes since then may be missing in the copies, in epoch milliseconds. */
  #since = 0;
  /** The event with that place; undefined until one was copied. */
  #lastEvent: string | undefined;
  #pruneAt = 0;
  #timer: NodeJS.Timeout | undefined;
  #round: Promise<void> | undefined;

  constructor(
    @Inject(DATABASE) private readonly database: Database,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly admin: ApplicationAdmin,
    @Inject(STORE) private readonly store: Pick<Store, 'endSessions'>,
  ) {
    const folder = journalFolderOf(config);
    if (folder !== undefined) this.#copy = new AuditCopy(folder, config.reservations.journal.name);
  }

  /** Rejects if the copies can't be read, or the database is unavailable. Copying begins later: a gateway can start without it. */
  async onApplicationBootstrap(): Promise<void> {
    if (!this.#copy) return;
    const newest = await this.#endAgain(this.#copy);
    if (!this.config.backgroundWork) return;
    this.#since = Math.max(this.#keptSince, Math.min(newest ?? 0, this.database.clock.now()) - OVERLAP_MS);
    showChangesCopied();
    const pace = new Pace(this.database.changes, ['audit_events'], PACE, () => this.#schedule(pace));
    this.#schedule(pace);
  }

  async onApplicationShutdown(): Promise<void> {
    if (!this.#timer) return;
    clearTimeout(this.#timer);
    const last = async (): Promise<void> => {
      await this.#round;
      await this.#run();
    };
    await Promise.race([last(), wait(MOST_STOPPING_MS, undefined, { ref: false })]);
  }

  /** When the oldest changes that are kept were made, in epoch milliseconds. */
  get #keptSince(): number {
    return this.database.clock.now() - this.config.reservations.journal.days * DAY_MS;
  }

  /** Carries out what was erased, revoked or deleted according to the copies. Returns the time of the newest, in epoch milliseconds. */
  async #endAgain(copy: AuditCopy): Promise<number | undefined> {
    const { environment } = this.config;
    const endings = new Endings(this.database, environment, this.admin, this.store, (id, error) =>
      this.logger.error(
        { subject: id, why: messageOf(error) },
        'what was erased, revoked or deleted before a restore cannot be carried out again',
      ),
    );
    let newest: number | undefined;
    for await (const change of copy.read()) {
      if (change.env !== environment) continue;
      newest = Math.max(newest ?? 0, Date.parse(change.at));
      await endings.add(change);
    }
    const count = await endings.end();
    if (count > 0)
      this.logger.error(
        { count },
        'the database was restored to an earlier time: erasures and revocations made since were carried out again. Repeat the other changes (docs/backup.md)',
      );
    return newest;
  }

  /**
   * The place before the first change since an instant (epoch milliseconds), which may be the end. It is found by halving, in
   * some twenty steps: times have no index, and the log grows with all that tenants do. Places are in the order of commits,
   * and times in that of transactions' beginnings; OVERLAP_MS covers the difference.
   */
  async #before(since: number): Promise<number> {
    const [row] = await this.database.rows<{ after: number }>(sql`
      with recursive halves (low, high) as (
        select 0::bigint, coalesce(max(sequence), 0) from audit_seals
        union all
        select case when is_earlier then middle else low end, case when is_earlier then high else middle - 1 end
        from halves, lateral (select (low + high + 1) / 2 as middle) m, lateral (select coalesce((
          select e.at < ${new Date(since).toISOString()}::timestamptz from audit_seals s join audit_events e on e.id = s.event_id
          where s.sequence >= middle order by s.sequence limit 1), false) as is_earlier) i
        where low < high)
      select low::float8 as after from halves where low = high`);
    return row?.after ?? 0;
  }

  #schedule(pace: Pace): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#round ??= this.#run().finally(() => {
        this.#round = undefined;
      });
      this.#schedule(pace);
    }, pace.pauseMs).unref();
  }

  async #run(): Promise<void> {
    try {
      while ((await this.#copyNext()) === BATCH);
      showChangesCopied();
      if (performance.now() < this.#pruneAt) return;
      await this.#copy?.prune(this.#keptSince);
      this.#pruneAt = performance.now() + PRUNE_EVERY_MS;
    } catch (error) {
      this.logger.warn(
        { why: messageOf(error) },
        'changes cannot be copied beside the journal of bookings at the moment',
      );
    }
  }

  /**
   * Copies the next changes and returns how many it read. The JSON of an event is read here: an operator of PostgreSQL rejects all
   * rows if a text of one has half a character.
   */
  async #copyNext(): Promise<number> {
    await this.#returnIfReplaced();
    this.#after ??= await this.#before(this.#since);
    const { environment: env } = this.config;
    const rows = await this.database.rows<Row>(sql`
      select s.sequence::float8 as sequence, e.id::text as event, own, e.action, e.subject, case when own then e.after end as after,
        to_char(e.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at
      from audit_seals s join audit_events e on e.id = s.event_id cross join lateral (select ${isOf(env)} as own) o
      where s.sequence > ${this.#after} order by s.sequence limit ${BATCH}`);
    const own = rows.filter((row) => row.own);
    await this.#copy?.append(
      own.map(
        ({ at, action, subject, after }): CopiedChange => ({
          at,
          env,
          action,
          subject,
          ...(typeof after?.secret_id === 'string' ? { secret: after.secret_id } : {}),
        }),
      ),
    );
    const last = rows.at(-1);
    if (last) [this.#after, this.#lastEvent] = [last.sequence, last.event];
    return rows.length;
  }

  /** Places are given again by a database that was behind when it replaced the one whose changes were copied. */
  async #returnIfReplaced(): Promise<void> {
    if (this.#lastEvent === undefined) return;
    const known = await this.database.rows(
      sql`select 1 from audit_seals where sequence = ${this.#after} and event_id::text = ${this.#lastEvent}`,
    );
    if (known.length > 0) return;
    this.#since = this.database.clock.now() - OVERLAP_MS;
    [this.#after, this.#lastEvent] = [undefined, undefined];
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? maskedText(error.message) : 'unknown';
}
