import { deserialize, serialize } from 'node:v8';
import { inTurns, type TurnTaker } from './turns.js';

/*
 * The items of a large answer on their way between threads: in slices, because deserializing all of them would hold up
 * the receiving thread for longer than reading a small answer does.
 */

/** Few enough that a slice takes a few milliseconds. */
const ITEMS_PER_SLICE = 50;

/** Serializes items. Those of one slice may share objects. */
export function slicesOf(items: readonly unknown[]): Uint8Array[] {
  const slices: Uint8Array[] = [];
  for (let at = 0; at < items.length; at += ITEMS_PER_SLICE)
    slices.push(serialize(items.slice(at, at + ITEMS_PER_SLICE)));
  return slices;
}

/** The items of all slices, which the taker's supplier sent; lets other work run in between. Rejects like inTurns. */
export async function itemsOf(slices: readonly Uint8Array[], taker: TurnTaker): Promise<unknown[]> {
  const items: unknown[] = [];
  await inTurns(slices, (slice) => void items.push(...(deserialize(slice) as unknown[])), taker);
  return items;
}
