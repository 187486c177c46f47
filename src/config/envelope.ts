import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { decrypt, encrypt, type SealedTexts } from './sealed-text.js';

const KEY_BYTES = 32;

/**
 * Texts at rest, each sealed with its own data key that a versioned key wraps: `<version><s|p>.<wrapped data key>.<sealed
 * text>`. A new versioned key rewraps the data keys and never touches the texts. Key and text are each bound to their
 * place and role.
 */
export class Envelopes {
  constructor(private readonly wrapping: SealedTexts) {}

  /** Version of the current wrapping key: the part before the first dot of an envelope. */
  get newest(): string {
    return this.wrapping.newest;
  }

  /** Seals a text for its place with a new data key. */
  seal(text: string, place: string): string {
    const dataKey = randomBytes(KEY_BYTES);
    const sealed = encrypt(createSecretKey(dataKey), Buffer.from(text, 'utf8'), `text:${place}`);
    return `${this.wrapping.seal(dataKey.toString('base64url'), `key:${place}`)}.${sealed.toString('base64url')}`;
  }

  /** Opens an envelope. Throws if its key is no longer configured, or if it was altered or belongs to another place. */
  open(envelope: string, place: string): string {
    const { wrapped, sealed } = partsOf(envelope);
    return decrypt(this.#dataKey(wrapped, place), Buffer.from(sealed, 'base64url'), `text:${place}`).toString('utf8');
  }

  /** The same envelope with its data key wrapped by the newest key. Throws like `open` if its key is not configured. */
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
  const [, wrapped, sealed] = /^(\d{1,6}[sp]?\.[\w-]+)\.([\w-]+)$/.exec(envelope) ?? [];
  if (wrapped === undefined || sealed === undefined) throw new Error('not an envelope');
  return { wrapped, sealed };
}
