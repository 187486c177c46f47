import { formatAmount, isCurrency, type Money, UnreadableAmountError } from '../../model/money.js';
import type { ChargeKind, Price } from '../../model/offers.js';
import type { Warnings } from '../../model/warnings.js';
import { amountIn, notNegative, unstated } from './amounts.js';
import type { ChargeLine } from './charge-mapping.js';
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
  const made = (isBeyond: (rate: Money) => (line: ChargeLine) => boolean) => {
    const rate = totalAttribute(totalCharge, 'RateTotalAmount', currency, options);
    if (rate && unknownPart !== undefined) throw unstated(unknownPart);
    return rate && positive(withLines(rate, lines, isBeyond(rate)));
  };
  const ruled = () => made(() => isCountedBeyond);
  const unruled = () => made((rate) => beyondRateTotal(rate, lines));
  const [preferred, other, text] =
    options.totalFrom === 'estimated'
      ? [stated, unruled, 'no EstimatedTotalAmount: the total is the rate plus its mandatory charges']
      : [ruled, stated, 'no RateTotalAmount: the total is EstimatedTotalAmount'];
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
 * Which lines RateTotalAmount lacks, if nothing says what it contains: those beyond the rate, without the first ones if the rental and
 * they add up to it, as with a tax that it contains. Throws UnreadableAmountError for one that may be in it and isn't explained so.
 */
function beyondRateTotal(rate: Money, lines: readonly ChargeLine[]): (line: ChargeLine) => boolean {
  const inside = lines.filter((line) => line.includedInTotal && !line.beyondRate);
  const beyond = lines.filter(isCountedBeyond);
  let sum = inside.reduce((minor, { amount }) => minor + amount.amountMinor, 0);
  let hasRental = inside.length > 0;
  let explained = 0;
  for (const [index, { amount, unknownIn }] of beyond.entries()) {
    sum += amount.amountMinor;
    hasRental ||= unknownIn === 'VehicleCharge';
    if (hasRental && sum === rate.amountMinor) explained = index + 1;
  }
  const rest = new Set(beyond.slice(explained));
  const unclear = [...rest].find(({ unknownIn }) => unknownIn !== undefined);
  if (!unclear) return (line) => rest.has(line);
  const { amount, description, code = '' } = unclear;
  const question = `of ${description} may be in RateTotalAmount. Set purposeKinds: what is ${JSON.stringify(code)}?`;
  throw new UnreadableAmountError(formatAmount(amount), question);
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
