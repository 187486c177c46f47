import { listCode, rowOf } from './table.js';

/** What an OTA error means, independent of the operation. The names follow docs/trade.md#ota-errors. */
export const ERROR_REASONS = [
  'auth',
  'throttled',
  'unavailable',
  'invalid_request',
  'invalid_format',
  'invalid_range',
  'price_changed',
  'rate_expired',
  'invalid_rate',
  'invalid_discount',
  'extra_not_available',
  'on_request',
  'extra_on_request',
  'not_found',
  'duplicate_reference',
  'already_cancelled',
  'not_changeable',
  'payment_failure',
  'not_eligible',
  'unsupported',
  'rejected',
  'invalid_location',
  'location_closed',
  'no_results',
] as const;

export type ErrorReason = (typeof ERROR_REASONS)[number];

type CodeRange = number | readonly [from: number, to: number];

/**
 * OTA error codes (ERR list, 2024-09) by reason, as in docs/trade.md#ota-errors. A code listed twice has the first
 * reason. The list has no code for a driver's age: "customer not entitled to this rate plan" (595) is the closest,
 * because the age limit is a restriction of the rate.
 */
const CODES_BY_REASON: readonly (readonly [ErrorReason, readonly CodeRange[]])[] = [
  ['auth', [168, 169, 173, 175, 176, 182, 183, 190, 195]],
  ['unsupported', [172]],
  ['unavailable', [92, 187, 188, 191, 193, 197, 303, 639, 696]],
  ['not_eligible', [594, 595, 729]],
  ['invalid_location', [220, 229, 233, 586]],
  ['location_closed', [214, 227, 580, [664, 671]]],
  ['no_results', [[221, 225], 234, 235, 260, 263, 279, 280, 301, 302, 640, 709, 892]],
  ['on_request', [641, 728]],
  ['extra_on_request', [464, 470, 476, 482, 488, 494, 553, 554, 613, 704, 720]],
  ['duplicate_reference', [94]],
  ['already_cancelled', [95]],
  ['not_found', [87, 97, 99, 171, 194, 245, 252, 284, 635]],
  ['not_changeable', [88, 150, 210, 258, 264, 632, 654, 714, 715]],
  ['payment_failure', [163, 167, 189, [240, 242], 299, 612, 630, 645, [684, 688], 690, 891]],
  ['invalid_format', [61, 181, 184, 244, 248, 253, [285, 295], 304, 317, 320]],
  ['invalid_request', [113, 161, 281, 296, 297, [310, 319], 321, [576, 579], [585, 589], 689]],
  ['invalid_range', [107, 122, 135, 136, 211, 212, 219, 226, 230, 232, 254, 502, 599, 693]],
  ['price_changed', [309]],
  ['rate_expired', [659]],
  ['invalid_rate', [249, 256, [592, 608], 711]],
  ['invalid_discount', [218, 237, 251, 261, [274, 277], 306, [536, 544], [610, 628], [691, 695]]],
  ['extra_not_available', [231, 236, 250, 307, 308, [460, 496], [545, 557], [697, 722]]],
];

const reasonByCode = indexCodes();

/** Error@Type (EWT list), if the code gives no reason: 4 to 6 are our fault, 12 and 13 the supplier's. */
const REASON_BY_TYPE: Readonly<Record<string, ErrorReason>> = {
  '2': 'unsupported',
  '4': 'auth',
  '5': 'auth',
  '6': 'auth',
  '7': 'invalid_request',
  '8': 'invalid_request',
  '10': 'invalid_request',
  '12': 'unavailable',
  '13': 'unavailable',
};

/**
 * The reason of one Error or Warning: by the supplier's own table, then type 4 to 6 (the type decides authentication,
 * whatever the code), then OTA's codes, then the type. Undefined if none of them applies.
 */
export function errorReason(
  type: string | undefined,
  code: string | undefined,
  overrides: Readonly<Record<string, ErrorReason>>,
): ErrorReason | undefined {
  const listed = listCode('ERR', code);
  const own = rowOf(overrides, code) ?? rowOf(overrides, listed);
  if (own) return own;
  const byType = rowOf(REASON_BY_TYPE, listCode('EWT', type));
  if (byType === 'auth') return byType;
  return (listed === undefined ? undefined : reasonByCode.get(Number(listed))) ?? byType;
}

/** What a reason means for a search: nothing found, or a fault. */
export type SearchOutcome = 'empty' | 'auth' | 'throttled' | 'unavailable' | 'rejected';

/** For a search, an unknown place, a closed location or no car is an empty answer; everything else is a fault. */
export function searchOutcome(reason: ErrorReason | undefined): SearchOutcome {
  switch (reason) {
    case 'no_results':
    case 'invalid_location':
    case 'location_closed':
      return 'empty';
    case 'auth':
    case 'throttled':
    case 'unavailable':
      return reason;
    default:
      return 'rejected';
  }
}

function indexCodes(): ReadonlyMap<number, ErrorReason> {
  const index = new Map<number, ErrorReason>();
  for (const [reason, ranges] of CODES_BY_REASON) {
    for (const range of ranges) {
      const [from, to] = typeof range === 'number' ? [range, range] : range;
      for (let code = from; code <= to; code += 1) if (!index.has(code)) index.set(code, reason);
    }
  }
  return index;
}
