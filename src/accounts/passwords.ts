import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { Injectable } from '@nestjs/common';

const derive = promisify(argon2);

/** OWASP Password Storage: 19 MiB, two passes, one lane. */
const COST = { memory: 19_456, passes: 2, parallelism: 1 } as const;
const SALT_BYTES = 16;
const TAG_BYTES = 32;
const PHC = /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

/** Hashing runs on libuv's four threads; two are left for files and DNS. */
const MOST_CONCURRENT = 2;
/** Requests further back in the queue would exceed their time budget. */
const WAITING_MOST = 60;
/** A caller's share of the queue. */
const WAITING_OF_ONE = 12;

/** Too many passwords are being hashed or queued, so the password was not checked. */
export class PasswordsBusyError extends Error {
  constructor() {
    super('too many passwords are waiting to be hashed');
    this.name = 'PasswordsBusyError';
  }
}

/**
 * Hashes passwords with argon2id, off the event loop and with bounded concurrency; beyond that both methods reject with PasswordsBusyError.
 * Callers are served in rotation, and each may have twelve calls waiting. A caller is the network of a login, never its account, so that guessing
 * doesn't lock the owner out; otherwise, it is the account of the visitor or link.
 * Passwords are normalized (NFKC), so different compositions of the same characters match.
 */
@Injectable()
export class Passwords {
  #running = 0;
  /** Caller → its calls, oldest first, never empty. The next to be served is the first. */
  readonly #waiting = new Map<string, (() => void)[]>();
  #length = 0;
  /** Compared with if there is no hash, so that the check takes as long. */
  readonly #placeholder = phcOf(COST, randomBytes(SALT_BYTES), randomBytes(TAG_BYTES));

  /** Hashes a password in PHC format with a random salt. */
  async hash(caller: string, password: string): Promise<string> {
    const salt = randomBytes(SALT_BYTES);
    return phcOf(COST, salt, await this.#derive(caller, password, COST, salt, TAG_BYTES));
  }

  /** Whether the password matches the hash. Always false for null (no hash), after the same work. */
  async verify(caller: string, password: string, phc: string | null): Promise<boolean> {
    const [, memory, passes, parallelism, salt = '', tag = ''] = PHC.exec(phc ?? this.#placeholder) ?? [];
    if (memory === undefined) throw new Error('the stored password hash is not in argon2id PHC format');
    const cost = { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) };
    const expected = Buffer.from(tag, 'base64');
    const derived = await this.#derive(caller, password, cost, Buffer.from(salt, 'base64'), expected.length);
    return timingSafeEqual(derived, expected) && phc !== null;
  }

  async #derive(caller: string, password: string, cost: Cost, nonce: Buffer, tagLength: number): Promise<Buffer> {
    await this.#enter(caller);
    try {
      return await derive('argon2id', { message: password.normalize('NFKC'), nonce, tagLength, ...cost });
    } finally {
      this.#leave();
    }
  }

  async #enter(caller: string): Promise<void> {
    if (this.#running < MOST_CONCURRENT) {
      this.#running += 1;
      return;
    }
    const own = this.#waiting.get(caller) ?? [];
    if (this.#length >= WAITING_MOST || own.length >= WAITING_OF_ONE) throw new PasswordsBusyError();
    this.#length += 1;
    await new Promise<void>((resolve) => {
      own.push(resolve);
      this.#waiting.set(caller, own);
    });
  }

  /** Passes the slot to the oldest call of the caller whose turn it is. */
  #leave(): void {
    const [first] = this.#waiting;
    if (!first) {
      this.#running -= 1;
      return;
    }
    const [caller, calls] = first;
    const next = calls.shift();
    this.#length -= 1;
    this.#waiting.delete(caller);
    if (calls.length > 0) this.#waiting.set(caller, calls);
    next?.();
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
