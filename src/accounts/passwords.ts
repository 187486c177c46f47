import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { Injectable } from '@nestjs/common';
import { PasswordLane } from './password-lane.js';

const derive = promisify(argon2);

/** OWASP Password Storage: 19 MiB, two passes, one lane. */
const COST = { memory: 19_456, passes: 2, parallelism: 1 } as const;
const SALT_BYTES = 16;
const TAG_BYTES = 32;
const PHC = /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

/** Hashing runs on libuv's four threads; two are left for files and DNS. */
const MOST_CONCURRENT = 2;
/** Requests further back in the queue would exceed their time budget. A third of the places is for known callers. */
const KNOWN_MOST = 20;
const UNKNOWN_MOST = 40;
/** A caller's share of these places. */
const WAITING_OF_ONE = 12;

/** Whose password is hashed. */
export interface PasswordCaller {
  /** Whose share of places and turns it uses: the account of a known caller, or the network of a login. Never the account of a login from elsewhere. */
  readonly key: string;
  /** It uses a session, a link, or a browser that is known for the account (DeviceCookies). */
  readonly isKnown: boolean;
  /** The request that it is for, such as a RequestContext: once that is canceled, the password isn't hashed. Undefined = none. */
  readonly request: CancelableRequest | undefined;
}

/** The caller for an account whose session or link `request` has. */
export function ownerOf(accountId: string, request: CancelableRequest | undefined): PasswordCaller {
  return { key: accountId, isKnown: true, request };
}

/** A request that may be canceled: its time has run out, or the client disconnected. */
export interface CancelableRequest {
  /** Runs `listener` when it is canceled, or immediately if it already is; the returned function removes the listener. */
  onCancel(listener: () => void): () => void;
}

/** Too many passwords are being hashed or queued, or the request was canceled, so the password was not checked. */
export class PasswordsBusyError extends Error {
  constructor() {
    super('the password was not hashed: too many wait, or the request was canceled');
    this.name = 'PasswordsBusyError';
  }
}

/**
 * Hashes passwords with argon2id, off the event loop and with bounded concurrency; beyond that both methods reject with PasswordsBusyError.
 * Known callers have places and every second turn of their own, so that guessing doesn't lock the owner out (decision 0095). Within both groups,
 * callers are served in rotation, each may have twelve calls waiting, and when all places are taken, those with the most give way.
 * Passwords are normalized (NFKC), so different compositions of the same characters match.
 */
@Injectable()
export class Passwords {
  #running = 0;
  readonly #known = new PasswordLane(KNOWN_MOST, WAITING_OF_ONE);
  readonly #unknown = new PasswordLane(UNKNOWN_MOST, WAITING_OF_ONE);
  #isTurnOfKnown = true;
  /** Compared with if there is no hash, so that the check takes as long. */
  readonly #placeholder = phcOf(COST, randomBytes(SALT_BYTES), randomBytes(TAG_BYTES));

  /** Hashes a password in PHC format with a random salt. */
  async hash(caller: PasswordCaller, password: string): Promise<string> {
    const salt = randomBytes(SALT_BYTES);
    return phcOf(COST, salt, await this.#derive(caller, password, COST, salt, TAG_BYTES));
  }

  /** Whether the password matches the hash. Always false for null (no hash), after the same work. */
  async verify(caller: PasswordCaller, password: string, phc: string | null): Promise<boolean> {
    const [, memory, passes, parallelism, salt = '', tag = ''] = PHC.exec(phc ?? this.#placeholder) ?? [];
    if (memory === undefined) throw new Error('the stored password hash is not in argon2id PHC format');
    const cost = { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) };
    const expected = Buffer.from(tag, 'base64');
    const derived = await this.#derive(caller, password, cost, Buffer.from(salt, 'base64'), expected.length);
    return timingSafeEqual(derived, expected) && phc !== null;
  }

  async #derive(
    caller: PasswordCaller,
    password: string,
    cost: Cost,
    nonce: Buffer,
    tagLength: number,
  ): Promise<Buffer> {
    await this.#enter(caller);
    try {
      return await derive('argon2id', { message: password.normalize('NFKC'), nonce, tagLength, ...cost });
    } finally {
      this.#leave();
    }
  }

  async #enter({ key, isKnown, request }: PasswordCaller): Promise<void> {
    if (this.#running < MOST_CONCURRENT) {
      this.#running += 1;
      return;
    }
    const lane = isKnown ? this.#known : this.#unknown;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const giveUp = (): void => reject(new PasswordsBusyError());
    const call = { caller: key, serve: resolve, giveWay: giveUp };
    if (!lane.add(call)) throw new PasswordsBusyError();
    const forget = request?.onCancel(() => {
      lane.remove(call);
      giveUp();
    });
    await promise.finally(forget);
  }

  /** Passes the slot on: in turn to a known and to an unknown caller, as long as both wait. */
  #leave(): void {
    const [first, second] = this.#isTurnOfKnown ? [this.#known, this.#unknown] : [this.#unknown, this.#known];
    this.#isTurnOfKnown = !this.#isTurnOfKnown;
    if (!first.serveNext() && !second.serveNext()) this.#running -= 1;
  }
}

interface Cost {
  /** KiB. */
  readonly memory: number;
  readonly passes: number;
  readonly parallelism: number;
}

function phcOf({ memory, passes, parallelism }: Cost, salt: Buffer, tag: Buffer): string {
  const text = (bytes: Buffer): string => bytes.toString('base64').replaceAll('=', '');
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${text(salt)}$${text(tag)}`;
}
