import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { sql } from 'drizzle-orm';
import type { Logger } from 'pino';
import { CONFIG, type Config } from '../config/config.module.js';
import { LOGGER } from '../config/logger.js';
import type { Database } from '../database/database.js';
import { DATABASE } from '../database/database.module.js';
import { databaseFault } from '../database/database-fault.js';
import { ApiError, type Problem } from '../status/api-error.js';

/** A hash of a quote id, by which its use is stored: SHA-256, base64url. */
function quoteDigest(quoteId: string): string {
  return createHash('sha256').update(quoteId).digest('base64url');
}

/**
 * The digest of the quote that an application books; undefined without one. The quote of another application is refused as
 * unknown, whether it was used or not.
 */
export function ownQuoteOf(
  { quote_id: quoteId }: { readonly quote_id?: string | undefined },
  priced: { readonly application: string } | undefined,
  applicationId: string,
): string | undefined {
  return quoteId !== undefined && priced?.application === applicationId ? quoteDigest(quoteId) : undefined;
}

/**
 * Which reservation a quote has made: a quote books once (ruling 16). The row of the reservation claims it
 * (ReservationRepository.insert). Rejects with the driver's error if the database is unavailable.
 */
@Injectable()
export class QuoteUses {
  readonly #environment: string;

  constructor(
    @Inject(DATABASE) private readonly database: Database,
    @Inject(CONFIG) config: Pick<Config, 'environment'>,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.#environment = config.environment;
  }

  /** The id of the reservation that a quote has made; undefined = the quote can be booked. */
  async reservationOf(digest: string): Promise<string | undefined> {
    const [row] = await this.database.rows<{ id: string }>(
      sql`select id from reservations where quote_digest = ${digest} and environment = ${this.#environment}`,
    );
    return row?.id;
  }

  /**
   * Makes the quote of a reservation usable again, because nothing was sent to the supplier. False: the database is
   * unavailable, and the quote stays used. A new one can always be made.
   */
  async release(reservationId: string): Promise<boolean> {
    try {
      await this.database.rows(sql`update reservations set quote_digest = null where id = ${reservationId}`);
      return true;
    } catch (error) {
      if (!databaseFault(error)) throw error;
      this.logger.warn({ reservation: reservationId }, 'a quote that was not booked stays used');
      return false;
    }
  }
}

/** The 400 for a quote that has made a reservation of the same application. */
export function quoteUsed(reservationId: string): ApiError {
  const details = `This quote was already booked: it made the reservation ${reservationId}. Read that reservation at Location, or price the offer again to book another car.`;
  return ApiError.of('invalid_request', details, {
    field: 'quote_id',
    cause: 'quote_used',
    headers: { location: `/cars/reservation/v1/${reservationId}` },
  });
}

/** The problem of a booking that wasn't sent, whose quote couldn't be made usable again. */
export function withQuoteUsed(problem: Problem): Problem {
  return { ...problem, details: `${problem.details} Get a new quote: this one may stay used.` };
}
