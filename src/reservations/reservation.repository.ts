import { Inject, Injectable } from '@nestjs/common';
import { type SQL, sql } from 'drizzle-orm';
import { CONFIG, type Config, KEYS, type Keys } from '../config/config.module.js';
import { SealedTexts } from '../config/sealed-text.js';
import { byIndex, ONLY_BY_INDEX } from '../database/by-index.js';
import type { Database } from '../database/database.js';
import { DATABASE } from '../database/database.module.js';
import { readFor } from '../database/report-pool.js';
import { claimedTurn, ofAnother, storeNumbered, withNumber } from './confirmation-numbers.js';
import { type ChecksInProgress, type TakenRow, takeDueStatement } from './due-reservations.js';
import { listedIds } from './operator-list.js';
import type { Move, Reservation } from './reservation.js';
import { type InsertedRow, type Insertion, insertStatement, type RequestKey, record } from './reservation-insertion.js';
import { COLUMNS, instant, json, placeOf, type ReservationRow, reservationOf } from './reservation-row.js';
import { unreadable } from './unreadable.js';

/** The response to a request with an Idempotency-Key, stored for replay. */
export interface StoredAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * A known Idempotency-Key of an application. `answer` is undefined if there is no response yet, or if it was erased.
 */
export interface KnownKey {
  readonly bodyHash: string;
  readonly reservationId: string;
  readonly answer?: StoredAnswer;
}

/** For the statements of every booking, whose planning costs PostgreSQL as much as carrying them out (docs/performance-bookings.md). */
const KEEPS_PLAN = { keepsPlan: true };

/** The result of `takeDue`. */
export interface TakenReservations {
  readonly due: readonly Reservation[];
  /** Reservation id → id of its account, empty if that isn't stored. */
  readonly accounts: ReadonlyMap<string, string>;
  readonly unreadable: readonly { readonly id: string; readonly error: unknown }[];
}

/**
 * Stores the reservations of this environment, their history and Idempotency-Keys; those of the other environment don't
 * exist here (decision 0023), so neither its jobs nor its operators touch them. Every method is one statement, so one round trip and one
 * transaction. Rejects with the driver's error if the database is unavailable, and with ApiError 503 if the key of what is read is missing
 * here (unreadable.ts).
 */
@Injectable()
export class ReservationRepository {
  readonly #sealed: SealedTexts;
  readonly #environment: string;
  readonly #most: Config['reservations'];

  constructor(
    @Inject(DATABASE) private readonly database: Database,
    @Inject(CONFIG) config: Config,
    @Inject(KEYS) keys: Keys,
  ) {
    this.#environment = config.environment;
    this.#most = config.reservations;
    this.#sealed = new SealedTexts(config, keys, 'PERSONAL_DATA_KEYS');
  }

  /** The database's clock, in epoch milliseconds: what is stored and compared is never the time of this machine. */
  now(): number {
    return this.database.clock.now();
  }

  /** Finds a key; undefined = unknown. Without a key it only checks that the database is available. */
  async findKey(applicationId: string, key: string | undefined): Promise<KnownKey | undefined> {
    const [row] = await this.database.rows<{ body_hash: string; reservation_id: string; answer: string | null }>(
      sql`select body_hash, reservation_id, answer from idempotency_keys where application_id = ${applicationId} and key = ${key ?? null}`,
      KEEPS_PLAN,
    );
    if (!row) return undefined;
    const answer = row.answer === null ? undefined : this.#openAnswer(row.reservation_id, row.answer);
    return { bodyHash: row.body_hash, reservationId: row.reservation_id, ...(answer ? { answer } : {}) };
  }

  /**
   * Stores a new reservation together with its key, if any, and the digest of its quote, if any (QuoteUses). If it stores
   * nothing, the result says why. Rejects with the driver's unique violation (23505), storing nothing, if the quote is
   * taken.
   */
  async insert(reservation: Reservation, request: RequestKey | undefined, quote?: string): Promise<Insertion> {
    const statement = insertStatement(reservation, {
      environment: this.#environment,
      personal: this.#sealPersonal(reservation),
      most: this.#most,
      request,
      quote,
      due: (at) => this.#due(at),
    });
    const [row] = await this.database.rows<InsertedRow>(statement, KEEPS_PLAN);
    if (!row?.is_stored) return row?.refusal ?? 'key_taken';
    this.database.writes.succeeded();
    return 'stored';
  }

  /**
   * Stores a reservation after a move that set these members; its version is one above the stored one. Returns false,
   * storing nothing, if the stored version has changed.
   */
  async update(after: Reservation, patch: Move['patch'] = {}): Promise<boolean> {
    const isStored = (await this.#store(after, this.#updateStatement(after, patch))).length === 1;
    this.database.changes.announceOwn('reservations');
    return isStored;
  }

  /**
   * The same, and stores the response to the request that made the move. Returns the response to give: this one, or the
   * one that was already stored for the request. Undefined if nothing was stored because the version has changed.
   */
  async updateAndAnswer(
    after: Reservation,
    patch: Move['patch'] = {},
    request: RequestKey,
    answer: StoredAnswer,
  ): Promise<StoredAnswer | undefined> {
    const [row] = await this.#store<{ answer: string | null }>(
      after,
      sql`
      with changed as (${this.#updateStatement(after, patch)}),
      answered as (${this.#answerStatement(after.id, request, answer)} and exists (select 1 from changed) returning answer)
      select (select answer from answered limit 1) as answer from changed`,
    );
    if (!row) return undefined;
    this.database.writes.succeeded();
    this.database.changes.announceOwn('reservations');
    return row.answer === null ? answer : this.#openAnswer(after.id, row.answer);
  }

  #store<T extends object>(after: Reservation, statement: SQL): Promise<readonly T[]> {
    return storeNumbered(() => this.database.rows<T>(statement, KEEPS_PLAN), after, this.database, this.#environment);
  }

  #updateStatement(after: Reservation, patch: NonNullable<Move['patch']>): SQL {
    const last = after.history.at(-1);
    return sql`update reservations set state = ${after.state}, state_reason = ${last?.reason ?? ''}, state_actor = ${last?.actor ?? 'gateway'},
        version = ${after.version}, ${claimedTurn(after)} confirmation_number = ${after.confirmationNumber ?? null}, rental = ${json(after.rental)}, view = ${json(after.view)},
        personal = ${this.#sealPersonal(after)}, change = ${this.#sealChange(after)}, price_drift = ${json(after.priceDrift)},
        cancellation = ${json(after.cancellation)}, strays = ${json(after.strays)},
        ${'sentUntil' in patch ? sql`sent_until = ${this.#due(after.sentUntil)},` : sql``}
        ${'nextCheckAt' in patch ? sql`next_check_at = ${this.#due(after.nextCheckAt)},` : sql``}
        checks = ${after.checks}, updated_at = ${instant(after.updatedAt)}
      where id = ${after.id} and version = ${after.version - 1} returning id`;
  }

  /**
   * Stores the response to a request. Returns the response to give: this one, or the one that was already stored. The
   * key of a request may have been forgotten or its reservation erased since; then nothing is stored, because the answer has the renter.
   */
  async storeAnswer(reservationId: string, request: RequestKey, answer: StoredAnswer): Promise<StoredAnswer> {
    const [row] = await this.database.rows<{ answer: string }>(
      sql`with kept as materialized (select id from reservations where id = ${reservationId} and personal is not null for share)
        ${this.#answerStatement(reservationId, request, answer)} and exists (select from kept) returning answer`,
      KEEPS_PLAN,
    );
    return row ? this.#openAnswer(reservationId, row.answer) : answer;
  }

  /** Finds a reservation of an application by id. */
  async find(applicationId: string, id: string): Promise<Reservation | undefined> {
    const [row] = await this.#select(sql`where r.id = ${id} and r.application_id = ${applicationId}`);
    return row;
  }

  /** Finds an application's reservations by confirmation number, at most two: two suppliers may use the same number. */
  async findByConfirmation(applicationId: string, confirmationNumber: string): Promise<readonly Reservation[]> {
    return this.#select(withNumber(applicationId, confirmationNumber));
  }

  /** Whether a number that isn't the reservation's own is that of another one (ofAnother). */
  async isOfAnother(own: Reservation, number: string): Promise<boolean> {
    return (await this.database.rows(ofAnother(own, number, this.#environment))).length > 0;
  }

  /** Finds a reservation of any application by id. */
  async get(id: string): Promise<Reservation | undefined> {
    const [row] = await this.#select(sql`where r.id = ${id} and r.environment = ${this.#environment}`);
    return row;
  }

  /**
   * Takes due reservations, at most `limit`, in turns between accounts and within the PLACES of each supplier. No other
   * reconciler gets them for `leaseMs`; if this one exits, the lease returns them. A reservation that cannot be decrypted (its
   * key is missing) does not block the others. `known`: the suppliers that this gateway can ask (due-reservations.ts).
   */
  async takeDue(
    leaseMs: number,
    limit: number,
    inProgress: readonly ChecksInProgress[] = [],
    known?: readonly string[],
  ): Promise<TakenReservations> {
    const taking = takeDueStatement({ environment: this.#environment, leaseMs, limit, inProgress, known });
    const rows: readonly TakenRow[] = await byIndex(this.database.tables, ONLY_BY_INDEX)(taking);
    const due: Reservation[] = [];
    const unreadable: { id: string; error: unknown }[] = [];
    for (const row of rows) {
      try {
        due.push(this.#reservation(row));
      } catch (error) {
        unreadable.push({ id: row.id, error });
      }
    }
    return { due, unreadable, accounts: new Map(rows.map(({ id, account }) => [id, account])) };
  }

  /** Sets when a reservation is checked next (undefined = never), unless its version has changed. */
  async checkAgain({ id, version }: Reservation, at: number | undefined): Promise<void> {
    await this.database.rows(
      sql`update reservations set next_check_at = ${this.#due(at)} where id = ${id} and version = ${version}`,
    );
  }

  /** Makes the checks of an application's reservations on request due now, as if they had just been requested; what is due isn't written again. */
  async checkRequests(applicationId: string): Promise<void> {
    await this.database.rows(sql`update reservations set next_check_at = now(), checks = 0
      where application_id = ${applicationId} and environment = ${this.#environment} and state = 'on_request'
        and coalesce(next_check_at > now(), true)`);
    this.database.changes.announceOwn('reservations');
  }

  /** Records that a writing call was repeated and ended at `at`, unless the version has changed. */
  async sentAgain({ id, version }: Reservation, at: number): Promise<void> {
    await this.database.rows(
      sql`update reservations set sent_until = ${this.#due(at)} where id = ${id} and version = ${version}`,
    );
  }

  /** Count and greatest age of unclear reservations, by supplier and state (`second_booking`: those with one). No report of operators holds it up. */
  async unclear(): Promise<readonly { supplier: string; state: string; count: number; ageSeconds: number }[]> {
    const count = sql`count(*)::int as count, extract(epoch from now() - min(updated_at))::float8 as "ageSeconds"`;
    const own = sql`environment = ${this.#environment} group by supplier, state`;
    const counts = sql`select supplier, state, ${count} from reservations
        where state in ('unknown', 'cancel_unknown', 'manual_review') and ${own}
      union all select supplier, state, ${count} from (select supplier, 'second_booking' as state, updated_at, environment
        from reservations where strays is not null) as seconds where ${own} order by supplier, state`;
    return readFor('metrics', () => this.database.reports.rows(counts));
  }

  /** Reservations in an unclear state or with a second booking at the supplier, oldest first, at most `limit`; without their encrypted data. */
  async listUnclear(limit: number): Promise<readonly Reservation[]> {
    const ids = listedIds({ environment: this.#environment, state: 'attention', and: [] }, 'oldest', limit);
    const rows = await this.database.rows<ReservationRow>(sql`select ${COLUMNS} from (${ids}) those
      join reservations r on r.id = those.id order by r.created_at, r.id`);
    return rows.map((row) => this.#reservation({ ...row, personal: null, change: null }));
  }

  /** Deletes keys older than `ageMs`, the oldest first; at most `most`, so that the statement ends in time however many there are. */
  async forgetKeys(ageMs: number, most = 5_000): Promise<void> {
    await this.database.rows(sql`delete from idempotency_keys where ctid = any(array(
      select k.ctid from idempotency_keys k join applications a on a.id = k.application_id
      where k.created_at < now() - ${interval(ageMs)} and a.environment = ${this.#environment} order by k.created_at limit ${most}))`);
  }

  /**
   * An instant that other gateways compare with the database's clock. Only the time until then is sent, so that it is
   * right even if the last reading of that clock is old, for example after the machine was suspended.
   */
  #due(at: number | undefined): SQL {
    return at === undefined ? sql`null::timestamptz` : sql`clock_timestamp() + ${interval(at - this.now())}`;
  }

  async #select(where: SQL): Promise<readonly Reservation[]> {
    const rows = await this.database.rows<ReservationRow>(sql`select ${COLUMNS} from reservations r ${where}`);
    return rows.map((row) => unreadable(row.id, () => this.#reservation(row)));
  }

  #answerStatement(reservationId: string, request: RequestKey, answer: StoredAnswer): SQL {
    const sealed = this.#sealed.seal(JSON.stringify(answer), placeOf('answer', reservationId));
    return record(request, sealed);
  }

  #openAnswer(reservationId: string, sealed: string): StoredAnswer {
    const text = unreadable(reservationId, () => this.#sealed.open(sealed, placeOf('answer', reservationId)));
    return JSON.parse(text) as StoredAnswer;
  }

  #sealPersonal({ id, personal }: Reservation): string | null {
    return personal === undefined ? null : this.#sealed.seal(JSON.stringify(personal), placeOf('personal', id));
  }

  #sealChange({ id, change }: Reservation): string | null {
    return change === undefined ? null : this.#sealed.seal(JSON.stringify(change), placeOf('change', id));
  }

  #reservation(row: ReservationRow): Reservation {
    return reservationOf(row, this.#sealed);
  }
}

function interval(ms: number): SQL {
  return sql`make_interval(secs => ${ms / 1_000})`;
}
