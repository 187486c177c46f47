import { Inject, Injectable } from '@nestjs/common';
import { desc, eq, lt, sql } from 'drizzle-orm';
import type { Logger } from 'pino';
import { CONFIG, type Config, KEYS, type Keys } from '../config/config.module.js';
import { LOGGER } from '../config/logger.js';
import { SealedTexts } from '../config/sealed-text.js';
import type { Database, Tables } from '../database/database.js';
import { DATABASE } from '../database/database.module.js';
import { outbox } from '../database/schema.js';

/** A mail as it is sent: one recipient, the same content as plain text and as HTML. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** A mail that waits in the outbox. */
export interface KeptMail extends Mail {
  readonly id: number;
  readonly at: Date;
}

type Row = typeof outbox.$inferSelect;

/** How long a mail is one gateway's: longer than all silences of an SMTP server that it waits for together (delivery.ts). */
const LEASE = sql`interval '60 seconds'`;
const BATCH = 500;

/**
 * Mails that were written and not delivered yet; where no SMTP server is set they stay here for the outbox page. Their texts hold links that
 * work as keys: they are sealed at rest. One that cannot be opened (its key is not configured here) is logged once and stays: the key may
 * come back, or another gateway may have it.
 */
@Injectable()
export class Outbox {
  readonly #sealed: SealedTexts;
  readonly #unreadable = new Set<number>();

  constructor(
    @Inject(DATABASE) private readonly database: Database,
    @Inject(CONFIG) config: Config,
    @Inject(KEYS) keys: Keys,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.#sealed = new SealedTexts(config.personalDataKeys, keys('personal_data'), 'PERSONAL_DATA_KEYS');
  }

  /** With `tables` of a transaction the mail stands or falls with it. */
  async put(mail: Mail, tables: Tables = this.database.tables): Promise<void> {
    await tables.insert(outbox).values(this.#rowOf(mail));
  }

  /**
   * The oldest mail after the one named that nobody delivers; undefined = there is none. No other gateway gets it until it is removed, released, or
   * its lease has ended because this one is dead or has lost the database.
   */
  async leaseAfter(id: number): Promise<KeptMail | undefined> {
    const isFree = sql`(${outbox.leasedUntil} is null or ${outbox.leasedUntil} < now())`;
    const oldest = sql`(select ${outbox.id} from ${outbox} where ${outbox.id} > ${id} and ${isFree} order by ${outbox.id} limit 1 for update skip locked)`;
    const leased = { leasedUntil: sql`now() + ${LEASE}` };
    const [row] = await this.database.tables.update(outbox).set(leased).where(eq(outbox.id, oldest)).returning();
    if (!row) return undefined;
    const mail = this.#mailOf(row);
    if (mail) return mail;
    await this.release(row.id);
    return await this.leaseAfter(row.id);
  }

  /** Ends the lease of a mail that was not delivered. */
  async release(id: number): Promise<void> {
    await this.database.tables.update(outbox).set({ leasedUntil: null }).where(eq(outbox.id, id));
  }

  /** Takes out a mail that was delivered, or never will be. */
  async remove(id: number): Promise<void> {
    await this.database.tables.delete(outbox).where(eq(outbox.id, id));
  }

  /** Newest first. */
  async newest(count: number): Promise<readonly KeptMail[]> {
    const rows = await this.database.tables.select().from(outbox).orderBy(desc(outbox.id)).limit(count);
    return rows.flatMap((row) => this.#mailOf(row) ?? []);
  }

  /** Drops all but the newest. */
  async keepNewest(count: number): Promise<void> {
    const newestToGo = sql`(select ${outbox.id} from ${outbox} order by ${outbox.id} desc offset ${count} limit 1)`;
    await this.database.tables.delete(outbox).where(sql`${outbox.id} <= ${newestToGo}`);
  }

  /** Drops what was written before a time; how many that were. */
  async dropBefore(time: Date): Promise<number> {
    return (await this.database.tables.delete(outbox).where(lt(outbox.at, time)).returning({ id: outbox.id })).length;
  }

  /** Seals anew what an older key has sealed: how many mails, and the ids of those that cannot be opened and stay as they are. */
  async reseal(): Promise<{ resealed: number; unreadable: readonly number[] }> {
    const unreadable: number[] = [];
    let resealed = 0;
    for (let last = 0; ; ) {
      const isOlder = sql`${outbox.id} > ${last} and split_part(${outbox.text}, '.', 1) <> ${this.#sealed.newest}`;
      const rows = await this.database.tables.select().from(outbox).where(isOlder).orderBy(outbox.id).limit(BATCH);
      for (const row of rows) {
        const mail = this.#mailOf(row);
        if (mail) await this.database.tables.update(outbox).set(this.#rowOf(mail)).where(eq(outbox.id, row.id));
        if (mail) resealed += 1;
        else unreadable.push(row.id);
        last = row.id;
      }
      if (rows.length < BATCH) return { resealed, unreadable };
    }
  }

  #rowOf({ to, subject, text, html }: Mail): typeof outbox.$inferInsert {
    return {
      recipient: to,
      subject,
      text: this.#sealed.seal(text, placeOf(to, 'text')),
      html: this.#sealed.seal(html, placeOf(to, 'html')),
    };
  }

  #mailOf({ id, at, recipient: to, subject, text, html }: Row): KeptMail | undefined {
    try {
      return {
        id,
        at,
        to,
        subject,
        text: this.#sealed.open(text, placeOf(to, 'text')),
        html: this.#sealed.open(html, placeOf(to, 'html')),
      };
    } catch (error) {
      if (!this.#unreadable.has(id))
        this.logger.error({ mail: id, subject, err: error }, 'a mail cannot be opened; it stays in the outbox');
      this.#unreadable.add(id);
      return undefined;
    }
  }
}

function placeOf(recipient: string, part: 'text' | 'html'): string {
  return `outbox:${part}:${recipient}`;
}
