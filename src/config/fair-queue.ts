/**
 * A queue that serves the callers in rotation, one entry each, so that a caller with many entries doesn't delay
 * one with few. The entries of one caller keep their order.
 */
export class FairQueue<T> {
  /** The entries of each caller, oldest first, never empty; the caller to be served next is the first. */
  readonly #lanes = new Map<string, T[]>();
  #length = 0;

  /** It has at most so many entries; Infinity if what fills it is bounded elsewhere. */
  constructor(private readonly most: number) {}

  get length(): number {
    return this.#length;
  }

  /**
   * Adds an entry. If the queue is full, returns the entry that has to go instead: the newest one of the caller with the
   * most, which may be the added one.
   */
  push(caller: string, entry: T): T | undefined {
    const own = this.#lanes.get(caller);
    let dropped: T | undefined;
    if (this.#length >= this.most) {
      const longest = [...this.#lanes].reduce((one, other) => (other[1].length > one[1].length ? other : one));
      if (longest[1].length <= (own?.length ?? 0) + 1) return entry;
      dropped = longest[1].pop();
      this.#length -= 1;
    }
    if (own) own.push(entry);
    else this.#lanes.set(caller, [entry]);
    this.#length += 1;
    return dropped;
  }

  /** Removes and returns the next entry of a caller whose oldest entry may go; undefined if there is none. */
  shift(mayGo: (entry: T) => boolean): T | undefined {
    for (const [caller, lane] of this.#lanes) {
      if (lane[0] === undefined || !mayGo(lane[0])) continue;
      this.#lanes.delete(caller);
      const entry = lane.shift();
      if (lane.length > 0) this.#lanes.set(caller, lane);
      this.#length -= 1;
      return entry;
    }
    return undefined;
  }

  /** Removes and returns the entries at the head of each caller's line for which `isOver` is true. */
  removeWhile(isOver: (entry: T) => boolean): T[] {
    const removed: T[] = [];
    for (const [caller, lane] of this.#lanes) {
      const kept = lane.findIndex((entry) => !isOver(entry));
      removed.push(...lane.splice(0, kept === -1 ? lane.length : kept));
      if (lane.length === 0) this.#lanes.delete(caller);
    }
    this.#length -= removed.length;
    return removed;
  }
}
