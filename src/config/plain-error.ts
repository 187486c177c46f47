import { type SerializedError, stdSerializers } from 'pino';
import { sourceLines } from './source-lines.js';

/** Properties that a driver adds to an error and that may contain data: the query text, its parameters, the row. */
const VALUES = ['query', 'params', 'parameters', 'detail', 'where', 'internalQuery', 'cause'] as const;

/** The original error: Drizzle wraps it in another one whose message contains the query and its values. */
export function rootOf(error: Error): Error {
  return 'query' in error && 'params' in error && error.cause instanceof Error ? error.cause : error;
}

/** The most characters of one message of a failed start. */
const MOST_SHOWN = 4_000;
/** The most causes that are shown: an error may be a cause of itself. */
const MOST_CAUSES = 4;

/**
 * The error of a failed start as it may be printed: its message, those of up to four causes, and its stack, none of them longer than a few
 * thousand characters, without the values of a statement that failed.
 */
export function printable(failed: unknown): Error {
  return plainError(failed, MOST_CAUSES);
}

function plainError(failed: unknown, causes: number): Error {
  const error = failed instanceof Error ? failed : new Error(String(failed));
  const root = rootOf(error);
  // A refused connection has no message of its own if several addresses were tried.
  const text = root.message || ('code' in root ? String(root.code) : root.name);
  const plain = new Error(
    cut(text),
    root.cause === undefined || causes === 0 ? {} : { cause: plainError(root.cause, causes - 1) },
  );
  plain.stack = `${root.name}: ${plain.message}${cut(framesOf(error))}`;
  return plain;
}

/** The stack without the message. */
function framesOf({ stack = '', message }: Error): string {
  const at = stack.lastIndexOf(message);
  return at < 0 ? '' : stack.slice(at + message.length);
}

function cut(text: string): string {
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text;
}

/**
 * An error as it may be logged: type, message, code and stack in the source, without values from the query. A value that is not an
 * error is returned unchanged.
 */
export function loggable(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const plain: Record<string, unknown> & SerializedError = { ...stdSerializers.err(rootOf(error)) };
  for (const name of VALUES) delete plain[name];
  if (plain.stack !== undefined) plain.stack = sourceLines(plain.stack);
  return plain;
}
