import { join, resolve } from 'node:path';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { Logger } from 'pino';
import { CONFIG, type Config } from '../config/config.module.js';
import { LOGGER } from '../config/logger.js';
import type { Database } from '../database/database.js';
import { DATABASE } from '../database/database.module.js';
import { showJournalMissing } from '../metrics/metrics.js';
import { maskedText } from '../privacy/masked-text.js';
import { ApiError, type Problem } from '../status/api-error.js';
import { entriesIn, type JournalEntry, JournalFolder } from './journal-folder.js';
import { JournaledBookings, lostReferences, openReservations } from './journaled-bookings.js';
import type { Reservation } from './reservation.js';
import type { RequestKey } from './reservation-insertion.js';
import { keptSince } from './sandbox-retention.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const PRUNE_EVERY_MS = 6 * HOUR_MS;
/** References per question to the database. */
const BATCH = 1_000;
/** Longer than the time in which a call is sent. */
const CALL_MS = 600_000;

/** The folder of the journal of a configuration, absolute; undefined if it is off. */
export function journalFolderOf({ dataFolder, reservations: { journal } }: Config): string | undefined {
  if (journal.folder === 'off') return undefined;
  return resolve(journal.folder ?? join(dataFolder, 'journal'));
}

/**
 * The journal of bookings outside the database (docs/decisions/0035): every booking is written to it before it is sent,
 * so that a database restored to an earlier time neither books again nor loses it unnoticed.
 */
@Injectable()
export class IntentJournal implements OnApplicationBootstrap, OnApplicationShutdown {
  /** Undefined if the journal is off. */
  readonly #folder: JournalFolder | undefined;
  #bookings = new JournaledBookings();
  #comparison: Promise<JournaledBookings> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    @Inject(DATABASE) private readonly database: Database,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    const folder = journalFolderOf(config);
    const lost = (lines: number) =>
      logger.error({ lines }, 'lines of the journal of bookings about numbers, changes and cancellations are lost');
    if (folder !== undefined) this.#folder = new JournalFolder(folder, config.reservations.journal.name, { lost });
  }

  /** Finds the bookings that the database has lost. Throws an Error if that fails. */
  async onApplicationBootstrap(): Promise<void> {
    if (!this.#folder) return;
    const since = this.database.clock.now() - this.config.reservations.idempotencyHours * HOUR_MS;
    try {
      if (this.config.reservations.journal.folder !== undefined) this.#folder.create();
      this.#comparison = this.#lostSince(this.#folder.folder, since);
      this.#bookings = await this.#comparison;
    } catch (error) {
      throw new Error(
        'the journal of bookings cannot be compared with the database, so bookings could be made twice. Correct reservations.journal.folder (JOURNAL_DIR), or set it to "off"',
        { cause: error },
      );
    }
    if (!this.config.backgroundWork) return;
    void this.#prune();
    this.#timer = setInterval(() => void this.#prune(), PRUNE_EVERY_MS).unref();
  }

  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.#timer);
    await this.#folder?.settled();
  }

  /** Throws ApiError 503 if the journal can't be written at the moment. Call it before a reservation is stored. */
  async ready(): Promise<void> {
    try {
      await this.#folder?.probe(this.#now());
    } catch (error) {
      throw new ApiError([this.#notWritten(error, '')], { 'retry-after': '5' });
    }
  }

  /**
   * Writes that a stored reservation is about to be sent to its supplier, with the digest of its quote, if any. If that
   * fails, it must not be sent: returns the problem to respond with.
   */
  async booking(
    reservation: Reservation,
    request: RequestKey | undefined,
    quote: string | undefined,
  ): Promise<Problem | undefined> {
    if (!this.#folder) return undefined;
    const uses = { ...(request ? { key: request.key } : {}), ...(quote === undefined ? {} : { quote }) };
    const entry = { ...this.#entry('book', reservation), ...uses };
    try {
      await this.#folder.append(entry);
    } catch (error) {
      // This answer is stored for the key.
      return this.#notWritten(error, request ? ' with another Idempotency-Key' : '');
    }
    this.#bookings.remember(entry);
    return undefined;
  }

  /**
   * Writes what became of a reservation (`number`, `refused`), or what is about to be requested for it. Never rejects: it
   * would only be missed after a restore.
   */
  async note(op: Exclude<JournalEntry['op'], 'book'>, reservation: Reservation): Promise<void> {
    const { confirmationNumber: number } = reservation;
    if (!this.#folder || (op === 'number' && number === undefined)) return;
    const entry = { ...this.#entry(op, reservation), ...(number === undefined ? {} : { number }) };
    this.#bookings.rememberLine(entry);
    try {
      await this.#folder.append(entry);
    } catch (error) {
      this.#logUnwritten(error);
    }
  }

  /**
   * Whether the journal has a later line of a reservation than the database knows, which was restored to an earlier time:
   * what is in progress here isn't what was requested last, so it must not be sent again.
   */
  async isBehind(reservation: Reservation): Promise<boolean> {
    // The first checks may begin while the journal is still being read.
    await this.#comparison;
    return this.#bookings.isBehind(reservation);
  }

  /**
   * Throws ApiError if a key that the database doesn't know, or the quote with this digest, has made a reservation that
   * the database has lost: it may be booked. Call it before they book. Rejects with the driver's error if the database is
   * unavailable.
   */
  async refuseLost(request: RequestKey | undefined, quote: string | undefined): Promise<void> {
    if (request) await this.#refuseIfLost(this.#bookings.ofKey(request), 'This Idempotency-Key made the reservation');
    if (quote !== undefined) await this.#refuseIfLost(this.#bookings.ofQuote(quote), 'This quote made the reservation');
  }

  /**
   * Throws ApiError if the application made a reservation with this id, which the database doesn't know. Rejects with the
   * driver's error if the database is unavailable.
   */
  async refuseLostReservation(applicationId: string, id: string): Promise<void> {
    await this.#refuseIfLost(this.#bookings.ofReference(applicationId, id), 'Your application made the reservation');
  }

  /** Asks the database, because a key may also have been forgotten, a lost reservation restored. One that may have been deleted isn't lost. */
  async #refuseIfLost(entry: JournalEntry | undefined, what: string): Promise<void> {
    if (!entry || Date.parse(entry.at) < keptSince(this.config, this.database.clock.now())) return;
    if ((await lostReferences(this.database, [entry.ref])).length === 0) return;
    const { ref, at, supplier } = entry;
    this.logger.error({ reservation: ref, supplier }, 'a caller asked for a reservation that the database has lost');
    const details = `${what} ${ref} at ${at}, but the gateway's database was restored to an earlier time and no longer has it. It may be booked at the supplier: don't book again. Send the reservation id to the operator of the gateway, who asks the supplier.`;
    throw new ApiError([{ reason: 'supplier_failure', supplier, cause: 'outcome_unknown', details }], {
      location: `/cars/reservation/v1/${ref}`,
    });
  }

  /**
   * The bookings of the journal since an instant that the database doesn't have, and the lines of reservations that are
   * open there.
   */
  async #lostSince(folder: string, since: number): Promise<JournaledBookings> {
    const open = await openReservations(this.database, this.config.environment);
    const lost = new JournaledBookings();
    let skipped = 0;
    let batch = new Map<string, JournalEntry>();
    const compare = async (): Promise<void> => {
      for (const reference of await lostReferences(this.database, [...batch.keys()])) {
        const entry = batch.get(reference);
        if (entry) lost.add(entry);
      }
      batch = new Map();
    };
    const entries = entriesIn(folder, Math.min(since, open.sentSince - CALL_MS), () => {
      skipped += 1;
    });
    for await (const entry of entries) {
      if (entry.env !== this.config.environment) continue;
      if (entry.op !== 'book' && open.ids.has(entry.ref)) lost.rememberEarlierLine(entry);
      if (entry.op !== 'book' || Date.parse(entry.at) < since) continue;
      batch.set(entry.ref, entry);
      if (batch.size === BATCH) await compare();
    }
    await compare();
    showJournalMissing(lost.size);
    if (skipped > 0) this.logger.warn({ lines: skipped }, 'the journal of bookings has lines that cannot be read');
    if (lost.size > 0) {
      const command = `gw reservation audit --since ${new Date(since).toISOString()}`;
      this.logger.error(
        { missing: lost.size, command },
        'the database lacks bookings that were sent to suppliers: it was restored to an earlier time, or is another one. Their Idempotency-Keys and quotes are refused. Compare it with the suppliers',
      );
    }
    return lost;
  }

  async #prune(): Promise<void> {
    try {
      await this.#folder?.prune(this.database.clock.now() - this.config.reservations.journal.days * DAY_MS);
    } catch (error) {
      this.logger.warn({ why: messageOf(error) }, 'old files of the journal of bookings cannot be deleted');
    }
  }

  /** `at` is the time of the last move, so that the journal and the history agree. */
  #entry(op: JournalEntry['op'], reservation: Reservation): JournalEntry {
    const { id, applicationId, supplier, rental, change, updatedAt } = reservation;
    return {
      at: new Date(updatedAt).toISOString(),
      op,
      ref: id,
      env: this.config.environment,
      app: applicationId,
      supplier,
      brand: rental.brand,
      pickup: (change?.rental ?? rental).pickupDate,
    };
  }

  #now(): string {
    return new Date(this.database.clock.now()).toISOString();
  }

  #notWritten(error: unknown, how: string): Problem {
    this.#logUnwritten(error);
    const details = `The booking was not sent, because the gateway cannot write its journal of bookings at the moment. Nothing is booked. Try again in a few seconds${how}.`;
    return { reason: 'maintenance', details };
  }

  #logUnwritten(error: unknown): void {
    this.logger.error({ why: messageOf(error) }, 'the journal of bookings cannot be written: bookings are refused');
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? maskedText(error.message) : 'unknown';
}
