import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { decrypt, encrypt, type SealedTexts } from './sealed-text.js';

const KEY_BYTES = 32;

/**
 * Texts at rest under a data key of their own, which a versioned key wraps: `<version>.<wrapped data key>.<sealed text>`. A new versioned key
 * wraps the data keys anew and never touches the texts. Key and text are both bound to their place, each in its own role.
 */
export class Envelopes {
  constructor(private readonly wrapping: SealedTexts) {}

  /** Version of the key that wraps now; it stands before the first dot of what it wrapped. */
  get newest(): string {
    return this.wrapping.newest;
  }

  /** Seals a text for its place under a fresh data key. */
  seal(text: string, place: string): string {
    const dataKey = randomBytes(KEY_BYTES);
    const sealed = encrypt(createSecretKey(dataKey), Buffer.from(text, 'utf8'), `text:${place}`);
    return `${this.wrapping.seal(dataKey.toString('base64url'), `key:${place}`)}.${sealed.toString('base64url')}`;
  }

  /** Opens an envelope. Throws when its key is not configured any more, or when it was altered or belongs elsewhere. */
  open(envelope: string, place: string): string {
    const { wrapped, sealed } = partsOf(envelope);
    return decrypt(this.#dataKey(wrapped, place), Buffer.from(sealed, 'base64url'), `text:${place}`).toString('utf8');
  }

  /** The same envelope with its data key wrapped by the newest key. Throws as `open` does for the key. */
  rewrap(envelope: string, place: string): string {
    const { wrapped, sealed } = partsOf(envelope);
    const dataKey = this.wrapping.open(wrapped, `key:${place}`);
    return `${this.wrapping.seal(dataKey, `key:${place}`)}.${sealed}`;
  }

  #dataKey(wrapped: string, place: string): KeyObject {
    return createSecretKey(Buffer.from(this.wrapping.open(wrapped, `key:${place}`), 'base64url'));
  }
}

function partsOf(envelope: string): { wrapped: string; sealed: string } {
  const [, wrapped, sealed] = /^(\d{1,6}\.[\w-]+)\.([\w-]+)$/.exec(envelope) ?? [];
  if (wrapped === undefined || sealed === undefined) throw new Error('this is no envelope');
  return { wrapped, sealed };
}
