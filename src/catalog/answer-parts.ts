import type { JsonBytes } from '../representations/json-bytes.js';
import type { SearchedOffer } from '../representations/offer-view.js';
import { inTurns } from '../suppliers/answers/turns.js';
import type { RankedOffer } from './filter-and-sort.js';

/** Returns the JSON of one offer. */
export type ToBytes = (supplier: string, offer: SearchedOffer) => JsonBytes;

/** An offer and its JSON. */
export interface WrittenAs {
  readonly ranked: RankedOffer<SearchedOffer>;
  readonly bytes: JsonBytes;
}

/**
 * Writes the offers that fit into `mostBytes`, in their order, each with a comma. If all fit, all are written. Otherwise each supplier gets an
 * equal part, what one doesn't need is divided between the others, and a supplier's part ends with its first offer that doesn't fit: long offers
 * of one supplier leave out none of another's. The work is done in turns of `account`.
 */
export async function writeInParts(
  offers: readonly RankedOffer<SearchedOffer>[],
  toBytes: ToBytes,
  mostBytes: number,
  account: string | undefined,
): Promise<readonly WrittenAs[]> {
  const written: (WrittenAs | undefined)[] = offers.map(() => undefined);
  /** By supplier, its first offer that didn't fit so far. */
  const blocked = new Map<string, JsonBytes>();
  let bytesLeft = mostBytes;
  let waiting = [...offers.entries()];
  // What is left when no equal part has room for an offer goes to the first that fit.
  for (let isLast = false; waiting.length > 0; ) {
    const part = isLast ? bytesLeft : bytesLeft / new Set(waiting.map(([, { supplier }]) => supplier)).size;
    const used = new Map<string, number>();
    const rest: typeof waiting = [];
    const write = (entry: (typeof waiting)[number]): void => {
      const [at, ranked] = entry;
      const { supplier, offer } = ranked;
      const before = used.get(supplier) ?? 0;
      if (before <= part) {
        const bytes = blocked.get(supplier) ?? toBytes(supplier, offer);
        const needed = bytes.length + 1;
        if (before + needed <= part && needed <= bytesLeft) {
          written[at] = { ranked, bytes };
          used.set(supplier, before + needed);
          bytesLeft -= needed;
          blocked.delete(supplier);
          return;
        }
        used.set(supplier, Number.POSITIVE_INFINITY);
        blocked.set(supplier, bytes);
      }
      rest.push(entry);
    };
    await inTurns(waiting, write, { account });
    if (isLast) break;
    isLast = rest.length === waiting.length;
    waiting = rest;
  }
  return written.filter((one) => one !== undefined);
}
