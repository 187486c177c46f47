/**
 * First digits and lengths of payment cards, from the issuer tables of ISO/IEC 7812 as the schemes publish them. Maestro
 * has two rows: numbers of 12 to 15 digits exist only under the first digits that were issued with them, because under
 * its complete range they would match too many telephone and order numbers.
 */
const SCHEMES: readonly (readonly [name: string, firstDigits: string, lengths: readonly number[]])[] = [
  ['Visa', '4', [13, 16, 19]],
  ['Mastercard', '51-55 2221-2720', [16]],
  ['American Express', '34 37', [15]],
  ['Discover', '6011 644-649 65', [16, 17, 18, 19]],
  ['Diners Club', '300-305 3095 36 38-39', [14, 15, 16, 17, 18, 19]],
  ['JCB', '3528-3589', [16, 17, 18, 19]],
  ['UnionPay', '62 81', [16, 17, 18, 19]],
  ['Maestro', '50 56-69', [16, 17, 18, 19]],
  ['Maestro, short', '5018 5020 5038 5893 6304 6759 6761-6763', [12, 13, 14, 15]],
  ['RuPay', '353 356 508 82', [16]],
  ['Mir', '2200-2205', [16, 17, 18, 19]],
  ['Troy', '9792', [16]],
  ['Napas', '9704', [16, 19]],
  ['Humo and Uzcard', '9860 8600', [16]],
];

export const SHORTEST_CARD = 12;

/** By the first four digits, as a number: a bit for each length that a card may have. */
const LENGTHS = lengthsByPrefix();

/** The lengths that a card with these first four digits may have, longest first; usually none. */
export function cardLengths(firstFour: number): readonly number[] {
  return LENGTHS[firstFour] ?? [];
}

function lengthsByPrefix(): readonly (readonly number[])[] {
  const table: Set<number>[] = Array.from({ length: 10_000 }, () => new Set());
  for (const [, firstDigits, lengths] of SCHEMES) {
    for (const range of firstDigits.split(' ')) {
      const [from = '', to = from] = range.split('-');
      for (let prefix = Number(from.padEnd(4, '0')); prefix <= Number(to.padEnd(4, '9')); prefix += 1)
        for (const length of lengths) table[prefix]?.add(length);
    }
  }
  const none: readonly number[] = [];
  return table.map((lengths) => (lengths.size === 0 ? none : [...lengths].sort((a, b) => b - a)));
}

/** The check-digit formula of payment card numbers (ISO/IEC 7812-1). `digits` are digits only. */
export function luhn(digits: string): boolean {
  return passesLuhn(Array.from(digits, Number), 0, digits.length);
}

/** The same for `length` values of a list, beginning at `start`. */
export function passesLuhn(digits: ArrayLike<number>, start: number, length: number): boolean {
  let sum = 0;
  for (let i = 0; i < length; i += 1) {
    const digit = digits[start + length - 1 - i] ?? 0;
    sum += i % 2 === 0 ? digit : digit > 4 ? digit * 2 - 9 : digit * 2;
  }
  return sum % 10 === 0;
}
