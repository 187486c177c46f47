import { sql } from 'drizzle-orm';
import type { Database } from '../database/database.js';
import type { JournalEntry } from './journal-folder.js';
import type { Reservation } from './reservation.js';
import { hashesOf, type RequestKey } from './reservation-insertion.js';
import type { State } from './states.js';

/** Bookings of this process that are remembered. */
const MOST = 100_000;

/** Lost bookings that are remembered, for which the process takes about 1 KB each. */
const MOST_LOST = 1_000_000;

/** The references for which the database has no reservation. Rejects with the driver's error. */
export async function lostReferences(database: Database, references: readonly string[]): Promise<readonly string[]> {
  if (references.length === 0) return [];
  const rows = await database.rows<{ id: string }>(sql`
    select value as id from json_array_elements_text(${JSON.stringify(references)}::json)
    where not exists (select 1 from reservations r where r.id = value)`);
  return rows.map(({ id }) => id);
}

/** The moves that begin something at the supplier, each with a line of the journal at its time. */
const BEGUN: readonly State[] = ['pending', 'modify_pending', 'cancel_pending'];

/**
 * The ids of the reservations of an environment for which a reconciler may write to their suppliers, and when the first of
 * them was last sent, in epoch milliseconds (infinite if there is none). Without what may wait for months: requests, and
 * extras that are only looked up. Rejects with the driver's error.
 */
export async function openReservations(
  database: Pick<Database, 'rows'>,
  environment: string,
): Promise<{ readonly ids: ReadonlySet<string>; readonly sentSince: number }> {
  const rows = await database.rows<{ id: string; sent: number }>(sql`
    select id, (extract(epoch from least(sent_until, updated_at)) * 1000)::float8 as sent from reservations
    where environment = ${environment} and next_check_at is not null and state <> 'on_request'
      and (state <> 'confirmed' or strays is not null or view #> '{booked_differently,unconfirmed_extras}' is null)`);
  const sentSince = rows.reduce((first, { sent }) => Math.min(first, sent), Number.POSITIVE_INFINITY);
  return { ids: new Set(rows.map(({ id }) => id)), sentSince };
}

/**
 * Bookings of the journal: those that the database lacked at the start, and those of this process, because the database
 * may also be replaced while it runs.
 */
export class JournaledBookings {
  constructor(private readonly mostLost = MOST_LOST) {}

  readonly #lost = new Map<string, JournalEntry>();
  readonly #own = new Map<string, JournalEntry>();
  /** `application key` → the booking. */
  readonly #byKey = new Map<string, JournalEntry>();
  /** Digest of a quote → the booking. */
  readonly #byQuote = new Map<string, JournalEntry>();

  /** Reference → the time of its latest line, in epoch milliseconds; of this process, the longest known first. */
  readonly #latest = new Map<string, number>();
  /** The same, of the lines that were read at the start, about reservations that were open then. */
  readonly #latestAtStart = new Map<string, number>();

  /** How many the database lacked at the start. */
  get size(): number {
    return this.#lost.size;
  }

  /** Adds a booking that the database lacks. Throws an Error if there are too many: it isn't this gateway's database. */
  add(entry: JournalEntry): void {
    this.#lost.set(entry.ref, entry);
    if (this.#lost.size > this.mostLost)
      throw new Error(
        `the database lacks more than ${this.mostLost} of its bookings: restore a later backup, or correct DATABASE_URL if it is another gateway's`,
      );
    this.#remember(entry);
  }

  /** Adds a booking of this process. Beyond a number, the oldest is forgotten. */
  remember(entry: JournalEntry): void {
    this.#own.set(entry.ref, entry);
    this.#remember(entry);
    const [oldest] = this.#own.values();
    if (this.#own.size <= MOST || !oldest) return;
    this.#own.delete(oldest.ref);
    this.#byKey.delete(nameOf(oldest.app, oldest.key));
    if (oldest.quote !== undefined) this.#byQuote.delete(oldest.quote);
  }

  /** Remembers when a reservation had its latest line that was written before this process. Never forgotten. */
  rememberEarlierLine({ ref, at }: Pick<JournalEntry, 'ref' | 'at'>): void {
    this.#latestAtStart.set(ref, Math.max(Date.parse(at), this.#latestAtStart.get(ref) ?? 0));
  }

  /** Remembers when this process wrote the latest line of a reservation. Beyond a number, the oldest is forgotten. */
  rememberLine({ ref, at }: Pick<JournalEntry, 'ref' | 'at'>): void {
    const latest = Math.max(Date.parse(at), this.#latest.get(ref) ?? 0);
    this.#latest.delete(ref);
    this.#latest.set(ref, latest);
    const [oldest] = this.#latest.keys();
    if (this.#latest.size > MOST && oldest !== undefined) this.#latest.delete(oldest);
  }

  /**
   * Whether a reservation had a line after what was last begun for it, and its history has no row of that time: the database
   * was restored to a time before, or replaced by one that was behind.
   */
  isBehind({ id, history }: Reservation): boolean {
    const latest = Math.max(this.#latest.get(id) ?? 0, this.#latestAtStart.get(id) ?? 0);
    const begunAt = (history.findLast(({ to }) => BEGUN.includes(to)) ?? history[0])?.at;
    if (begunAt === undefined || latest <= begunAt) return false;
    return !history.some(({ at }) => at === latest);
  }

  /** The booking that a request with this key made; undefined if none is remembered. */
  ofKey(request: RequestKey): JournalEntry | undefined {
    const [found] = hashesOf(request).flatMap(({ key }) => this.#byKey.get(nameOf(request.applicationId, key)) ?? []);
    return found;
  }

  /** The booking of the quote with this digest; undefined if none is remembered. */
  ofQuote(digest: string): JournalEntry | undefined {
    return this.#byQuote.get(digest);
  }

  /** The booking with this reference that the application made; undefined if none is remembered. */
  ofReference(applicationId: string, reference: string): JournalEntry | undefined {
    const entry = this.#lost.get(reference) ?? this.#own.get(reference);
    return entry?.app === applicationId ? entry : undefined;
  }

  #remember(entry: JournalEntry): void {
    if (entry.key !== undefined) this.#byKey.set(nameOf(entry.app, entry.key), entry);
    if (entry.quote !== undefined) this.#byQuote.set(entry.quote, entry);
  }
}

function nameOf(applicationId: string, key: string | undefined): string {
  return `${applicationId} ${key}`;
}
