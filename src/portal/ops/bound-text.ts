import { TALLY_BOUNDS_MS } from '../../metrics/supplier-tallies.js';
import { ms } from '../usage/words.js';

/** A bound of `percentileBound` in words: "≤ 75 ms", "> 8,000 ms". */
export function boundText(bound: number): string {
  return Number.isFinite(bound) ? `≤ ${ms(bound)}` : `> ${ms(TALLY_BOUNDS_MS.at(-1) ?? 0)}`;
}
