import type { TokenOwner } from '../store.js';

const PREFIX = 'forecourt';

/** After the name of what is used of a limit: its calls under way. */
export const UNDER_WAY = ':calls';

/** Names of everything kept of an account's application. The part in braces is Redis Cluster's hash tag: one account, one slot. */
export function keysOf({ accountId, applicationId }: TokenOwner) {
  const tag = `${PREFIX}:{${accountId}}`;
  /** What is used of the limits of account, application and token, in this order. */
  const used = (digest: string): string[] => [`${tag}:used`, `${tag}:used:${applicationId}`, `${tag}:used:${digest}`];
  const tokenPrefix = `${tag}:token:`;
  return {
    tokenPrefix,
    token: (digest: string) => `${tokenPrefix}${digest}`,
    policy: `${tag}:policy:${applicationId}`,
    live: `${tag}:live:${applicationId}`,
    used,
    /** Calls under way of the same three. */
    underWay: (digest: string) => used(digest).map((key) => `${key}${UNDER_WAY}`),
  };
}

/** Names of an account's sessions: `list` is a sorted set of digests by the latest time at which they end. */
export function sessionKeysOf(accountId: string) {
  const prefix = `${PREFIX}:{${accountId}}:session:`;
  return { prefix, session: (digest: string) => `${prefix}${digest}`, list: `${PREFIX}:{${accountId}}:sessions` };
}

/** Name of a limit of its own. */
export function ownLimitKey(key: string): string {
  return `${PREFIX}:{${key}}:limit`;
}

/** Name of a board of marks: a hash of mark → when it ends. */
export function boardKey(board: string): string {
  return `${PREFIX}:{${board}}:marks`;
}
