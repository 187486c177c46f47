import { DrizzleQueryError } from 'drizzle-orm';
import { type DestinationStream, type Logger, pino } from 'pino';

/** Injection token of the one pino logger. */
export const LOGGER = Symbol('Logger');

/** The logger of the process: JSON lines on stdout, written in the background. Nothing personal is ever handed to it. */
export function createLogger(
  level: string,
  destination: DestinationStream = pino.destination({ fd: 1, sync: false, minLength: 4_096 }),
): Logger {
  const serializers = { err: (error: Error) => pino.stdSerializers.err(error instanceof DrizzleQueryError ? withoutValues(error) : error) };
  return pino({ level, base: { service: 'forecourt' }, timestamp: pino.stdTimeFunctions.isoTime, serializers }, destination);
}

/** A failed statement carries its values: addresses, names, hashes. The log gets the statement and what the database said of it. */
function withoutValues({ query, cause, stack }: DrizzleQueryError): Error {
  const why = cause instanceof Error ? cause.message : String(cause);
  const frames = stack?.split('\n').filter((line) => line.startsWith('    at ')) ?? [];
  return Object.assign(new Error(`${why} in: ${query}`), { stack: frames.join('\n') });
}
