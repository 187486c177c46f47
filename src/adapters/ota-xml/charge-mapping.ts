import { type Money, UnreadableAmountError } from '../../model/money.js';
import type { FuelPolicy, PriceItem } from '../../model/offers.js';
import {
  type AmountContext,
  amountAttribute,
  isForeign,
  notNegative,
  onlyAmount,
  outsideContext,
  ownAmount,
  refuseUnclear,
} from './amounts.js';
import { type Calculated, calculated, isPriceOfUnit } from './calculation.js';
import { type Purpose, purposeOf } from './charge-codes.js';
import { percentOf } from './numbers.js';
import type { OtaOptions } from './options.js';
import type { StatedDays } from './rental-days.js';
import { attribute, child, flag, items, type XmlNode } from './wire.js';

/** One line of the price, before the payment time is known. */
export interface ChargeLine extends Omit<PriceItem, 'payable'> {
  /** Not part of TotalCharge@RateTotalAmount (docs/trade.md#ota-amounts). */
  readonly beyondRate: boolean;
  /** Nothing says whether it is in RateTotalAmount: it may be the `rental` itself (a VehicleCharge), or another `charge`. Absent for all others. */
  readonly unknown?: 'rental' | 'charge' | undefined;
  /** Chosen and payable, but not included in the supplier's EstimatedTotalAmount. Absent means false. */
  readonly onTop?: boolean;
}

/** The content of all VehicleCharges and Fees of one offer. */
export interface Charges {
  readonly lines: readonly ChargeLine[];
  /** VCP 22 and 23: how the total is split, if the supplier states it as charges; an error if it can't be read. */
  readonly prepay?: Money | UnreadableAmountError;
  readonly onArrival?: Money | UnreadableAmountError;
  readonly fuelPolicy?: FuelPolicy;
  /** VCP 8: price of one additional distance unit. */
  readonly overage?: Money;
  /** A charge that the supplier's file calls the deposit, in the currency that it states. */
  readonly deposit?: Money;
  /** Days of the Calculation of each rental charge, in order: a week and two additional days are 7 and 2. */
  readonly days: readonly StatedDays[];
  /** What the lines that a total adds to the rate lack, in words; undefined if nothing. */
  readonly unknownPart?: string;
}

interface Collected {
  lines: ChargeLine[];
  inRateMinor: number;
  prepay?: Money | UnreadableAmountError;
  onArrival?: Money | UnreadableAmountError;
  fuelPolicy?: FuelPolicy;
  overage?: Money;
  deposit?: Money;
  days: StatedDays[];
  unknownPart?: string;
}

/**
 * VehicleCharges and Fees → lines that can be added up. A tax included in its charge (TaxInclusive) and a charge
 * included in the rate (IncludedInRate) are listed separately and subtracted from the line that contains them, so that
 * nothing counts twice. Lines without an amount, or of zero, are left out, in `unknownPart` if a total that is made of them
 * would lack something; a discount is negative whatever sign the supplier uses. What is not in the total is in the currency that it
 * states: local charges are paid at the counter. Throws UnreadableAmountError if a charge can't be shown that must be.
 */
export function readCharges(core: XmlNode, context: AmountContext, options: OtaOptions): Charges {
  const collected: Collected = { lines: [], inRateMinor: 0, days: [] };
  for (const node of items(child(core, 'RentalRate'), 'VehicleCharges', 'VehicleCharge'))
    readCharge(node, collected, context, options);
  for (const node of items(core, 'Fees', 'Fee')) readCharge(node, collected, context, options);
  takeOutOfRental(collected);
  return collected;
}

function readCharge(node: XmlNode, collected: Collected, offer: AmountContext, options: OtaOptions): void {
  const code = attribute(node, 'Purpose');
  const purpose = countedPurpose(purposeOf(code, options.purposeKinds), node);
  if (purpose.role === 'none') return;
  if (purpose.role === 'deposit') {
    collected.deposit ??= depositIn(node, offer, options);
    return;
  }
  const isRental = purpose.kind === 'rental' && purpose.role === 'charge';
  const inRate = !isRental && flag(node, 'IncludedInRate') === true;
  const required = purpose.role !== 'price_list' && flag(node, 'RequiredInd') !== false;
  const included =
    flag(node, 'IncludedInEstTotalInd') ?? (isRental || inRate || (required && options.chargesIncludedByDefault));
  // A word outside of the total may also be a deposit, or a price that is only due under conditions.
  const mandatory = required && (included || !purpose.isWord || attribute(node, 'RequiredInd') !== undefined);
  const isSplit = purpose.role === 'prepaid' || purpose.role === 'on_arrival';
  const context = included || isSplit ? offer : outsideContext(node, offer);
  const calculation = calculated(node, context, options);
  const amount = amountAttribute(node, 'Amount', context) ?? calculation.total;
  const counts = mandatory && purpose.role === 'charge';
  const isNothing = amount?.amountMinor === 0 && !hasTaxesOnTop(node);
  if (purpose.role === 'charge' && !isNothing) refuseUnclear(node, mandatory || included);
  if (counts && !amount && calculation.unreadable) throw calculation.unreadable;
  // The total contains the rental charge, in whatever currency that explains it.
  if (counts && !isRental && isPriced(node) && isForeign(node, context)) throw inOtherCurrency(node, purpose, context);
  if (isRental && calculation.days !== undefined)
    collected.days.push({ days: calculation.days, isOfPrice: isPriceOfUnit(calculation, amount) });
  const isOverage = purpose.role === 'price_list' && purpose.kind === 'distance';
  const problem = isOverage ? calculation.unreadableUnit : amount ? undefined : calculation.unreadable;
  if (problem) context.warnings.add('amount_rejected', `${descriptionOf(node, purpose)}: ${problem.message}: left out`);
  const noted = isOverage ? (calculation.unitCharge ?? amount) : amount;
  if (isSplit) {
    const part = purpose.role === 'prepaid' ? 'prepay' : 'onArrival';
    collected[part] = onlyAmount(collected[part], splitOf(node, amount, calculation, context));
    return;
  }
  if (isOverage && !problem && noted && noted.amountMinor > 0) collected.overage = noted;
  collected.fuelPolicy = purpose.fuelPolicy ?? collected.fuelPolicy;
  if (!amount || amount.amountMinor === 0) {
    if (included && leavesGap(node, amount, purpose, !isRental && !inRate, options))
      collected.unknownPart ??= descriptionOf(node, purpose);
    return;
  }
  if (required && !mandatory)
    context.warnings.add(
      'incomplete',
      `${purpose.label}: not known to be required outside of the total. Set purposeKinds`,
    );
  const signed = purpose.kind === 'discount' ? -Math.abs(amount.amountMinor) : amount.amountMinor;
  if (inRate && included) collected.inRateMinor += signed;
  const mayBe = node.name === 'VehicleCharge' ? 'rental' : 'charge';
  const line: ChargeLine = {
    kind: purpose.kind,
    code,
    description: descriptionOf(node, purpose),
    amount: { amountMinor: signed, currency: amount.currency },
    unit: calculation.unit,
    quantity: calculation.quantity,
    mandatory,
    includedInTotal: included,
    beyondRate: !isRental && !inRate,
    unknown: purpose.isUnknown && !saysBesidesRate(node) ? mayBe : undefined,
  };
  if (inRate) {
    collected.lines.push(line);
    if (included && options.taxAmountsInTotal && hasTaxesOnTop(node))
      collected.unknownPart ??= `taxes on ${line.description}`;
  } else pushWithTaxes(line, node, collected, context, options);
}

function inOtherCurrency(
  node: XmlNode,
  { isWord, label }: Purpose,
  { currency }: AmountContext,
): UnreadableAmountError {
  const setting = isWord ? `. Set purposeKinds: what is ${label}?` : '';
  return new UnreadableAmountError(attribute(node, 'Amount') ?? '', `of a charge is not in ${currency}${setting}`);
}

/** The amount of a deposit, even in another currency. Throws UnreadableAmountError if it can't be read. */
function depositIn(node: XmlNode, offer: AmountContext, options: OtaOptions): Money | undefined {
  const context = outsideContext(node, offer);
  return notNegative(
    amountAttribute(node, 'Amount', context) ?? calculated(node, context, options).total,
    'the deposit',
  );
}

/** Whether a charge says that the total contains it and the rate doesn't. */
function saysBesidesRate(node: XmlNode): boolean {
  return flag(node, 'IncludedInEstTotalInd') === true && flag(node, 'IncludedInRate') === false;
}

/** The price of an additional week, day or hour is a charge if the supplier counted it, otherwise a price list. */
function countedPurpose(purpose: Purpose, node: XmlNode): Purpose {
  const isCounted =
    purpose.role === 'price_list' && purpose.kind === 'rental' && flag(node, 'IncludedInEstTotalInd') === true;
  return isCounted ? { ...purpose, role: 'charge' } : purpose;
}

/** Whether a counted charge without an amount, or of zero, has more than the total that is made of the other lines. */
function leavesGap(
  node: XmlNode,
  amount: Money | undefined,
  purpose: Purpose,
  beyondRate: boolean,
  options: OtaOptions,
): boolean {
  // Only a text: a policy about fuel has no amount.
  const isStated = purpose.role !== 'policy' || isPriced(node);
  return (!amount && beyondRate && isStated) || (options.taxAmountsInTotal && hasTaxesOnTop(node));
}

function isPriced(node: XmlNode): boolean {
  return attribute(node, 'Amount') !== undefined || child(node, 'Calculation') !== undefined;
}

/** Whether a charge has taxes that its amount doesn't include. */
export function hasTaxesOnTop(node: XmlNode): boolean {
  return flag(node, 'TaxInclusive') !== true && items(node, 'TaxAmounts', 'TaxAmount').length > 0;
}

/** The amount of VCP 22 or 23, undefined if the charge states none, or why it can't be read. */
function splitOf(
  node: XmlNode,
  amount: Money | undefined,
  calculation: Calculated,
  context: AmountContext,
): Money | UnreadableAmountError | undefined {
  if (amount) return amount;
  if (calculation.unreadable) return calculation.unreadable;
  if (!isPriced(node)) return undefined;
  const problem = isForeign(node, context) ? `is not in ${context.currency}` : 'is not stated';
  return new UnreadableAmountError(attribute(node, 'Amount') ?? '', `of a prepayment ${problem}`);
}

function pushWithTaxes(
  line: ChargeLine,
  node: XmlNode,
  collected: Collected,
  context: AmountContext,
  options: OtaOptions,
): void {
  const inside = flag(node, 'TaxInclusive') === true;
  const counts = line.includedInTotal && !inside && options.taxAmountsInTotal;
  const taxes: ChargeLine[] = [];
  let insideMinor = 0;
  for (const tax of items(node, 'TaxAmounts', 'TaxAmount')) {
    const own = counts || inside ? context : outsideContext(tax, context);
    const isNeeded = counts || (line.mandatory && !inside);
    const amount = isNeeded ? ownAmount(tax, 'Total', own, node) : amountAttribute(tax, 'Total', own, node);
    if (counts && !amount) collected.unknownPart ??= `a tax on ${line.description}`;
    if (!amount || amount.amountMinor === 0) continue;
    if (inside) insideMinor += amount.amountMinor;
    const percentage = percentOf(tax, 'Percentage', context.form);
    taxes.push({
      kind: 'tax',
      code: attribute(tax, 'TaxCode'),
      description: attribute(tax, 'Description') ?? 'Tax',
      amount,
      unit: percentage === undefined ? 'rental' : 'percent',
      quantity: percentage ?? 1,
      mandatory: line.mandatory,
      includedInTotal: line.includedInTotal && (inside || options.taxAmountsInTotal),
      beyondRate: !inside || line.beyondRate,
    });
  }
  collected.lines.push(insideMinor === 0 ? line : lessened(line, insideMinor), ...taxes);
}

/** Subtracts charges that are part of the rate from a rental line that is large enough. */
function takeOutOfRental(collected: Collected): void {
  if (collected.inRateMinor === 0) return;
  const at = collected.lines.findIndex(
    (line) => isCountedRental(line) && line.amount.amountMinor >= collected.inRateMinor,
  );
  const rental = collected.lines[at];
  if (rental) collected.lines[at] = lessened(rental, collected.inRateMinor);
}

function isCountedRental(line: ChargeLine): boolean {
  return line.kind === 'rental' && line.includedInTotal && !line.beyondRate;
}

function lessened(line: ChargeLine, byMinor: number): ChargeLine {
  return { ...line, amount: { amountMinor: line.amount.amountMinor - byMinor, currency: line.amount.currency } };
}

function descriptionOf(node: XmlNode, purpose: Purpose): string {
  return attribute(node, 'Description')?.replace(/(?<!\s)\s*:$/, '') ?? purpose.label;
}
