import { isNativeError } from 'node:util/types';
import { DrizzleQueryError } from 'drizzle-orm/errors';

/** Why the database can't do what it was asked; `unavailable` = it does not answer. */
export type DatabaseFault = 'unavailable' | 'full' | 'read_only' | 'overloaded' | 'locked';

/** SQLSTATEs (PostgreSQL, appendix A) and error codes of Node by fault; the first match applies. */
const CODES: readonly (readonly [DatabaseFault, RegExp])[] = [
  ['full', /^(53100|ENOSPC|EDQUOT)$/],
  ['read_only', /^(25006|EROFS)$/],
  // Out of memory, too many connections, other limits of the server's resources.
  ['overloaded', /^53[0-9A-Z]{3}$/],
  // Lock timeout, deadlock, statement timeout.
  ['locked', /^(55P03|40P01|57014)$/],
  ['unavailable', /^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENOTFOUND|EAI_AGAIN|57P0\d|08\d{3})$/],
];

/** Errors of pg without a code. */
const MESSAGES: readonly (readonly [DatabaseFault, RegExp])[] = [
  // No connection of the pool became free. A server that doesn't answer is "Connection terminated".
  ['overloaded', /timeout exceeded when trying to connect/],
  // The server gives up a statement that waits for a lock before this (database.ts), and says so.
  ['unavailable', /connection terminated|query read timeout|is not queryable|PGlite is closed/i],
];

/** How far the causes of an error are followed: drizzle wraps once, connection attempts once more. */
const MOST_CAUSES = 4;

/** The fault behind an error of the driver, also one that drizzle has wrapped; undefined = a fault of the statement. */
export function databaseFault(error: unknown): DatabaseFault | undefined {
  for (const { code, message } of chainOf(error)) {
    const [fault] =
      CODES.find(([, codes]) => codes.test(code)) ?? MESSAGES.find(([, messages]) => messages.test(message)) ?? [];
    if (fault) return fault;
  }
  return undefined;
}

/** What may succeed if it is asked again: the server is overloaded, another session holds a lock, or this process was late itself. */
const LATE = {
  codes: /^(53[0-9A-Z]{3}|55P03|40P01|57014)$/,
  messages: /^timeout expired$|timeout exceeded when trying to connect|connection timeout|^query read timeout/i,
};

/** Whether the database refused nothing, but something took too long: connecting, a lock, or a statement. */
export function wasLate(error: unknown): boolean {
  return chainOf(error).some(({ code, message }) => LATE.codes.test(code) || LATE.messages.test(message));
}

/** A connection that ended while it was in use, also one that ends after the commit of its statement (57P01). */
const BROKEN = {
  codes: /^(ECONNRESET|EPIPE|ETIMEDOUT|57P0[124]|0800[367])$/,
  messages: /connection terminated|read timeout/i,
};

/** Whether a statement that failed may have been carried out, or may still be. Undoubtedly not, if it was never sent. */
export function mayBeDone(error: unknown): boolean {
  const { codes, messages } = BROKEN;
  return chainOf(error).some(({ code, message }) => codes.test(code) || messages.test(message));
}

/**
 * SQLSTATEs of values that PostgreSQL refuses: data exceptions, broken constraints, limits of the program. Not 23514: the
 * tables without check constraints report it if a partition is missing, which can be created.
 */
const REFUSED_VALUE = /^(22|23(?!514)|54)[0-9A-Z]{3}$/;

/** The SQLSTATE if the database refused a value of the statement, so that the same statement can never succeed. */
export function refusedValue(error: unknown): string | undefined {
  return chainOf(error).find(({ code }) => REFUSED_VALUE.test(code))?.code;
}

/** An error and its causes; `code` is empty without one. */
function chainOf(error: unknown): readonly { readonly code: string; readonly message: string }[] {
  const chain: { readonly code: string; readonly message: string }[] = [];
  for (let current = error; isNativeError(current) && chain.length < MOST_CAUSES; current = current.cause)
    chain.push({ code: 'code' in current ? String(current.code) : '', message: ownMessageOf(current) });
  return chain;
}

/** Drizzle's messages have the parameters of the statement, and those of PostgreSQL can quote them: a supplier's text decides nothing. */
function ownMessageOf(error: Error): string {
  const isQuoting = error instanceof DrizzleQueryError || ('code' in error && /^[0-9A-Z]{5}$/.test(String(error.code)));
  return isQuoting ? '' : error.message;
}

/** A fault of a write that no later write has disproved. */
export interface WriteFault {
  readonly fault: DatabaseFault;
  /** Epoch milliseconds of this machine. */
  readonly at: number;
}

/** Remembers how the last write ended: a database that answers reads may still be full, read-only or locked. */
export class WriteWatch {
  #last: WriteFault | undefined;

  /** Undefined if the last write succeeded, or there was none. */
  get fault(): WriteFault | undefined {
    return this.#last;
  }

  /** Notes that a write succeeded whose result doesn't show it: PostgreSQL calls `with … insert … select` a SELECT. */
  succeeded(): void {
    this.#last = undefined;
  }

  /** Runs a statement and notes its end. `wrote` says whether a result is that of a write. */
  async run<T>(statement: () => PromiseLike<T>, wrote: (result: T) => boolean): Promise<T> {
    try {
      const result = await statement();
      if (wrote(result)) this.succeeded();
      return result;
    } catch (error) {
      const fault = databaseFault(error);
      // A database that doesn't answer is found by asking it.
      if (fault && fault !== 'unavailable') this.#last = { fault, at: Date.now() };
      throw error;
    }
  }
}
