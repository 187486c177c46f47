import type { Logger } from 'pino';

/** How long the log may take: a pipe from which nothing is read takes no line, and a write that waits for that would never return. */
const MOST_LOG_MS = 500;

/**
 * Logs that a stopped process ends by force, and ends it, whether or not the log can be written: that needs one of the threads that
 * calls to file systems use, all of which may hang.
 */
export function endByForce(
  logger: Pick<Logger, 'error' | 'flush'>,
  end: () => void = () => process.kill(process.pid, 'SIGKILL'),
): void {
  logger.error('the gateway has stopped, but a file system call hangs: killing the process with SIGKILL');
  logger.flush();
  setTimeout(end, MOST_LOG_MS);
}
