import { TurnMissedError, Turns } from '../config/turns.js';
import type { RequestContext } from '../context/request-context.js';
import { throttled } from '../status/throttled.js';

/** Searches of several airports that an account may run at a time: each calls every supplier once per airport. */
const MOST = 4;

/** The turns of an account's searches of several airports, in this process. */
export class AirportTurns {
  readonly #turns = new Turns(MOST);

  /**
   * Returns what `search` returns, in turn with the account's other ones. Throws ApiError 429 if they take too long, and 401 if the token
   * was revoked meanwhile. The search of a canceled request may never settle; its turn ends when it is canceled.
   */
  async run<T>(context: RequestContext, search: () => Promise<T>): Promise<T> {
    const canceled = new Promise<void>((resolve) => void context.onCancel(resolve));
    try {
      const { found } = await context.inTurn(this.#turns, async () => {
        const found = search();
        await Promise.race([found, canceled]);
        // Not awaited here, because it may never settle.
        return { found };
      });
      return await found;
    } catch (error) {
      if (!(error instanceof TurnMissedError)) throw error;
      throw throttled(
        1,
        `The account already runs ${MOST} searches of several airports.`,
        'Search one airport, or wait for their responses.',
      );
    }
  }
}
