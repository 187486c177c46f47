import { type SerializedError, stdSerializers } from 'pino';
import { sourceLines } from './source-lines.js';

/** Properties that a driver adds to an error and that may contain data: the query text, its parameters, the row. */
const VALUES = ['query', 'params', 'parameters', 'detail', 'where', 'internalQuery', 'cause'] as const;

/** The original error: Drizzle wraps it in another one whose message contains the query and its values. */
export function rootOf(error: Error): Error {
  return 'query' in error && 'params' in error && error.cause instanceof Error ? error.cause : error;
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
