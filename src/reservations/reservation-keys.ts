import { Inject, Injectable } from '@nestjs/common';
import { type SQL, sql } from 'drizzle-orm';
import { CONFIG, type Config, KEYS, type Keys } from '../config/config.module.js';
import { SealedTexts } from '../config/sealed-text.js';
import type { Database } from '../database/database.js';
import { DATABASE } from '../database/database.module.js';
import { placeOf } from './reservation-row.js';

/** The keys of this environment's encrypted reservations. Rejects with the driver's error if the database is unavailable. */
@Injectable()
export class ReservationKeys {
  readonly #sealed: SealedTexts;
  readonly #environment: string;

  constructor(
    @Inject(DATABASE) private readonly database: Database,
    @Inject(CONFIG) config: Config,
    @Inject(KEYS) keys: Keys,
  ) {
    this.#environment = config.environment;
    this.#sealed = new SealedTexts(config, keys, 'PERSONAL_DATA_KEYS');
  }

  /**
   * Decrypts a sample of the stored personal data, from both ends of the table. Throws an Error that names the settings
   * if that fails. The gateway must then not start: it could neither read nor cancel those reservations and would
   * encrypt new ones with the wrong key.
   */
  async check(): Promise<void> {
    const sample = sql`select id, personal from reservations where personal is not null and environment = ${this.#environment} order by id`;
    const rows = await this.database.rows<{ id: string; personal: string }>(
      sql`(${sample} asc limit 20) union all (${sample} desc limit 20)`,
    );
    for (const { id, personal } of rows) {
      try {
        this.#sealed.open(personal, placeOf('personal', id));
      } catch (error) {
        const version = personal.split('.', 1)[0];
        throw new Error(
          `personal data in the database is encrypted with a different key ${version} than this gateway's. Start it with the FORECOURT_SECRET and PERSONAL_DATA_KEYS that the data was encrypted with`,
          { cause: error },
        );
      }
    }
  }

  /**
   * Re-encrypts data with the newest key, at most `limit` values. Returns how many; 0 = all data uses the newest key.
   * Throws if a value cannot be decrypted.
   */
  async reseal(limit: number): Promise<number> {
    let count = 0;
    for (const { table, column, id } of SEALED_COLUMNS) {
      const rows = await this.database.rows<{ id: string; sealed: string }>(
        sql`select ${sql.raw(id)} as id, ${sql.raw(column)} as sealed from ${sql.raw(table)} where ${sql.raw(column)} is not null
          and split_part(${sql.raw(column)}, '.', 1) <> ${this.#sealed.newest} and ${this.#isOwn(sql.raw(id))} limit ${limit - count}`,
      );
      for (const row of rows) {
        const at = placeOf(column, row.id);
        const sealed = this.#sealed.seal(this.#sealed.open(row.sealed, at), at);
        await this.database.rows(sql`update ${sql.raw(table)} set ${sql.raw(column)} = ${sealed}
          where ${sql.raw(id)} = ${row.id} and ${sql.raw(column)} = ${row.sealed}`);
        count += 1;
      }
    }
    return count;
  }

  #isOwn(reservationId: SQL): SQL {
    return sql`${reservationId} in (select id from reservations where environment = ${this.#environment})`;
  }
}

/** The columns with encrypted data, and the column with the id of their reservation. */
const SEALED_COLUMNS = [
  { table: 'reservations', column: 'personal', id: 'id' },
  { table: 'reservations', column: 'change', id: 'id' },
  { table: 'idempotency_keys', column: 'answer', id: 'reservation_id' },
] as const;
