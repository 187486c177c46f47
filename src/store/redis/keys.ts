import type { TokenOwner } from '../store.js';

const PREFIX = 'forecourt';

/** Suffix of a usage key: the limit's calls in progress. */
export const UNDER_WAY = ':calls';

/** The keys of an application. The part in braces is the hash tag of Redis Cluster: all keys of an account share a slot. */
export function keysOf({ accountId, applicationId }: TokenOwner) {
  const tag = `${PREFIX}:{${accountId}}`;
  /** Usage of the limits of account, application and token, in this order. */
  const used = (digest: string): string[] => [`${tag}:used`, `${tag}:used:${applicationId}`, `${tag}:used:${digest}`];
  const tokenPrefix = `${tag}:token:`;
  return {
    tokenPrefix,
    token: (digest: string) => `${tokenPrefix}${digest}`,
    policy: `${tag}:policy:${applicationId}`,
    live: `${tag}:live:${applicationId}`,
    used,
    /** Calls in progress, for the same three. */
    underWay: (digest: string) => used(digest).map((key) => `${key}${UNDER_WAY}`),
  };
}

/** The keys of an account's sessions. `list` is a sorted set of digests by expiry. */
export function sessionKeysOf(accountId: string) {
  const prefix = `${PREFIX}:{${accountId}}:session:`;
  return { prefix, session: (digest: string) => `${prefix}${digest}`, list: `${PREFIX}:{${accountId}}:sessions` };
}

/** The key of a separate limit. */
export function ownLimitKey(key: string): string {
  return `${PREFIX}:{${key}}:limit`;
}

/** The key of a board: a hash of mark → expiry. */
export function boardKey(board: string): string {
  return `${PREFIX}:{${board}}:marks`;
}
