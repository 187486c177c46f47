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
  // Lock timeout, deadlock, statement timeout, a change of another transaction.
  ['locked', /^(55P03|40P01|57014|40001)$/],
  // PostgreSQL itself gives 08P01 to a faulty message, which is a fault of the statement.
  ['unavailable', /^(57P0\d|25P0[34]|08(?!P01)[0-9A-Z]{3})$/],
  [
    'unavailable',
    /^(ECONN[A-Z]+|EPIPE|EPROTO|ETIMEDOUT|E(HOST|NET)(UNREACH|DOWN|RESET)|ENOTFOUND|EAI_AGAIN|ERR_SSL_.+)$/,
  ],
];

/** The code of all of PgBouncer's own errors, which end the connection, and by their text the SQLSTATE that says what each is. */
const POOLER = '08P01';
const POOLER_CODES: readonly (readonly [string, RegExp])[] = [
  ['53300', /^(query_wait_timeout$|no more connections allowed|client connections exceeded)/],
  // It has no connection to the server, so that it sent nothing.
  ['08001', /^(server login |client_login_timeout)/],
  ['08006', /^/],
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

/**
 * What the pool knows about an error beyond its text. `unconnected`: there was no connection, for whatever reason. `uncommitted`: it
 * ended a transaction before its commit, or one without changes. `aside`: the statement only notes that something was used.
 */
export type Circumstance = 'unconnected' | 'uncommitted' | 'aside';

const circumstances = new WeakMap<Error, Circumstance>();

/** Notes in which circumstance an error happened, and returns it. */
export function happened<E>(circumstance: Circumstance, error: E): E {
  if (isNativeError(error)) circumstances.set(error, circumstance);
  return error;
}

/** The result of a statement that only notes that something was used: if it fails, what the caller asked for is in no doubt. */
export async function aside<T>(statement: Promise<T>): Promise<T> {
  return await statement.catch((error: unknown) => {
    throw happened('aside', error);
  });
}

/**
 * The fault behind an error of the driver, also one that drizzle has wrapped; undefined = a fault of the statement. An error that
 * ended the connection, or kept it from being made, is one of the database, whatever its code is.
 */
export function databaseFault(error: unknown): DatabaseFault | undefined {
  const isUnusable = chainOf(error).some((one) => one.isFatal || one.circumstance === 'unconnected');
  return statedFault(error) ?? (isUnusable ? 'unavailable' : undefined);
}

/** The fault that the code or the text of an error names, so that it is one of the server and not only of one connection. */
export function statedFault(error: unknown): DatabaseFault | undefined {
  for (const { code, message } of chainOf(error)) {
    const [fault] =
      CODES.find(([, codes]) => codes.test(code)) ?? MESSAGES.find(([, messages]) => messages.test(message)) ?? [];
    if (fault) return fault;
  }
  return undefined;
}

/** What may succeed if it is asked again: the server is overloaded, another session holds a lock, or this process was late itself. */
const LATE = {
  codes: /^(53[0-9A-Z]{3}|55P03|40P01|57014|40001)$/,
  messages: /^timeout expired$|timeout exceeded when trying to connect|connection timeout|^query read timeout/i,
};

/** Whether the database refused nothing, but something took too long: connecting, a lock, or a statement. */
export function wasLate(error: unknown): boolean {
  return chainOf(error).some(({ code, message }) => LATE.codes.test(code) || LATE.messages.test(message));
}

/** Errors after which a statement may have been carried out, and codes of those among them that were reported before it was sent. */
const BROKEN = /connection terminated|read timeout/i;
const UNSENT = /^((53|28|3D)[0-9A-Z]{3}|57P03|0800[14]|ECONNREFUSED|ENOTFOUND|EAI_AGAIN)$/;

const READS = /^\s*(?:select|begin)\b/i;
const READS_AT_LAST = /^\s*with\b/i;
const WRITES_WITHIN = /\b(?:insert|update|delete|merge)\b/i;

/** Whether a statement surely changes nothing. */
export function onlyReads(statement: string): boolean {
  return READS.test(statement) || (READS_AT_LAST.test(statement) && !WRITES_WITHIN.test(statement));
}

/**
 * Whether a statement that failed may have been carried out, or may still be. Undoubtedly not, if it was never sent, only reads, or
 * belongs to a transaction whose commit wasn't sent or that changed nothing; what only notes a use leaves no doubt either.
 */
export function mayBeDone(error: unknown): boolean {
  const chain = chainOf(error);
  if (chain.some(({ circumstance, isRead }) => circumstance !== undefined || isRead)) return false;
  return chain.some(({ code, message, isFatal }) => {
    const isEnd = isFatal || CODES.some(([fault, codes]) => fault === 'unavailable' && codes.test(code));
    return (isEnd && !UNSENT.test(code)) || BROKEN.test(message);
  });
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

interface Link {
  /** Empty without one. */
  readonly code: string;
  readonly message: string;
  /** PostgreSQL or a pooler has closed the connection. A server that translates its messages may also translate this. */
  readonly isFatal: boolean;
  readonly isRead: boolean;
  readonly circumstance: Circumstance | undefined;
}

/** An error and its causes. */
function chainOf(error: unknown): readonly Link[] {
  const chain: Link[] = [];
  for (let current = error; isNativeError(current) && chain.length < MOST_CAUSES; current = current.cause)
    chain.push(linkOf(current));
  return chain;
}

function linkOf(error: Error & { readonly code?: unknown; readonly severity?: unknown }): Link {
  const isFatal = error.severity === 'FATAL' || error.severity === 'PANIC';
  const code = String(error.code ?? '');
  return {
    code: isFatal && code === POOLER ? poolerCode(error) : code,
    message: ownMessageOf(error),
    isFatal,
    isRead: error instanceof DrizzleQueryError && onlyReads(error.query),
    circumstance: circumstances.get(error),
  };
}

function poolerCode({ message }: Error): string {
  return POOLER_CODES.find(([, texts]) => texts.test(message))?.[0] ?? POOLER;
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

  /** Records a successful write that its result doesn't reveal: PostgreSQL calls `with … insert … select` a SELECT. */
  succeeded(): void {
    this.#last = undefined;
  }

  /** Runs a statement and records its outcome. `wrote` says whether a result is that of a write. */
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
