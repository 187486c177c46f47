import { formatAmount, isCurrency, type Money, UnreadableAmountError } from '../../model/money.js';
import type { ChargeKind, Price } from '../../model/offers.js';
import type { Warnings } from '../../model/warnings.js';
import { amountIn, notNegative, unstated } from './amounts.js';
import type { ChargeLine, Charges } from './charge-mapping.js';
import type { OtaOptions } from './options.js';
import type { Payment } from './payment-mapping.js';
import { attribute, type XmlNode } from './wire.js';

type Sum = 'base' | 'taxes' | 'fees' | 'oneWay' | 'extras' | 'coverages' | 'discount';

/** The sum of the price that a kind of charge belongs to; any kind not listed is a fee. */
const SUM_BY_KIND: Readonly<Partial<Record<ChargeKind, Sum>>> = {
  rental: 'base',
  tax: 'taxes',
  one_way: 'oneWay',
  equipment: 'extras',
  coverage: 'coverages',
  discount: 'discount',
};

/** The currency of an offer: its total's, otherwise the supplier's default. Undefined unless it is an ISO 4217 code. */
export function currencyOf(
  totalCharge: XmlNode | undefined,
  rate: XmlNode | undefined,
  options: OtaOptions,
): string | undefined {
  const firstCharge = rate?.children.find((node) => node.name === 'VehicleCharges')?.children[0];
  const stated = attribute(totalCharge, 'CurrencyCode') ?? attribute(firstCharge, 'CurrencyCode') ?? options.currency;
  const code = stated?.toUpperCase();
  return code !== undefined && isCurrency(code) ? code : undefined;
}

/**
 * The total of the complete rental. Depending on the dialect, it is the stated EstimatedTotalAmount, or RateTotalAmount
 * plus the counted charges beyond the rate. Chosen options missing from the stated total are added. If the preferred
 * value is missing, the other one is used, with a warning; the file then doesn't say what RateTotalAmount contains. Undefined
 * if neither is available. Throws UnreadableAmountError if one that is used can't be read, its lines are incomplete by the
 * `unknownPart`, or they may be in it.
 */
export function totalOf(
  totalCharge: XmlNode | undefined,
  lines: readonly ChargeLine[],
  currency: string,
  options: OtaOptions,
  warnings: Warnings,
  unknownPart: string | undefined,
): Money | undefined {
  const stated = () => {
    const total = totalAttribute(totalCharge, 'EstimatedTotalAmount', currency, options);
    return withLines(total, lines, (line) => line.onTop === true);
  };
  const rateAnd = (beyond: (rate: Money) => ReadonlySet<ChargeLine>) => {
    const rate = totalAttribute(totalCharge, 'RateTotalAmount', currency, options);
    if (rate && unknownPart !== undefined) throw unstated(unknownPart);
    const added = rate && beyond(rate);
    return positive(withLines(rate, lines, (line) => added?.has(line) === true));
  };
  const [preferred, other, text] =
    options.totalFrom === 'estimated'
      ? [
          stated,
          () => rateAnd((rate) => beyondRateTotal(rate, lines, warnings)),
          'no EstimatedTotalAmount: the total is the rate plus its mandatory charges',
        ]
      : [
          () => rateAnd(() => new Set(lines.filter(isCountedBeyond))),
          stated,
          'no RateTotalAmount: the total is EstimatedTotalAmount',
        ];
  const total = preferred();
  if (total) return total;
  const instead = other();
  if (instead) warnings.add('incomplete', text);
  return instead;
}

function isCountedBeyond({ beyondRate, includedInTotal }: ChargeLine): boolean {
  return beyondRate && includedInTotal;
}

/**
 * Which lines RateTotalAmount lacks, if nothing says what it contains: those beyond the rate, without what explains it. Throws
 * UnreadableAmountError for those that may be in it and aren't explained so.
 */
function beyondRateTotal(rate: Money, lines: readonly ChargeLine[], warnings: Warnings): ReadonlySet<ChargeLine> {
  const explained = explainedBy(rate, lines);
  const rest = new Set(lines.filter((line) => isCountedBeyond(line) && explained?.has(line) !== true));
  const [unclear, ...more] = [...rest].filter(isUnknown);
  if (unclear) {
    const { amount, description } = unclear;
    const codes = new Set([unclear, ...more].map(({ code = '' }) => JSON.stringify(code)));
    const question = `of ${description} may be in RateTotalAmount. Set purposeKinds: what is ${[...codes].join(', ')}?`;
    throw new UnreadableAmountError(formatAmount(amount), question);
  }
  if (!explained && rest.size > 0 && lines.some(isRentalInRate)) warnings.add('incomplete', UNEXPLAINED);
  return rest;
}

const UNEXPLAINED =
  'RateTotalAmount is more or less than the rental, and may contain charges that are added. Set totalFrom or chargesIncludedByDefault';

/**
 * The lines beyond the rate that RateTotalAmount contains, as with a tax, because the rental and they add up to it: the first ones, otherwise
 * the taxes or a single one, in whatever order they are. Undefined if nothing adds up to it.
 */
function explainedBy({ amountMinor: rate }: Money, lines: readonly ChargeLine[]): ReadonlySet<ChargeLine> | undefined {
  const inside = lines.filter((line) => line.includedInTotal && !line.beyondRate);
  const beyond = lines.filter(isCountedBeyond);
  const isRental = ({ unknown }: ChargeLine) => unknown === 'rental';
  const first = firstLines(rate - sumOf(inside), beyond, inside.length > 0, isRental);
  if (first.length > 0) return new Set(first);
  for (const rentals of [[], beyond.filter(isRental)]) {
    if (inside.length === 0 && rentals.length === 0) continue;
    const missing = rate - sumOf(inside) - sumOf(rentals);
    const others = beyond.filter((line) => rentals.length === 0 || !isRental(line));
    const taxes = others.filter(({ kind }) => kind === 'tax');
    if (missing === 0) return new Set(rentals);
    if (sumOf(taxes) === missing) return new Set([...rentals, ...taxes]);
    const single = others.find(({ amount }) => amount.amountMinor === missing);
    if (single) return new Set([...rentals, single]);
  }
  return undefined;
}

/** As many of the first lines as have this sum, with one that may be the rental unless one is known. */
function firstLines(
  sumMinor: number,
  lines: readonly ChargeLine[],
  isRentalKnown: boolean,
  isRental: (line: ChargeLine) => boolean,
): readonly ChargeLine[] {
  let count = 0;
  let minor = 0;
  let hasRental = isRentalKnown;
  for (const [index, line] of lines.entries()) {
    minor += line.amount.amountMinor;
    hasRental ||= isRental(line);
    if (hasRental && minor === sumMinor) count = index + 1;
  }
  return lines.slice(0, count);
}

function sumOf(lines: readonly ChargeLine[]): number {
  return lines.reduce((minor, { amount }) => minor + amount.amountMinor, 0);
}

function isRentalInRate({ kind, beyondRate }: ChargeLine): boolean {
  return kind === 'rental' && !beyondRate;
}

function isUnknown({ unknown }: ChargeLine): boolean {
  return unknown !== undefined;
}

/**
 * The lines with what the supplier's own split of the total settles: if what is due now and at the counter add up to RateTotalAmount, without another
 * total, charges of unknown meaning that don't explain it are outside of it, and not known to be required; what may be the rental is left out. Those of a
 * known code are added all the same, because the split may be of the rental only.
 */
export function settledLines(
  totalCharge: XmlNode | undefined,
  lines: readonly ChargeLine[],
  { prepay, onArrival }: Pick<Charges, 'prepay' | 'onArrival'>,
  currency: string,
  options: OtaOptions,
  warnings: Warnings,
): readonly ChargeLine[] {
  if (!prepay || !onArrival || options.totalFrom !== 'estimated') return lines;
  if (prepay instanceof UnreadableAmountError || onArrival instanceof UnreadableAmountError) return lines;
  if (totalAttribute(totalCharge, 'EstimatedTotalAmount', currency, options)) return lines;
  const rate = totalAttribute(totalCharge, 'RateTotalAmount', currency, options);
  if (rate?.amountMinor !== prepay.amountMinor + onArrival.amountMinor) return lines;
  const explained = explainedBy(rate, lines);
  const hasRental = lines.some(isRentalInRate);
  return lines.flatMap((line) => {
    if (!isUnknown(line) || !isCountedBeyond(line) || explained?.has(line)) return [line];
    if (line.unknown === 'rental' && !hasRental) {
      warnings.add(
        'incomplete',
        `${line.description}: the rental, or outside of the total? Set purposeKinds: left out`,
      );
      return [];
    }
    warnings.add('incomplete', `${line.description}: not known to be required outside of the total. Set purposeKinds`);
    return [{ ...line, includedInTotal: false, mandatory: false }];
  });
}

/** A total without the chosen options that its supplier's own total leaves out. */
export function withoutOnTop(total: Money, lines: readonly ChargeLine[]): Money {
  return lines.reduce(
    (rest, { onTop, amount }) =>
      onTop ? { amountMinor: rest.amountMinor - amount.amountMinor, currency: rest.currency } : rest,
    total,
  );
}

/** A total as stated; undefined if absent or zero. */
function totalAttribute(
  totalCharge: XmlNode | undefined,
  name: 'EstimatedTotalAmount' | 'RateTotalAmount',
  currency: string,
  { money }: OtaOptions,
): Money | undefined {
  return positive(notNegative(amountIn(currency, totalCharge, name, money), name));
}

function withLines(
  amount: Money | undefined,
  lines: readonly ChargeLine[],
  counts: (line: ChargeLine) => boolean,
): Money | undefined {
  if (!amount) return undefined;
  let { amountMinor } = amount;
  for (const line of lines) if (counts(line)) amountMinor += line.amount.amountMinor;
  return { amountMinor, currency: amount.currency };
}

function positive(money: Money | undefined): Money | undefined {
  return money && money.amountMinor > 0 ? money : undefined;
}

/** The price of an offer. The part of the total that its counted lines do not explain is `unitemised`. */
export function priceOf(total: Money, lines: readonly ChargeLine[], payment: Payment): Price {
  const { currency } = total;
  const sums: Partial<Record<Sum, number>> = {};
  let rest = total.amountMinor;
  for (const line of lines) {
    if (!line.includedInTotal) continue;
    const sum = SUM_BY_KIND[line.kind] ?? 'fees';
    sums[sum] = (sums[sum] ?? 0) + line.amount.amountMinor;
    rest -= line.amount.amountMinor;
  }
  const moneyOf = (sum: Sum): Money | undefined => {
    const amountMinor = sums[sum];
    return amountMinor === undefined ? undefined : { amountMinor, currency };
  };
  const base = moneyOf('base');
  const baseIsPrepaid = base !== undefined && payment.dueNow.amountMinor === base.amountMinor;
  const payableOf = (line: ChargeLine): 'now' | 'counter' => {
    if (!line.includedInTotal || payment.dueNow.amountMinor === 0) return 'counter';
    if (payment.dueAtCounter.amountMinor === 0) return 'now';
    if (line.onTop) return 'counter';
    if (payment.isPrepaid) return 'now';
    return baseIsPrepaid && line.kind === 'rental' ? 'now' : 'counter';
  };
  return {
    total,
    base,
    taxes: moneyOf('taxes'),
    fees: moneyOf('fees'),
    oneWay: moneyOf('oneWay'),
    extras: moneyOf('extras'),
    coverages: moneyOf('coverages'),
    discount: moneyOf('discount'),
    dueNow: payment.dueNow,
    dueAtCounter: payment.dueAtCounter,
    items: lines.map((line) => ({
      kind: line.kind,
      code: line.code,
      description: line.description,
      amount: line.amount,
      unit: line.unit,
      quantity: line.quantity,
      mandatory: line.mandatory,
      includedInTotal: line.includedInTotal,
      payable: payableOf(line),
    })),
    unitemised: rest === 0 || lines.length === 0 ? undefined : { amountMinor: rest, currency },
  };
}
