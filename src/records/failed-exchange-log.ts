import { Inject, Injectable } from '@nestjs/common';
import { type SQL, sql } from 'drizzle-orm';
import { CONFIG, type Config } from '../config/config.module.js';
import type { Database } from '../database/database.js';
import { DATABASE } from '../database/database.module.js';
import { storable } from '../database/storable.js';
import type { FailedExchange } from '../metrics/failed-exchanges.js';

/** Per supplier and operation. */
const MOST_KEPT = 50;
const MOST_BYTES = 1_048_576;
const KEPT_HOURS = 24;

/** A kept failure. */
export interface KeptExchange extends FailedExchange {
  readonly id: number;
}

/** A kept failure in a list. */
export type ListedFailure = Omit<KeptExchange, 'exchanges'>;

const LISTED = sql.raw(
  `id::float8 as id, (extract(epoch from at) * 1000)::float8 as at, supplier_id as supplier, operation, cause, request_id as "requestId", why, duration_ms as "durationMs"`,
);

/**
 * The masked exchanges of failed operations: of each supplier and operation the newest 50 of the last 24 hours, as far as
 * they have at most 1 MiB together. Rejects with the driver's error.
 */
@Injectable()
export class FailedExchangeLog {
  readonly #environment: string;

  constructor(
    @Inject(DATABASE) private readonly database: Pick<Database, 'rows'>,
    @Inject(CONFIG) { environment }: Pick<Config, 'environment'>,
  ) {
    this.#environment = environment;
  }

  /** Stores exchanges and removes those that they push out. */
  async keep(failed: readonly FailedExchange[]): Promise<void> {
    const lines = failed.map(({ at, supplier, operation, cause, requestId, why, durationMs, exchanges }) => ({
      ...{ t: new Date(at).toISOString(), s: supplier, o: operation, c: cause },
      // A request id is the caller's text; U+0000 can't be stored.
      ...{ i: storable(requestId).slice(0, 200), w: storable(why), d: Math.round(durationMs) },
      x: exchanges.map((exchange) => ({
        ...exchange,
        path: storable(exchange.path),
        sent: storable(exchange.sent),
        received: storable(exchange.received),
      })),
      b: Buffer.byteLength(JSON.stringify(exchanges)),
    }));
    await this.database.rows(sql`
      insert into failed_exchanges (environment, at, supplier_id, operation, cause, request_id, why, duration_ms, exchanges, bytes)
      select ${this.#environment}, t, s, o, c, i, w, d, x, b from json_to_recordset(${JSON.stringify(lines)}::json)
        as line (t timestamptz, s text, o text, c text, i text, w text, d int, x json, b int) order by t`);
    await this.#trim();
  }

  /** Deletes those older than 24 hours. */
  async forget(): Promise<void> {
    await this.database.rows(sql`
      delete from failed_exchanges where environment = ${this.#environment} and at < now() - ${KEPT_HOURS} * interval '1 hour'`);
  }

  /** Up to `count`, newest first; absent filters match all. */
  async list(
    {
      supplier,
      operation,
      requestId,
      before,
    }: {
      readonly supplier?: string | undefined;
      readonly operation?: string | undefined;
      readonly requestId?: string | undefined;
      /** Only those older than the one with this id. */
      readonly before?: number | undefined;
    },
    count: number,
  ): Promise<readonly ListedFailure[]> {
    const and = (column: SQL, value: string | undefined): SQL =>
      value === undefined ? sql`` : sql` and ${column} = ${value}`;
    return await this.database.rows<ListedFailure>(sql`
      select ${LISTED} from failed_exchanges where environment = ${this.#environment}${and(sql`supplier_id`, supplier)}${and(sql`operation`, operation)}${and(sql`request_id`, requestId)}${before === undefined ? sql`` : sql` and id < ${before}`}
      order by id desc limit ${count}`);
  }

  /** Those of requests, and of the gateway's own checks of a reservation; up to `count`, newest first. */
  async ofReservation(id: string, requestIds: readonly string[], count: number): Promise<readonly ListedFailure[]> {
    return await this.database.rows<ListedFailure>(sql`
      select ${LISTED} from failed_exchanges where environment = ${this.#environment}
        and (starts_with(request_id, ${`rec_${id.replace(/^res_/, '')}_`})
          or request_id in (select json_array_elements_text(${JSON.stringify(requestIds)}::json)))
      order by id desc limit ${count}`);
  }

  /** Undefined if it isn't kept (anymore). */
  async find(id: number): Promise<KeptExchange | undefined> {
    const [row] = await this.database.rows<KeptExchange>(
      sql`select ${LISTED}, exchanges from failed_exchanges where environment = ${this.#environment} and id = ${id}`,
    );
    return row;
  }

  async #trim(): Promise<void> {
    await this.database.rows(sql`
      delete from failed_exchanges where id in (
        select id from (
          select id, row_number() over newest as place, sum(bytes) over newest as total from failed_exchanges
          where environment = ${this.#environment}
          window newest as (partition by supplier_id, operation order by id desc)) ranked
        where place > ${MOST_KEPT} or total > ${MOST_BYTES})`);
  }
}
