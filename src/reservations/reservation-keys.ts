import { Inject, Injectable } from '@nestjs/common';
import { sql } from 'drizzle-orm';
import { CONFIG, type Config, KEYS, type Keys } from '../config/config.module.js';
import { SealedTexts } from '../config/sealed-text.js';
import type { Database } from '../database/database.js';
import { DATABASE } from '../database/database.module.js';
import { placeOf } from './reservation-row.js';

/** The keys of this environment's encrypted reservations. Rejects with the driver's error if the database is unavailable. */
@Injectable()
export class ReservationKeys {
  readonly #sealed: SealedTexts;
  readonly #environment: Config['environment'];

  constructor(
    @Inject(DATABASE) private readonly database: Database,
    @Inject(CONFIG) config: Config,
    @Inject(KEYS) keys: Keys,
  ) {
    this.#environment = config.environment;
    this.#sealed = new SealedTexts(config, keys, 'PERSONAL_DATA_KEYS');
  }

  /** Throws an Error if `checkPersonalData` does: the gateway must then not start. */
  async check(): Promise<void> {
    checkPersonalData(await this.database.rows<PersonalRow>(sql.raw(personalSample(this.#environment))), this.#sealed);
  }

  /**
   * Re-encrypts data with the newest key: yields how many values of each page of at most `most` rows had an older one. Each table is read once, in
   * the order of its key, so that a statement ends in time however many rows there are. Throws if a value cannot be decrypted.
   */
  async *reseal(most = 200): AsyncGenerator<number, void, undefined> {
    for (const place of SEALED_COLUMNS) {
      for (let last: readonly string[] | undefined = []; last !== undefined; ) {
        const page: readonly SealedRow[] = await this.#page(place, last, most);
        const older = page.filter(({ sealed }) => sealed !== null);
        for (const row of older) await this.#resealed(place, row);
        yield older.length;
        last = page.length === most ? page.at(-1)?.key : undefined;
      }
    }
  }

  /** Rows behind the key `last`; `sealed` only of those of this environment with an older key. */
  async #page(
    { table, column, key, id }: SealedColumn,
    last: readonly string[],
    most: number,
  ): Promise<readonly SealedRow[]> {
    const columns = sql.raw(key.join(', '));
    const isBehind =
      last.length === 0
        ? sql`true`
        : sql`(${columns}) > (${sql.join(
            last.map((value) => sql`${value}`),
            sql`, `,
          )})`;
    // A version is short: PostgreSQL needn't read all of a long text for it.
    const isOlder = sql`split_part(substr(page.sealed, 1, 20), '.', 1) <> ${this.#sealed.newest} and r.environment = ${this.#environment}`;
    return await this.database.rows<SealedRow>(sql`
      with page as materialized (select json_build_array(${columns}) as row_key, row_number() over (order by ${columns}) as place,
          ${sql.raw(id)} as reservation, ${sql.raw(column)} as sealed
        from ${sql.raw(table)} where ${sql.raw(column)} is not null and ${isBehind} order by ${columns} limit ${most})
      select page.row_key as key, page.reservation, case when ${isOlder} then page.sealed end as sealed
      from page join reservations r on r.id = page.reservation order by page.place`);
  }

  async #resealed({ table, column, key }: SealedColumn, row: SealedRow): Promise<void> {
    const at = placeOf(column, row.reservation);
    const sealed = this.#sealed.seal(this.#sealed.open(row.sealed ?? '', at), at);
    const isRow = sql.join(
      key.map((name, nth) => sql`${sql.raw(name)} = ${row.key[nth]}`),
      sql` and `,
    );
    await this.database.rows(sql`update ${sql.raw(table)} set ${sql.raw(column)} = ${sealed}
      where ${isRow} and ${sql.raw(column)} = ${row.sealed}`);
  }
}

/** The encrypted personal data of a reservation. */
export interface PersonalRow {
  readonly id: string;
  readonly personal: string;
}

/** A statement that reads a sample of an environment's personal data, from both ends of the table. */
export function personalSample(environment: Config['environment']): string {
  const sample = `select id, personal from reservations where personal is not null and environment = '${environment}' order by id`;
  return `(${sample} asc limit 20) union all (${sample} desc limit 20)`;
}

/**
 * Decrypts a sample. Throws an Error that names the settings if that fails: a gateway with them could neither read nor cancel those
 * reservations, and would encrypt new ones with the wrong key.
 */
export function checkPersonalData(sample: readonly PersonalRow[], sealed: SealedTexts): void {
  for (const { id, personal } of sample) {
    try {
      sealed.open(personal, placeOf('personal', id));
    } catch (error) {
      const version = personal.split('.', 1)[0];
      throw new Error(
        `personal data in the database is encrypted with a different key ${version} than this gateway's. Start it with the FORECOURT_SECRET and PERSONAL_DATA_KEYS that the data was encrypted with`,
        { cause: error },
      );
    }
  }
}

/** A row with encrypted data. */
interface SealedRow {
  /** The values of its primary key. */
  readonly key: readonly string[];
  /** Id of its reservation. */
  readonly reservation: string;
  /** Null if it is encrypted with the newest key, or of the other environment. */
  readonly sealed: string | null;
}

/** A column with encrypted data. */
interface SealedColumn {
  readonly table: string;
  readonly column: 'personal' | 'change' | 'answer';
  /** The primary key. */
  readonly key: readonly string[];
  /** The column with the id of the reservation. */
  readonly id: string;
}

const SEALED_COLUMNS: readonly SealedColumn[] = [
  { table: 'reservations', column: 'personal', key: ['id'], id: 'id' },
  { table: 'reservations', column: 'change', key: ['id'], id: 'id' },
  { table: 'idempotency_keys', column: 'answer', key: ['application_id', 'key'], id: 'reservation_id' },
];
