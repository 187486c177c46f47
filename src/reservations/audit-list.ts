import { type SQL, sql } from 'drizzle-orm';
import type { Config } from '../config/config.schema.js';
import type { Keys } from '../config/keys.js';
import { SealedTexts } from '../config/sealed-text.js';
import type { Database } from '../database/database.js';
import type { Reservation } from './reservation.js';
import { COLUMNS, iso, json, type ReservationRow, reservationOf } from './reservation-row.js';

const PAGE = 200;

/** Reads the reservations of one environment for an audit. Rejects with the driver's error. */
export class AuditList {
  readonly #sealed: SealedTexts;
  readonly #environment: string;

  constructor(
    private readonly database: Database,
    config: Config,
    keys: Keys,
  ) {
    this.#environment = config.environment;
    this.#sealed = new SealedTexts(config, keys, 'PERSONAL_DATA_KEYS');
  }

  /** Those that were made or moved since an instant (epoch milliseconds), in the order of their ids. */
  async *since(at: number): AsyncGenerator<Reservation> {
    for (let after = ''; ; ) {
      const page = await this.#select(
        sql`r.id > ${after} and r.updated_at >= ${iso(at)}::timestamptz order by r.id limit ${PAGE}`,
      );
      yield* page;
      const last = page.at(-1);
      if (page.length < PAGE || !last) return;
      after = last.id;
    }
  }

  /** Those with one of these ids; an id without a reservation gives none. */
  async *named(ids: readonly string[]): AsyncGenerator<Reservation> {
    for (let from = 0; from < ids.length; from += PAGE)
      yield* await this.#select(sql`r.id in (select json_array_elements_text(${json(ids.slice(from, from + PAGE))}))`);
  }

  async #select(where: SQL): Promise<readonly Reservation[]> {
    const rows = await this.database.rows<ReservationRow>(
      sql`select ${COLUMNS} from reservations r where r.environment = ${this.#environment} and ${where}`,
    );
    return rows.map((row) => this.#reservation(row));
  }

  /** Without its personal data if its key is missing: then the supplier may not find it, but the others can be read. */
  #reservation(row: ReservationRow): Reservation {
    try {
      return reservationOf(row, this.#sealed);
    } catch {
      return reservationOf({ ...row, personal: null, change: null }, this.#sealed);
    }
  }
}
