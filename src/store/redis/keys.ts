import type { TokenOwner } from '../store.js';

/**
 * Whose data it is: tokens, limits, sessions and marks of one environment have names that the other never uses (decision
 * 0023).
 */
export type KeyScope = 'sandbox' | 'production';

/** Suffix of a usage key: the limit's calls in progress. */
export const UNDER_WAY = ':calls';

/** The keys of an application. The part in braces is the hash tag of Redis Cluster: all keys of an account share a slot. */
export function keysOf(scope: KeyScope, { accountId, applicationId }: TokenOwner) {
  const tag = prefixed(scope, accountId);
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
export function sessionKeysOf(scope: KeyScope, accountId: string) {
  const tag = prefixed(scope, accountId);
  const prefix = `${tag}:session:`;
  return { prefix, session: (digest: string) => `${prefix}${digest}`, list: `${tag}:sessions` };
}

/** The key of a separate limit, or of one of an account. */
export function ownLimitKey(scope: KeyScope, key: string, accountId?: string): string {
  return accountId === undefined ? `${prefixed(scope, key)}:limit` : `${prefixed(scope, accountId)}:limit:${key}`;
}

/** The key of a board: a hash of mark → expiry. */
export function boardKey(scope: KeyScope, board: string): string {
  return `${prefixed(scope, board)}:marks`;
}

/** The keys of an application's kept searches: a hash per search, and of its account the list of all by expiry, and their bytes. */
export function pageKeysOf(scope: KeyScope, accountId: string) {
  const prefix = `${prefixed(scope, accountId)}:pages`;
  return {
    search: (applicationId: string, searchId: string) => `${prefix}:${applicationId}:${searchId}`,
    list: prefix,
    bytes: `${prefix}-bytes`,
  };
}

/** The keys of the count of all kept searches: their list by expiry, their bytes, and the bytes of each account. */
export function totalPagesKeys(scope: KeyScope): string[] {
  return ['list', 'bytes', 'accounts'].map((name) => `${prefixed(scope, 'pages')}:${name}`);
}

function prefixed(scope: KeyScope, tag: string): string {
  return `forecourt:${scope}:{${tag}}`;
}
