import { Inject, Injectable } from '@nestjs/common';
import { sql } from 'drizzle-orm';
import { CONFIG, type Config } from '../config/config.module.js';
import type { Database } from '../database/database.js';
import { DATABASE } from '../database/database.module.js';
import type { OriginRegistry } from '../http/cors.js';

/** An answer of the database is used for this long, so that changes take effect within a second. */
const FRESH_MS = 500;
/** Origins that wait for one read. Beyond that, only those that were registered the last time are. */
const MOST_WAITING = 100;
/** Registered origins that are remembered. */
const MOST_KNOWN = 1_000;
/** What PostgreSQL can look for, and browsers send. */
const ORIGIN = /^https?:\/\/[\x21-\x7e]{1,262}$/;

/**
 * The web origins of active applications, for preflights. Anyone may send those, so there is one read of the database at a
 * time, for all origins that wait. While the database is unavailable, origins that were registered the last time still are.
 */
@Injectable()
export class RegisteredOrigins implements OriginRegistry {
  /** Registered origins and when they were read, by performance.now(); the least recently read first. */
  readonly #known = new Map<string, number>();
  #waiting = new Map<string, PromiseWithResolvers<boolean>>();
  #isReading = false;

  constructor(
    @Inject(DATABASE) private readonly database: Database,
    @Inject(CONFIG) private readonly config: Pick<Config, 'environment'>,
  ) {}

  isRegistered(origin: string): boolean | Promise<boolean> {
    if (!ORIGIN.test(origin)) return false;
    const readAt = this.#known.get(origin);
    if (readAt !== undefined && performance.now() - readAt < FRESH_MS) return true;
    const joined = this.#waiting.get(origin);
    if (joined) return joined.promise;
    if (this.#waiting.size >= MOST_WAITING) return readAt !== undefined;
    const answer = Promise.withResolvers<boolean>();
    this.#waiting.set(origin, answer);
    if (!this.#isReading) void this.#readAll();
    return answer.promise;
  }

  async #readAll(): Promise<void> {
    this.#isReading = true;
    while (this.#waiting.size > 0) {
      const asked = this.#waiting;
      this.#waiting = new Map();
      const startedAt = performance.now();
      const found = await this.#find([...asked.keys()]).catch(() => undefined);
      for (const [origin, { resolve }] of asked) {
        if (found) this.#keep(origin, found.has(origin), startedAt);
        resolve(this.#known.has(origin));
      }
    }
    this.#isReading = false;
  }

  #keep(origin: string, isRegistered: boolean, readAt: number): void {
    this.#known.delete(origin);
    if (!isRegistered) return;
    this.#known.set(origin, readAt);
    const [oldest] = this.#known.keys();
    if (this.#known.size > MOST_KNOWN && oldest !== undefined) this.#known.delete(oldest);
  }

  async #find(origins: readonly string[]): Promise<ReadonlySet<string>> {
    const rows = await this.database.rows<{ origin: string }>(sql`
      select o.origin from json_array_elements_text(${JSON.stringify(origins)}::json) o (origin)
      where exists (select from applications a where a.allowed_origins @> array[o.origin] and a.allowed_origins <> '{}'
        and a.environment = ${this.config.environment} and a.state = 'active')`);
    return new Set(rows.map(({ origin }) => origin));
  }
}
