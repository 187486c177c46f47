/** A call that waits for its turn. */
export interface Waiting {
  /** The caller whose share of places and turns it uses. */
  readonly caller: string;
  /** It may go on now. */
  readonly serve: () => void;
  /** It gave way to a call of another caller. */
  readonly giveWay: () => void;
}

/**
 * Waiting calls in a limited number of places. Callers are served in rotation. When all places are taken, the newest call of the caller with the most
 * gives way to one of a caller that still has fewer with it.
 */
export class PasswordLane {
  /** Caller → its calls, oldest first, never empty. The next to be served is the first. */
  readonly #callers = new Map<string, Waiting[]>();
  #length = 0;

  constructor(
    private readonly most: number,
    private readonly mostOfOne: number,
  ) {}

  /** False if there is no place for the call. */
  add(call: Waiting): boolean {
    const own = this.#callers.get(call.caller) ?? [];
    if (own.length >= this.mostOfOne) return false;
    if (this.#length >= this.most && !this.#makeRoomFor(own.length + 1)) return false;
    own.push(call);
    this.#callers.set(call.caller, own);
    this.#length += 1;
    return true;
  }

  /** Serves the oldest call of the caller whose turn it is. False if none waits. */
  serveNext(): boolean {
    const [first] = this.#callers;
    const [call] = first?.[1] ?? [];
    if (!first || !call) return false;
    const [caller, calls] = first;
    this.remove(call);
    // Behind the others.
    if (this.#callers.delete(caller)) this.#callers.set(caller, calls);
    call.serve();
    return true;
  }

  /** Does nothing if the call no longer waits. */
  remove(call: Waiting): void {
    const calls = this.#callers.get(call.caller) ?? [];
    const index = calls.indexOf(call);
    if (index < 0) return;
    calls.splice(index, 1);
    this.#length -= 1;
    if (calls.length === 0) this.#callers.delete(call.caller);
  }

  /** Whether a caller had more than `count` calls and lost its newest. */
  #makeRoomFor(count: number): boolean {
    let longest: readonly Waiting[] = [];
    for (const calls of this.#callers.values()) if (calls.length > longest.length) longest = calls;
    const newest = longest.at(-1);
    if (!newest || longest.length <= count) return false;
    this.remove(newest);
    newest.giveWay();
    return true;
  }
}
