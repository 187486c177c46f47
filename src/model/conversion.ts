import { currencyDigits, type Money } from './money.js';

/** Significant digits of a rate. An amount of ten billion minor units is off by less than one of them. */
const RATE_DIGITS = 10;
const RATE_TEXT = /^(\d{1,15})(?:\.(\d{1,15}))?$/;

/** An exact decimal: `units` / 10 ** `decimals`. */
interface Decimal {
  readonly units: bigint;
  readonly decimals: number;
}

/** Reads a positive decimal such as "1.0812"; undefined for anything else. */
function decimalOf(text: string): Decimal | undefined {
  const [, whole, fraction = ''] = RATE_TEXT.exec(text) ?? [];
  const units = whole === undefined ? 0n : BigInt(whole + fraction);
  return units === 0n ? undefined : { units, decimals: fraction.length };
}

/** Whether a text is a rate: a positive decimal of at most 15 digits on each side of the point. */
export function isRate(text: string): boolean {
  return decimalOf(text) !== undefined;
}

/**
 * `to` / `from` as decimal text with ten significant digits, rounded half up: the rate between two currencies whose rates
 * are for one unit of the same third. Undefined if one of the texts isn't a rate, or the result is too small for 15 decimals.
 */
export function crossRate(from: string, to: string): string | undefined {
  const [below, above] = [decimalOf(from), decimalOf(to)];
  if (!below || !above) return undefined;
  const numerator = above.units * 10n ** BigInt(below.decimals);
  const denominator = below.units * 10n ** BigInt(above.decimals);
  const wholeDigits = String(numerator / denominator).length;
  let decimals = RATE_DIGITS - (numerator < denominator ? 0 : wholeDigits);
  // Zeros after the point aren't significant.
  for (let scaled = numerator * 10n; numerator < denominator && scaled < denominator; scaled *= 10n) decimals += 1;
  const rounded = halfUp(numerator * 10n ** BigInt(Math.max(0, decimals)), denominator);
  const text = withPoint(rounded, Math.max(0, decimals));
  return isRate(text) ? text : undefined;
}

/** A decimal without trailing zeros: (12500n, 4) → "1.25". */
function withPoint(units: bigint, decimals: number): string {
  if (decimals > 0 && units % 10n === 0n) return withPoint(units / 10n, decimals - 1);
  const digits = String(units).padStart(decimals + 1, '0');
  const point = digits.length - decimals;
  return decimals === 0 ? digits : `${digits.slice(0, point)}.${digits.slice(point)}`;
}

/** The parts of a total and the total itself, in minor units of one currency. */
export interface ConvertedParts {
  readonly totalMinor: number;
  /** In the order of the parts; their sum is the total. */
  readonly partsMinor: readonly number[];
}

/** Converts amounts from one currency to another at one rate, exactly (docs/decisions/0055). */
export class Conversion {
  readonly #numerator: bigint;
  readonly #denominator: bigint;
  /** The same as numbers, which are faster; the products of usual amounts are exact. */
  readonly #factor: number;
  readonly #divisor: number;

  /** `rate`: units of `to` for one unit of `from`. Throws if it isn't a rate, which is a bug in the caller. */
  constructor(
    from: string,
    readonly to: string,
    readonly rate: string,
  ) {
    const decimal = decimalOf(rate);
    if (!decimal) throw new Error(`${JSON.stringify(rate)} is not an exchange rate`);
    const shift = currencyDigits(to) - currencyDigits(from) - decimal.decimals;
    this.#numerator = decimal.units * 10n ** BigInt(Math.max(0, shift));
    this.#denominator = 10n ** BigInt(Math.max(0, -shift));
    this.#factor = Number(this.#numerator);
    this.#divisor = Number(this.#denominator);
  }

  /**
   * The amount times the rate, rounded half away from zero to a minor unit. Undefined if it is too large for
   * integers to be exact.
   */
  of(amountMinor: number): Money | undefined {
    const [converted] = this.parts(amountMinor, [amountMinor])?.partsMinor ?? [];
    return converted === undefined ? undefined : { amountMinor: converted, currency: this.to };
  }

  /**
   * Converts a total and its parts so that the parts add up to the total: the total is rounded half away from zero to a minor
   * unit, each part is rounded down, and the units left go to the parts that lost most, the first of equal ones first. A part of zero
   * stays zero. Parts that don't add up to the total before are rounded on their own. Undefined as by `of`.
   */
  parts(totalMinor: number, partsMinor: readonly number[]): ConvertedParts | undefined {
    const isWhole = partsMinor.reduce((sum, part) => sum + part, 0) === totalMinor;
    const isFast =
      isWhole && totalMinor * this.#factor * 2 <= Number.MAX_SAFE_INTEGER && partsMinor.every((part) => part >= 0);
    return isFast ? this.#fastParts(totalMinor, partsMinor) : this.#exactParts(totalMinor, partsMinor, isWhole);
  }

  /** No product is larger than the total's, which is exact. */
  #fastParts(totalMinor: number, partsMinor: readonly number[]): ConvertedParts {
    const divisor = this.#divisor;
    const exact = totalMinor * this.#factor;
    const rest = exact % divisor;
    const total = (exact - rest) / divisor + (rest * 2 >= divisor ? 1 : 0);
    let left = total;
    const lost: number[] = [];
    const parts = partsMinor.map((part) => {
      const product = part * this.#factor;
      const remainder = product % divisor;
      const floor = (product - remainder) / divisor;
      lost.push(remainder);
      left -= floor;
      return floor;
    });
    if (left > 0) giveOut(parts, left, 1, (a, b) => (lost[b] ?? 0) - (lost[a] ?? 0));
    return { totalMinor: total, partsMinor: parts };
  }

  #exactParts(totalMinor: number, partsMinor: readonly number[], isWhole: boolean): ConvertedParts | undefined {
    const total = halfUp(BigInt(totalMinor) * this.#numerator, this.#denominator);
    const exact = partsMinor.map((part) => BigInt(part) * this.#numerator);
    const parts = isWhole ? this.#shared(total, exact) : exact.map((part) => halfUp(part, this.#denominator));
    const converted = { totalMinor: Number(total), partsMinor: parts.map(Number) };
    const isSafe = [converted.totalMinor, ...converted.partsMinor].every(Number.isSafeInteger);
    return isSafe ? converted : undefined;
  }

  #shared(total: bigint, exact: readonly bigint[]): bigint[] {
    const parts = exact.map((part) => floorDivision(part, this.#denominator));
    const left = Number(total - parts.reduce((sum, part) => sum + part, 0n));
    const lost = exact.map((part, index) => part - (parts[index] ?? 0n) * this.#denominator);
    giveOut(parts, left, 1n, (a, b) => Number((lost[b] ?? 0n) - (lost[a] ?? 0n)));
    return parts;
  }
}

/**
 * Adds `one` to `left` of the parts, in the order of `compare`, which gets their positions. The total is at most half a unit above
 * the exact sum, so there are never more units than parts that lost something.
 */
function giveOut<T extends number | bigint>(
  parts: T[],
  left: number,
  one: T,
  compare: (a: number, b: number) => number,
): void {
  const order = [...parts.keys()].sort((a, b) => compare(a, b) || a - b);
  for (const index of order.slice(0, left)) parts[index] = ((parts[index] as number) + (one as number)) as T;
}

/** The quotient rounded half away from zero. `denominator` is positive. */
function halfUp(numerator: bigint, denominator: bigint): bigint {
  const size = numerator < 0n ? -numerator : numerator;
  const rounded = (2n * size + denominator) / (2n * denominator);
  return numerator < 0n ? -rounded : rounded;
}

/** The quotient rounded down. `denominator` is positive. */
function floorDivision(numerator: bigint, denominator: bigint): bigint {
  const quotient = numerator / denominator;
  return quotient * denominator > numerator ? quotient - 1n : quotient;
}
