import type { RequestContext } from '../../context/request-context.js';

/** For which application a supplier is called, and the account that owns it. */
export interface Caller {
  readonly applicationId: string;
  readonly accountId: string;
}

/** Work that no application asked for, such as that of the reconciler. */
export const BACKGROUND: Caller = { applicationId: '', accountId: '' };

/** The application that a request works for. */
export function callerOf(context: RequestContext): Caller {
  return context.applicationId === undefined ? BACKGROUND : context.policy;
}

/** Applications beyond this number are forgotten, those that called longest ago first. */
const MAX_APPLICATIONS = 1_024;

/** One value per application that called recently. */
export class PerApplication<T> {
  readonly #values = new Map<string, T>();
  #latest: { readonly applicationId: string; readonly value: T } | undefined;

  constructor(private readonly create: (caller: Caller) => T) {}

  of(caller: Caller): T {
    const { applicationId } = caller;
    if (this.#latest?.applicationId === applicationId) return this.#latest.value;
    const value = this.#values.get(applicationId) ?? this.create(caller);
    // A Map keeps the order of insertion, so the first is the one that called longest ago.
    this.#values.delete(applicationId);
    this.#values.set(applicationId, value);
    if (this.#values.size > MAX_APPLICATIONS) {
      const [oldest] = this.#values.keys();
      if (oldest !== undefined) this.#values.delete(oldest);
    }
    this.#latest = { applicationId, value };
    return value;
  }

  get size(): number {
    return this.#values.size;
  }

  all(): Iterable<T> {
    return this.#values.values();
  }
}

/**
 * Identifies what a call asks: 31 bits of FNV-1a of `text`, continued from `seed`. Two questions with the same number
 * count as one, which happens for one of two billion pairs.
 */
export function questionOf(text: string, seed = 0x811c9dc5): number {
  let hash = seed;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 1;
}
