import { Inject, Injectable } from '@nestjs/common';
import { desc, eq, lt, sql } from 'drizzle-orm';
import { CONFIG, type Config, KEYS, type Keys } from '../config/config.module.js';
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

/**
 * Mails that were written and not delivered yet; where no SMTP server is set they stay here for the outbox page. Their texts hold links that
 * work as keys: they are sealed at rest. One that cannot be opened any more (its key is gone) is taken for lost.
 */
@Injectable()
export class Outbox {
  readonly #sealed: SealedTexts;

  constructor(
    @Inject(DATABASE) private readonly database: Database,
    @Inject(CONFIG) config: Config,
    @Inject(KEYS) keys: Keys,
  ) {
    this.#sealed = new SealedTexts(config.personalDataKeys, keys('personal_data'), 'PERSONAL_DATA_KEYS');
  }

  /** With `tables` of a transaction the mail stands or falls with it. */
  async put(mail: Mail, tables: Tables = this.database.tables): Promise<void> {
    await tables.insert(outbox).values(this.#rowOf(mail));
  }

  /** Gives a mail back that was taken and not delivered; its place and its age stay. */
  async putBack(mail: KeptMail): Promise<void> {
    await this.database.tables.insert(outbox).values({ ...this.#rowOf(mail), id: mail.id, at: mail.at });
  }

  /** Takes out the oldest mail after the one named, for one gateway alone; undefined = there is none. */
  async takeAfter(id: number): Promise<KeptMail | undefined> {
    const oldest = sql`(select ${outbox.id} from ${outbox} where ${outbox.id} > ${id} order by ${outbox.id} limit 1 for update skip locked)`;
    const [row] = await this.database.tables.delete(outbox).where(eq(outbox.id, oldest)).returning();
    return row && (this.#mailOf(row) ?? (await this.takeAfter(row.id)));
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
    } catch {
      // What the cipher says of it would help nobody; whoever waits for the mail asks for another.
      return undefined;
    }
  }
}

function placeOf(recipient: string, part: 'text' | 'html'): string {
  return `outbox:${part}:${recipient}`;
}
