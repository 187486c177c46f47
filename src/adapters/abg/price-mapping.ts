import { formatAmount, type Money, parseMoney, sumMoney, UnreadableAmountError } from '../../model/money.js';
import type { ChargeKind, Price, PriceItem } from '../../model/offers.js';
import { flag, group, list, scalar, text, type Wire, word } from './wire.js';

/** ABG's two ways to pay; each has its own totals and rate code. */
export type AbgPayment = 'pay_later' | 'pay_now';

/**
 * A tax or fee of `rate.taxes_fees`, which has all that may apply (contract, taxes_fees). Those that are `included` are in the
 * total; of the others, only the surcharge for young drivers is known to apply, if ABG says that it does.
 */
export interface TaxOrFee {
  readonly kind: ChargeKind;
  readonly description: string;
  readonly amount: Money;
  readonly included: boolean;
  readonly applies: boolean;
}

/**
 * Taxes, then fees, in the supplier's order; entries without an amount, or of zero, are left out. `isUnderAge`: whether ABG says that the
 * surcharge for young drivers applies. Throws UnreadableAmountError for an amount that can't be read, or if it is unclear whether it is in the total.
 */
export function mapTaxesAndFees(taxesFees: unknown, currency: string, isUnderAge: boolean): readonly TaxOrFee[] {
  const wire = group(taxesFees);
  const charges: TaxOrFee[] = [];
  for (const entry of list(wire.taxes)) {
    const row = group(entry);
    addCharge(charges, row, { kind: 'tax', description: text(row.type) ?? 'Tax', applies: false }, currency);
  }
  for (const entry of list(wire.fees)) {
    const row = group(entry);
    const name = text(row.name) ?? 'Fee';
    const kind = feeKind(name);
    addCharge(charges, row, { kind, description: name, applies: isUnderAge && kind === 'young_driver' }, currency);
  }
  return charges;
}

function addCharge(
  charges: TaxOrFee[],
  row: Wire,
  named: Pick<TaxOrFee, 'kind' | 'description' | 'applies'>,
  currency: string,
): void {
  const amount = parseMoney(scalar(row.amount), currency);
  if (!amount || amount.amountMinor === 0) return;
  const included = flag(row.included_in_total);
  const stated = word(row.included_in_total);
  if (included === undefined && stated !== undefined)
    throw new UnreadableAmountError(
      formatAmount(amount),
      `has included_in_total ${JSON.stringify(stated.slice(0, 40))}`,
    );
  charges.push({ ...named, amount, included: included === true, applies: included === true || named.applies });
}

/** The first match wins. The kind of a fee can only be read from its name. */
const FEE_KINDS: readonly (readonly [words: string, kind: ChargeKind])[] = [
  ['one way', 'one_way'],
  ['one-way', 'one_way'],
  ['under age', 'young_driver'],
  ['underage', 'young_driver'],
  ['young driver', 'young_driver'],
  ['senior driver', 'senior_driver'],
  ['additional driver', 'additional_driver'],
  ['out of hours', 'out_of_hours'],
  ['after hours', 'out_of_hours'],
  ['airport', 'airport'],
  ['surcharge', 'surcharge'],
];

function feeKind(name: string): ChargeKind {
  const lower = name.toLowerCase();
  for (const [words, kind] of FEE_KINDS) if (lower.includes(words)) return kind;
  return 'fee';
}

/**
 * Price of one vehicle for one payment type. `total` is the supplier's, unchanged; everything else only explains it.
 * The rate's individual taxes and fees become items for the payment type whose totals they add up to; otherwise the
 * totals are the items.
 */
export function mapPrice(
  pay: Wire,
  payment: AbgPayment,
  total: Money,
  charges: readonly TaxOrFee[],
  display: Money | undefined,
): Price {
  const { currency } = total;
  const read = (value: unknown): Money | undefined => parseMoney(scalar(value), currency);
  const base = read(pay.vehicle_total);
  const extras = read(pay.extras_total);
  const coverages = read(pay.insurance_total);
  const discount = negative(read(pay.discount_total));
  const split = splitTaxesAndFees(read(pay.taxes_total), read(pay.fees_total), read(pay.taxes_fees_total));
  const payable = payment === 'pay_now' ? 'now' : 'counter';

  const items: PriceItem[] = [];
  const add = (kind: ChargeKind, description: string, amount: Money | undefined): void => {
    if (amount && amount.amountMinor !== 0)
      items.push({ kind, description, amount, ...ONCE, mandatory: true, includedInTotal: true, payable });
  };
  add('rental', 'Vehicle rental', base);
  const stated =
    split.together?.amountMinor ?? total.amountMinor - minor(base) - minor(extras) - minor(coverages) - minor(discount);
  const detailed = charges.length > 0 && stated === includedSum(charges) && stated !== 0;
  if (detailed) {
    for (const charge of charges) if (charge.included) add(charge.kind, charge.description, charge.amount);
  } else if (split.taxes || split.fees) {
    add('tax', 'Taxes', split.taxes);
    add('fee', 'Fees', split.fees);
  } else {
    add('tax', 'Taxes and fees', split.together);
  }
  add('equipment', 'Extras', extras);
  add('coverage', 'Coverages', coverages);
  add('discount', 'Discount', discount);
  const unitemised =
    items.length > 0 ? total.amountMinor - items.reduce((sum, row) => sum + row.amount.amountMinor, 0) : 0;
  for (const { kind, description, amount, included, applies } of charges) {
    if (!included)
      items.push({
        kind,
        description,
        amount,
        ...ONCE,
        mandatory: applies,
        includedInTotal: false,
        payable: 'counter',
      });
  }

  const taxes = split.taxes ?? (detailed ? sumOf(charges, currency, (charge) => charge.kind === 'tax') : undefined);
  const fees = split.fees ?? (detailed ? sumOf(charges, currency, (charge) => charge.kind !== 'tax') : undefined);
  const oneWay = detailed ? sumOf(charges, currency, (charge) => charge.kind === 'one_way') : undefined;
  const none: Money = { amountMinor: 0, currency };
  return {
    total,
    base,
    taxes,
    fees,
    oneWay: oneWay?.amountMinor === 0 ? undefined : oneWay,
    extras,
    coverages,
    discount,
    dueNow: payment === 'pay_now' ? total : none,
    dueAtCounter: payment === 'pay_now' ? none : total,
    items,
    unitemised: unitemised === 0 ? undefined : { amountMinor: unitemised, currency },
    display,
  };
}

/** The young driver fee, if one applies and its amount is stated. */
export function youngDriverFee(charges: readonly TaxOrFee[]): Money | undefined {
  return charges.find(({ kind, applies }) => kind === 'young_driver' && applies)?.amount;
}

const ONCE = { unit: 'rental', quantity: 1 } as const;

interface Split {
  readonly taxes?: Money;
  readonly fees?: Money;
  readonly together?: Money;
}

/** Taxes, fees and their sum: any two give the third; the sum alone isn't split. */
function splitTaxesAndFees(taxes: Money | undefined, fees: Money | undefined, together: Money | undefined): Split {
  if (taxes && fees) return { taxes, fees, together: plus(taxes, fees.amountMinor) };
  if (taxes)
    return together ? { taxes, fees: plus(together, -taxes.amountMinor), together } : { taxes, together: taxes };
  if (fees) return together ? { taxes: plus(together, -fees.amountMinor), fees, together } : { fees, together: fees };
  return together ? { together } : {};
}

function includedSum(charges: readonly TaxOrFee[]): number {
  let sum = 0;
  for (const charge of charges) if (charge.included) sum += charge.amount.amountMinor;
  return sum;
}

function sumOf(charges: readonly TaxOrFee[], currency: string, wanted: (charge: TaxOrFee) => boolean): Money {
  return sumMoney(
    currency,
    charges.filter((charge) => charge.included && wanted(charge)).map((charge) => charge.amount),
  );
}

function negative(money: Money | undefined): Money | undefined {
  return money && money.amountMinor !== 0 ? { ...money, amountMinor: -Math.abs(money.amountMinor) } : undefined;
}

function plus(money: Money, amountMinor: number): Money {
  return { amountMinor: money.amountMinor + amountMinor, currency: money.currency };
}

function minor(money: Money | undefined): number {
  return money?.amountMinor ?? 0;
}
