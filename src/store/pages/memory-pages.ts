import { bytesOf, type KeptName, type PageBudgets, type PageStore } from './page-store.js';

interface Kept {
  readonly key: string;
  readonly parts: readonly Buffer[];
  readonly bytes: number;
  readonly endsAtMs: number;
}

/** What is kept for one account. */
interface Shelf {
  /** Those that expire first come first. */
  readonly searches: Kept[];
  bytes: number;
}

/** Kept searches in the memory of this process. `now` returns epoch milliseconds. */
export class MemoryPages implements PageStore {
  readonly #kept = new Map<string, Kept>();
  /** By account; only those that keep something. An account may keep thousands, so a save reads none that it doesn't drop. */
  readonly #shelves = new Map<string, Shelf>();
  #bytes = 0;

  constructor(
    private readonly budgets: PageBudgets,
    private readonly now: () => number = Date.now,
  ) {}

  async save(name: KeptName, parts: readonly Buffer[], lifetimeMs: number): Promise<boolean> {
    const bytes = bytesOf(parts);
    const { accountBytes } = this.budgets;
    const now = this.now();
    if (bytes > accountBytes || lifetimeMs <= 0) return false;
    for (const [account, shelf] of this.#shelves) this.#drop(account, shelf, ({ endsAtMs }) => endsAtMs <= now);
    const { accountId: account } = name.owner;
    const shelf = this.#shelves.get(account) ?? { searches: [], bytes: 0 };
    this.#drop(account, shelf, () => shelf.bytes + bytes > accountBytes);
    if (!this.#makeRoom(account, shelf, bytes)) return false;
    this.#add(account, shelf, { key: keyOf(name), parts, bytes, endsAtMs: now + lifetimeMs });
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
    this.#shelves.clear();
    this.#bytes = 0;
  }

  #add(account: string, shelf: Shelf, kept: Kept): void {
    const later = shelf.searches.findLastIndex(({ endsAtMs }) => endsAtMs <= kept.endsAtMs) + 1;
    shelf.searches.splice(later, 0, kept);
    shelf.bytes += kept.bytes;
    this.#bytes += kept.bytes;
    this.#kept.set(kept.key, kept);
    this.#shelves.set(account, shelf);
  }

  /** Drops searches of the accounts that keep the most until these bytes fit. Returns false if this account would keep the most, and has none to drop. */
  #makeRoom(account: string, own: Shelf, bytes: number): boolean {
    const isFull = () => this.#bytes + bytes > this.budgets.totalBytes;
    while (isFull()) {
      let most: [account: string, shelf: Shelf, bytes: number] = [account, own, own.bytes + bytes];
      for (const [name, shelf] of this.#shelves) if (shelf.bytes > most[2]) most = [name, shelf, shelf.bytes];
      if (most[1].searches.length === 0) return false;
      this.#drop(most[0], most[1], () => isFull() && (most[1] === own || most[1].bytes > own.bytes + bytes));
    }
    return true;
  }

  /** Drops an account's searches, those that expire first, as long as a condition applies. */
  #drop(account: string, shelf: Shelf, mustGo: (kept: Kept) => boolean): void {
    const { searches } = shelf;
    let count = 0;
    for (let first = searches[0]; first && mustGo(first); first = searches[count]) {
      this.#kept.delete(first.key);
      shelf.bytes -= first.bytes;
      this.#bytes -= first.bytes;
      count += 1;
    }
    if (count > 0) searches.splice(0, count);
    if (searches.length === 0) this.#shelves.delete(account);
  }
}

function keyOf({ owner: { accountId, applicationId }, searchId }: KeptName): string {
  return `${accountId} ${applicationId} ${searchId}`;
}
