import { bytesOf, type KeptName, type PageBudgets, type PageStore } from './page-store.js';

interface Kept {
  readonly account: string;
  readonly parts: readonly Buffer[];
  readonly bytes: number;
  readonly endsAtMs: number;
}

/** Kept searches in the memory of this process. `now` returns epoch milliseconds. */
export class MemoryPages implements PageStore {
  readonly #kept = new Map<string, Kept>();

  constructor(
    private readonly budgets: PageBudgets,
    private readonly now: () => number = Date.now,
  ) {}

  async save(name: KeptName, parts: readonly Buffer[], lifetimeMs: number): Promise<boolean> {
    const bytes = bytesOf(parts);
    const { accountBytes, totalBytes } = this.budgets;
    const now = this.now();
    if (bytes > accountBytes || lifetimeMs <= 0) return false;
    for (const [key, { endsAtMs }] of this.#kept) if (endsAtMs <= now) this.#kept.delete(key);
    const { accountId: account } = name.owner;
    const own = [...this.#kept].filter(([, kept]) => kept.account === account);
    own.sort(([, one], [, other]) => one.endsAtMs - other.endsAtMs);
    let used = own.reduce((sum, [, kept]) => sum + kept.bytes, 0);
    for (const [key, kept] of own) {
      if (used + bytes <= accountBytes) break;
      this.#kept.delete(key);
      used -= kept.bytes;
    }
    const total = [...this.#kept.values()].reduce((sum, kept) => sum + kept.bytes, 0);
    if (total + bytes > totalBytes) return false;
    this.#kept.set(keyOf(name), { account, parts, bytes, endsAtMs: now + lifetimeMs });
    return true;
  }

  async read(name: KeptName, indices: readonly number[]): Promise<readonly Buffer[] | undefined> {
    const kept = this.#kept.get(keyOf(name));
    if (!kept || kept.endsAtMs <= this.now()) return undefined;
    const parts = indices.flatMap((index) => kept.parts[index] ?? []);
    return parts.length === indices.length ? parts : undefined;
  }

  async close(): Promise<void> {
    this.#kept.clear();
  }
}

function keyOf({ owner: { accountId, applicationId }, searchId }: KeptName): string {
  return `${accountId} ${applicationId} ${searchId}`;
}
