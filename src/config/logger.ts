import { type DestinationStream, type Logger, pino } from 'pino';
import { maskCardNumbers } from '../privacy/card-numbers.js';
import { standardOutput } from './log-destination.js';
import { loggable } from './plain-error.js';

/** Injection token of the one pino logger. */
export const LOGGER = Symbol('Logger');

/**
 * The logger of the process: JSON lines on stdout, written in the background. Callers never pass personal data to it.
 */
export function createLogger(level: string, destination: DestinationStream = standardOutput()): Logger {
  const options = {
    level,
    base: { service: 'forecourt' },
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { err: loggable },
    // No card number reaches the log, regardless of the author of the text.
    hooks: { streamWrite: maskCardNumbers },
  };
  return pino(options, destination);
}
