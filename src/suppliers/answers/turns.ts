import { setImmediate as nextTurn } from 'node:timers/promises';
import { TimeShares } from '../../config/time-shares.js';
import { SupplierError } from '../../model/supplier.js';

/** Work on items lets others proceed after this time, whichever account or supplier the items belong to. */
const TURN_MS = 5;

/** The processor time that this thread may spend on the items of one answer (docs/decisions/0025-large-answers.md). */
const MOST_WORK_MS = 200;

/** Processor time of this thread in milliseconds; before Node 24.6 the clock, which also counts the wait for a processor. */
const threadMs =
  'threadCpuUsage' in process
    ? (): number => {
        const { user, system } = process.threadCpuUsage();
        return (user + system) / 1_000;
      }
    : (): number => performance.now();

/** Whose turns work takes. */
export interface TurnTaker {
  /** The account for which it is done; undefined or empty = none, such as background work. */
  readonly account: string | undefined;
  /** The id of the supplier that sent the items; undefined = the gateway's own work. */
  readonly supplier?: string;
}

/**
 * Divides the turns of the event loop: together they work for 5 ms per turn, and the next is of the account that used the least
 * time, and of its suppliers of the one that did. So an account gets no more by asking more suppliers.
 */
class TurnQueue {
  readonly #accounts = new TimeShares(() => new TimeShares<(() => void)[]>(() => []));
  #waiting = 0;
  #leftMs = TURN_MS;
  #isScheduled = false;

  /** Runs `work` with the time that it may take, now or in a later turn of the event loop. */
  turn<T>({ supplier = '', account = '' }: TurnTaker, work: (mostMs: number) => T): Promise<T> {
    return new Promise((resolve, reject) => {
      const ofAccount = this.#accounts.of(account);
      const ofSupplier = ofAccount.value.of(supplier);
      ofSupplier.value.push(() => {
        try {
          resolve(work(this.#leftMs));
        } catch (error) {
          reject(error);
        }
      });
      ofSupplier.waiting += 1;
      ofAccount.waiting += 1;
      this.#waiting += 1;
      if (this.#waiting === 1) this.#work();
    });
  }

  #work(): void {
    while (this.#waiting > 0 && this.#leftMs > 0) {
      const account = this.#accounts.begin();
      const supplier = account?.value.begin();
      if (!account || !supplier) break;
      this.#waiting -= 1;
      const begunAt = performance.now();
      supplier.value.shift()?.();
      const ms = performance.now() - begunAt;
      this.#leftMs -= ms;
      account.value.end(supplier, ms);
      this.#accounts.end(account, ms);
    }
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#leftMs = TURN_MS;
      if (this.#waiting > 0) this.#work();
    });
  }
}

const queue = new TurnQueue();

/**
 * Does work for each item, in turns of the event loop, so that work on many items doesn't hold up other requests. Work
 * that takes less than 5 ms is done in one turn, unless others have used it up; after longer work, the caller continues in a
 * turn of its own. Turns are fair between accounts, and within an account between its suppliers and the gateway's own work, however
 * many calls each has in progress and however many suppliers it asks. Work of no account is shared like that of one.
 *
 * Rejects if `work` throws, and with SupplierError `bad_payload` if the items of a supplier take more than 200 ms of
 * processor time.
 */
export async function inTurns<T>(items: Iterable<T>, work: (item: T) => void, taker: TurnTaker): Promise<void> {
  const left = items[Symbol.iterator]();
  let usedMs = 0;
  const turn = (mostMs: number): boolean => {
    const begunAt = threadMs();
    const endsAt = performance.now() + mostMs;
    try {
      for (let next = left.next(); !next.done; next = left.next()) {
        work(next.value);
        if (performance.now() >= endsAt) return false;
      }
      return true;
    } finally {
      usedMs += threadMs() - begunAt;
    }
  };
  let isDone = false;
  while (!isDone) {
    isDone = await queue.turn(taker, turn);
    if (taker.supplier !== undefined && usedMs > MOST_WORK_MS)
      throw new SupplierError('bad_payload', `the items of the answer take more than ${MOST_WORK_MS} ms to process`);
  }
  if (usedMs > TURN_MS) await nextTurn();
}
