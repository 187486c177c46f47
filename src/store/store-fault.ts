import type { StoreUnavailableError } from './store.js';

/** Why the store can't do what it was asked; `unavailable` = it does not answer. */
export type StoreFault = 'unavailable' | 'out_of_memory' | 'read_only' | 'full';

/** How Redis begins the errors of its states (redis.io, "Redis error replies"). */
const REPLIES: readonly (readonly [StoreFault, RegExp])[] = [
  ['out_of_memory', /\bOOM command not allowed/],
  ['read_only', /\bREADONLY\b/],
  // Saving to disk has failed, almost always because the disk is full.
  ['full', /\bMISCONF\b/],
];

/** The fault behind a StoreUnavailableError. */
export function storeFault({ cause }: StoreUnavailableError): StoreFault {
  const message = cause instanceof Error ? cause.message : '';
  return REPLIES.find(([, reply]) => reply.test(message))?.[0] ?? 'unavailable';
}
