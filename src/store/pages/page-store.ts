import type { TokenOwner } from '../store.js';

/** How many bytes of searches are kept. */
export interface PageBudgets {
  /** The most bytes of the applications of one account. Beyond it, those of their searches that expire first are dropped. */
  readonly accountBytes: number;
  /** The most bytes of all applications of an environment. Beyond it, searches of the account that keeps the most are dropped, those that expire first (decision 0060). */
  readonly totalBytes: number;
}

/** The name of a kept search: parts are read with it and its owner only. */
export interface KeptName {
  readonly owner: TokenOwner;
  readonly searchId: string;
}

/**
 * Keeps the results of searches in parts, shared by all gateway processes. Rejects with StoreUnavailableError if the store doesn't
 * answer in time. Both implementations pass one contract suite (page-store.contract.ts).
 */
export interface PageStore {
  /** Keeps all parts for `lifetimeMs`. Returns false, and keeps nothing, if a budget has no room for them, however many of the account are dropped. */
  save(name: KeptName, parts: readonly Buffer[], lifetimeMs: number): Promise<boolean>;
  /**
   * The parts with these indices. Undefined if the search isn't kept by this owner: never was, expired, or was dropped; also if it has no such
   * part.
   */
  read(name: KeptName, indices: readonly number[]): Promise<readonly Buffer[] | undefined>;
  close(): Promise<void>;
}

/** What a search takes in the store. */
export function bytesOf(parts: readonly Buffer[]): number {
  return parts.reduce((sum, part) => sum + part.length, OVERHEAD_BYTES);
}

/** Names, expiries and the structures of Redis, about. */
const OVERHEAD_BYTES = 500;
