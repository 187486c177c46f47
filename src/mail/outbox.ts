import { Inject, Injectable } from '@nestjs/common';
import { and, desc, eq, type SQL, sql } from 'drizzle-orm';
import type { Logger } from 'pino';
import { CONFIG, type Config, KEYS, type Keys } from '../config/config.module.js';
import { LOGGER } from '../config/logger.js';
import { SealedTexts } from '../config/sealed-text.js';
import type { Database, Tables } from '../database/database.js';
import { DATABASE } from '../database/database.module.js';
import { outbox } from '../database/outbox-tables.js';

/** An email to one recipient, with the same content as plain text and HTML. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** It follows a sign-up or asks to activate an account: emails about accounts in use don't wait for it. Undefined = false. */
  readonly isSignUp?: boolean;
}

/** An email in the outbox. */
export interface KeptMail extends Mail {
  readonly id: number;
  readonly isSignUp: boolean;
  readonly at: Date;
}

type Row = typeof outbox.$inferSelect;

/** How long a gateway holds an email: longer than a connection to the SMTP server lasts (delivery.ts). */
const LEASE = sql`interval '60 seconds'`;
const BATCH = 500;
/** When an email may be leased; the index outbox_due has the same expression. */
const DUE = sql`coalesce(${outbox.leasedUntil}, '-infinity'::timestamptz)`;

/**
 * The emails of this environment that are not delivered yet; those of the other one are neither shown nor delivered here (decision 0023). On
 * a loopback sandbox without an SMTP server they stay for the outbox page. Their texts contain links that grant access, so they are encrypted
 * at rest. An email that can't be decrypted (its key is not configured here) is logged once and kept: the key may be
 * configured again, or another gateway may have it.
 */
@Injectable()
export class Outbox {
  readonly #sealed: SealedTexts;
  readonly #environment: Config['environment'];
  readonly #unreadable = new Set<number>();

  constructor(
    @Inject(DATABASE) private readonly database: Database,
    @Inject(CONFIG) config: Config,
    @Inject(KEYS) keys: Keys,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.#sealed = new SealedTexts(config, keys, 'PERSONAL_DATA_KEYS');
    this.#environment = config.environment;
  }

  /** Adds an email; with the `tables` of a transaction, as part of it. */
  async put(mail: Mail, tables: Tables = this.database.tables): Promise<void> {
    await tables.insert(outbox).values(this.#rowOf(mail));
  }

  /**
   * Leases the due email, of sign-ups or of accounts in use, that has waited longest: those that were not tried yet come first, oldest first,
   * then those that were postponed. Undefined if none is due. Emails to `fullDomains` are left. Other gateways can't lease it until it is
   * removed or its time comes again, or until the lease expires because this gateway crashed or lost the database.
   */
  async lease(isSignUp: boolean, fullDomains: readonly string[] = []): Promise<KeptMail | undefined> {
    const isOfKind = eq(outbox.isSignUp, isSignUp);
    const isFull = sql`split_part(${outbox.recipient}, '@', -1) in (select json_array_elements_text(${JSON.stringify(fullDomains)}::json))`;
    const next = sql`(select ${outbox.id} from ${outbox} where ${this.#isReadable()} and ${isOfKind} and ${DUE} < now() and not ${isFull}
      order by ${DUE}, ${outbox.id} limit 1 for update skip locked)`;
    const leased = { leasedUntil: sql`now() + ${LEASE}` };
    const [row] = await this.database.tables.update(outbox).set(leased).where(eq(outbox.id, next)).returning();
    if (!row) return undefined;
    const mail = this.#mailOf(row);
    if (mail) return mail;
    await this.database.tables.update(outbox).set({ leasedUntil: null }).where(eq(outbox.id, row.id));
    return await this.lease(isSignUp, fullDomains);
  }

  /** Ends the lease of an undelivered email, which is due again after as long as it has waited so far, within these bounds. */
  async postpone(id: number, leastMs: number, mostMs: number): Promise<void> {
    const [least, most] = [leastMs, mostMs].map((ms) => sql`${ms} * interval '1 millisecond'`);
    const leasedUntil = sql`now() + least(greatest(now() - ${outbox.at}, ${least}), ${most})`;
    await this.database.tables.update(outbox).set({ leasedUntil }).where(eq(outbox.id, id));
  }

  /** The time until the next email is due, in milliseconds; Infinity if there is none. */
  async dueInMs(): Promise<number> {
    const [row] = await this.database.rows<{ readonly ms: number | null }>(sql`
      select (extract(epoch from min(next.at) - now()) * 1000)::float8 as ms
      from (values (false), (true)) as kind (is_sign_up), lateral (
        select coalesce(${outbox.leasedUntil}, now()) as at from ${outbox}
        where ${this.#isReadable()} and ${outbox.isSignUp} = kind.is_sign_up order by ${DUE}, ${outbox.id} limit 1) next`);
    return row?.ms ?? Number.POSITIVE_INFINITY;
  }

  /** Whether at least `count` emails of sign-ups are not delivered yet. */
  async hasSignUps(count: number): Promise<boolean> {
    const rows = await this.database.tables
      .select({ id: outbox.id })
      .from(outbox)
      .where(and(this.#isOwn(), eq(outbox.isSignUp, true)))
      .offset(count - 1)
      .limit(1);
    return rows.length > 0;
  }

  /** Removes an email that was delivered or never will be. */
  async remove(id: number): Promise<void> {
    await this.database.tables.delete(outbox).where(eq(outbox.id, id));
  }

  /** Newest first. */
  async newest(count: number): Promise<readonly KeptMail[]> {
    const rows = await this.database.tables
      .select()
      .from(outbox)
      .where(this.#isOwn())
      .orderBy(desc(outbox.id))
      .limit(count);
    return rows.flatMap((row) => this.#mailOf(row) ?? []);
  }

  /** Drops all but the newest. */
  async keepNewest(count: number): Promise<void> {
    const newestToGo = sql`(select ${outbox.id} from ${outbox} where ${this.#isOwn()} order by ${outbox.id} desc offset ${count} limit 1)`;
    await this.database.tables.delete(outbox).where(and(this.#isOwn(), sql`${outbox.id} <= ${newestToGo}`));
  }

  /** Drops the emails written longer than `ageMs` ago and returns their number. */
  async dropOlder(ageMs: number): Promise<number> {
    // By the database's clock, which stamped them: that of this machine may be wrong.
    const isOld = and(this.#isOwn(), sql`${outbox.at} < now() - ${ageMs} * interval '1 ms'`);
    return (await this.database.tables.delete(outbox).where(isOld).returning({ id: outbox.id })).length;
  }

  /** Re-encrypts emails that use an older key. Returns their number and the ids of those that can't be decrypted and stay unchanged. */
  async reseal(): Promise<{ resealed: number; unreadable: readonly number[] }> {
    const unreadable: number[] = [];
    let resealed = 0;
    for (let last = 0; ; ) {
      const isOlder = sql`${outbox.id} > ${last} and ${this.#isOwn()} and split_part(${outbox.text}, '.', 1) <> ${this.#sealed.newest}`;
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

  #isOwn(): SQL {
    return eq(outbox.environment, this.#environment);
  }

  /** Own, and not known to be unreadable. */
  #isReadable(): SQL {
    const unreadable = JSON.stringify([...this.#unreadable]);
    return sql`${this.#isOwn()} and not ${outbox.id}::text in (select json_array_elements_text(${unreadable}::json))`;
  }

  #rowOf({ to, subject, text, html, isSignUp = false }: Mail): typeof outbox.$inferInsert {
    return {
      environment: this.#environment,
      isSignUp,
      recipient: to,
      subject,
      text: this.#sealed.seal(text, placeOf(to, 'text')),
      html: this.#sealed.seal(html, placeOf(to, 'html')),
    };
  }

  #mailOf({ id, isSignUp, at, recipient: to, subject, text, html }: Row): KeptMail | undefined {
    try {
      return {
        id,
        isSignUp,
        at,
        to,
        subject,
        text: this.#sealed.open(text, placeOf(to, 'text')),
        html: this.#sealed.open(html, placeOf(to, 'html')),
      };
    } catch (error) {
      if (!this.#unreadable.has(id))
        this.logger.error({ mail: id, subject, err: error }, 'an email could not be decrypted and stays in the outbox');
      this.#unreadable.add(id);
      return undefined;
    }
  }
}

/** The part of an address after the @. */
export function domainOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1);
}

function placeOf(recipient: string, part: 'text' | 'html'): string {
  return `outbox:${part}:${recipient}`;
}
