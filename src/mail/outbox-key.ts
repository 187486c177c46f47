import { randomBytes, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';

/**
 * The key of the page of emails (docs/accounts.md#email): anyone who has it can read them all. It is random (256 bits), new at
 * each start, and neither derived nor stored, so that a known FORECOURT_SECRET doesn't reveal it.
 */
@Injectable()
export class OutboxKey {
  readonly #key = randomBytes(32);

  /** The link that opens the page, without the site's address. The key, 43 characters, is in its fragment, which browsers don't send. */
  get link(): string {
    return `/outbox/link#${this.text}`;
  }

  /** The key as base64url. */
  get text(): string {
    return this.#key.toString('base64url');
  }

  /** Whether this text is the key; undefined = none was sent. */
  opens(text: string | undefined): boolean {
    const given = Buffer.from(text ?? '', 'base64url');
    return given.length === this.#key.length && timingSafeEqual(given, this.#key);
  }
}
