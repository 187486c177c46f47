import { isDeepStrictEqual } from 'node:util';
import { MOST_CODE } from '../../model/limits.js';
import type { Warnings } from '../../model/warnings.js';
import type { XmlNode } from './wire.js';

/** What a list calls an option that can't be chosen. */
export const NO_CODE = 'other';

/** A list of options without repetitions. */
export interface Distinct {
  readonly rows: readonly XmlNode[];
  /** What callers choose an option by: its stated code, otherwise `NO_CODE`. */
  readonly codeOf: (stated: string | undefined) => string;
}

/**
 * A list of options without the rows that only repeat another one. An option can't be chosen if it has no code, a sentence in its place, or the
 * code of another option: a request has only the code, so that either could be booked. Options that are all included may share a code, because
 * choosing one changes nothing.
 */
export function distinctOptions(
  listed: readonly XmlNode[],
  statedCodeOf: (row: XmlNode) => string | undefined,
  isIncluded: (row: XmlNode) => boolean,
  warnings: Warnings,
): Distinct {
  const byCode = new Map<string, XmlNode>();
  const shared = new Set<string>();
  const rows = listed.filter((row) => {
    const code = statedCodeOf(row);
    const other = code === undefined ? undefined : byCode.get(code);
    if (code === undefined || isDeepStrictEqual(row, other)) return code === undefined;
    if (!other) byCode.set(code, row);
    else if (!shared.has(code) && !(isIncluded(row) && isIncluded(other))) {
      shared.add(code);
      warnings.add('contradiction', `${row.name}: several options have the code ${code}: they can't be chosen`);
    }
    return true;
  });
  return { rows, codeOf: (stated) => codeOf(stated !== undefined && shared.has(stated) ? undefined : stated) };
}

/** The stated code of an option, unless it is a sentence; otherwise `NO_CODE`. */
export function codeOf(stated: string | undefined): string {
  return stated !== undefined && stated.length <= MOST_CODE ? stated : NO_CODE;
}
