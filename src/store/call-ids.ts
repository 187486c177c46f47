import { randomBytes } from 'node:crypto';

/**
 * Creates ids of calls in progress: unique across processes, counted up within one. The caller's X-Request-Id isn't used,
 * because a caller could make many calls share one slot.
 */
export function callIds(): () => string {
  const process = randomBytes(9).toString('base64url');
  let count = 0;
  return () => {
    count += 1;
    return `${process}${count.toString(36)}`;
  };
}
