import { randomBytes } from 'node:crypto';

/**
 * Makes ids for calls under way: unique over all processes, a counter within one. Never the caller's X-Request-Id, with which a caller could
 * let many calls share one place.
 */
export function callIds(): () => string {
  const process = randomBytes(9).toString('base64url');
  let count = 0;
  return () => {
    count += 1;
    return `${process}${count.toString(36)}`;
  };
}
