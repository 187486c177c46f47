/**
 * Discount, coupon and promotion codes that the simulated suppliers of the dialects abg and ota know, and what they take
 * off the base price in percent. Those of the other dialects take no codes.
 */
const PERCENT_BY_CODE: ReadonlyMap<string, number> = new Map([
  ['CORP15', 15],
  ['SAVE10', 10],
]);

/** Memberships that they know begin with this. */
const MEMBER_PREFIX = 'SIM';
const MEMBER_PERCENT = 5;

/** Whether these suppliers know the code, in any case (docs/sandbox.md#discount-codes-and-memberships). */
export function isKnownCode(code: string | undefined): code is string {
  return code !== undefined && PERCENT_BY_CODE.has(code.toUpperCase());
}

/** Whether they know the membership number, in any case. */
export function isKnownMember(membership: string | undefined): membership is string {
  return membership?.toUpperCase().startsWith(MEMBER_PREFIX) === true;
}

/** What known codes and one known membership take off the base price together, in percent; 0 for unknown ones. */
export function discountPercentOf(
  codes: readonly (string | undefined)[],
  memberships: readonly (string | undefined)[],
): number {
  const distinct = new Set(codes.flatMap((code) => code?.toUpperCase() ?? []));
  let percent = memberships.some(isKnownMember) ? MEMBER_PERCENT : 0;
  for (const code of distinct) percent += PERCENT_BY_CODE.get(code) ?? 0;
  return percent;
}
