import { type SerializedError, stdSerializers } from 'pino';

/** What a driver adds to an error and what may hold somebody's values: the query's text, its parameters, the row in question. */
const VALUES = ['query', 'params', 'parameters', 'detail', 'where', 'internalQuery', 'cause'] as const;

/** The error that says what happened: drizzle puts another around it whose message is the query with its values. */
export function rootOf(error: Error): Error {
  return 'query' in error && 'params' in error && error.cause instanceof Error ? error.cause : error;
}

/** An error as it may be logged: type, message, code and stack, and no value of a query. What is no error stays as it is. */
export function loggable(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const plain: Record<string, unknown> & SerializedError = { ...stdSerializers.err(rootOf(error)) };
  for (const name of VALUES) delete plain[name];
  return plain;
}
