import { randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { sql } from 'drizzle-orm';
import { Webhook } from 'standardwebhooks';
import { CONFIG, KEYS, type Keys } from '../config/config.module.js';
import { Envelopes } from '../config/envelope.js';
import { SealedTexts, type SealingConfig } from '../config/sealed-text.js';
import type { Database } from '../database/database.js';

/** Bytes of a new secret; Standard Webhooks allows 24 to 64. */
const SECRET_BYTES = 32;
const BATCH = 500;

/** The sealed secrets of an endpoint that sign now. */
export interface SigningSecrets {
  readonly id: string;
  readonly secret: string;
  /** Null = none, or its overlap has passed. */
  readonly previousSecret: string | null;
}

/** What is signed. */
export interface SignedMessage {
  /** `evt_…`. */
  readonly id: string;
  readonly at: Date;
  readonly body: string;
}

/** The signing secrets of endpoints, sealed like client secrets: with CLIENT_SECRET_KEYS, each for its endpoint. */
@Injectable()
export class WebhookSecrets {
  readonly #envelopes: Envelopes;

  constructor(@Inject(CONFIG) config: SealingConfig, @Inject(KEYS) keys: Keys) {
    this.#envelopes = new Envelopes(new SealedTexts(config, keys, 'CLIENT_SECRET_KEYS'));
  }

  /** A new secret for an endpoint, as `whsec_` and base64, and its sealed form. */
  create(endpointId: string): { readonly secret: string; readonly sealed: string } {
    const secret = `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
    return { secret, sealed: this.#envelopes.seal(secret, placeOf(endpointId)) };
  }

  /**
   * The value of `webhook-signature`: one signature for each secret, the newest first, without the previous one if it can't be
   * opened. Throws if the current one can't be opened, because its key is not configured.
   */
  sign({ id, secret, previousSecret }: SigningSecrets, message: SignedMessage): string {
    const open = (sealed: string) => this.#envelopes.open(sealed, placeOf(id));
    const previous = previousSecret === null ? undefined : ifReadable(() => open(previousSecret));
    return [open(secret), ...(previous === undefined ? [] : [previous])]
      .map((opened) => new Webhook(opened).sign(message.id, message.at, message.body))
      .join(' ');
  }

  /**
   * Rewraps the secrets of an environment that an older key wraps. Returns their number, and the ids of endpoints with one
   * that can't be opened.
   */
  async rewrapAll(database: Database, environment: string): Promise<{ wrapped: number; unreadable: string[] }> {
    const unreadable: string[] = [];
    let wrapped = 0;
    for (let last = ''; ; ) {
      const rows = await database.rows<SigningSecrets>(sql`
        select id, secret, previous_secret as "previousSecret" from webhook_endpoints
        where id > ${last} and environment = ${environment} order by id limit ${BATCH}`);
      for (const row of rows) {
        last = row.id;
        const outcome = await this.#rewrap(database, row);
        if (outcome === 'unreadable') unreadable.push(row.id);
        else wrapped += outcome;
      }
      if (rows.length < BATCH) return { wrapped, unreadable };
    }
  }

  async #rewrap(database: Database, { id, secret, previousSecret }: SigningSecrets): Promise<number | 'unreadable'> {
    const isOld = (sealed: string) => !sealed.startsWith(`${this.#envelopes.newest}.`);
    const old = [secret, ...(previousSecret === null ? [] : [previousSecret])].filter(isOld);
    const renewed = old.map(
      (sealed) => [sealed, ifReadable(() => this.#envelopes.rewrap(sealed, placeOf(id)))] as const,
    );
    for (const [sealed, rewrapped] of renewed) {
      // In either column: its owner may have rotated meanwhile, which makes the current secret the previous one.
      if (rewrapped !== undefined)
        await database.rows(sql`update webhook_endpoints set
          secret = case when secret = ${sealed} then ${rewrapped} else secret end,
          previous_secret = case when previous_secret = ${sealed} then ${rewrapped} else previous_secret end
          where id = ${id} and (secret = ${sealed} or previous_secret = ${sealed})`);
    }
    return renewed.some(([, rewrapped]) => rewrapped === undefined) ? 'unreadable' : renewed.length;
  }
}

/** Undefined if the cipher fails, because the key is not configured: its error isn't useful. */
function ifReadable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

function placeOf(endpointId: string): string {
  return `webhook_secret:${endpointId}`;
}
