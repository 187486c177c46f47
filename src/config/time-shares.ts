/** What one member has of something that is shared by time. */
export interface Share<T> {
  readonly value: T;
  /** Tasks that wait for their turn. */
  waiting: number;
  running: number;
  /** Milliseconds used; a member that returns counts from where the one served last does. */
  usedMs: number;
}

/**
 * Fair turns by time used (start-time fair queuing): the next turn is that of the member that used the least time since it
 * began to wait, so many cheap tasks of one member don't count more than a few costly ones of another.
 */
export class TimeShares<T> {
  readonly #shares = new Map<string, Share<T>>();
  /** `usedMs` of the member that was served last, before it was. */
  #servedMs = 0;

  constructor(private readonly create: () => T) {}

  /** The share of a member, new if it isn't known. To wait for a turn, raise its `waiting`. */
  of(key: string): Share<T> {
    const share = this.#shares.get(key) ?? { value: this.create(), waiting: 0, running: 0, usedMs: 0 };
    // Time that a member didn't need earlier gives it no right to more now.
    if (share.waiting + share.running === 0) share.usedMs = Math.max(share.usedMs, this.#servedMs);
    this.#shares.set(key, share);
    return share;
  }

  /** The shares of all members that wait or run, and of some that did. */
  get all(): readonly Share<T>[] {
    return [...this.#shares.values()];
  }

  /** Begins a task of the member whose turn it is and that has fewer than `most` running; undefined if no such member waits. */
  begin(most = Number.POSITIVE_INFINITY): Share<T> | undefined {
    let next: Share<T> | undefined;
    for (const share of this.#shares.values())
      if (share.waiting > 0 && share.running < most && share.usedMs < (next?.usedMs ?? Number.POSITIVE_INFINITY))
        next = share;
    if (!next) return undefined;
    next.waiting -= 1;
    next.running += 1;
    this.#servedMs = Math.max(this.#servedMs, next.usedMs);
    return next;
  }

  /** Ends a task of the member after `ms`. */
  end(share: Share<T>, ms: number): void {
    share.running -= 1;
    share.usedMs += ms;
    const all = [...this.#shares];
    const isIdle = all.every(([, { waiting, running }]) => waiting + running === 0);
    for (const [key, { waiting, running, usedMs }] of all)
      if (isIdle || (waiting + running === 0 && usedMs <= this.#servedMs)) this.#shares.delete(key);
    if (isIdle) this.#servedMs = 0;
  }
}
