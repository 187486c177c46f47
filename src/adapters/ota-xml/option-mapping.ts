import type { RentalRequest } from '../../model/bookings.js';
import { divideMoney, type Money } from '../../model/money.js';
import type { Coverage, Extra } from '../../model/offers.js';
import { type AmountContext, amountAttribute, calculated, numberOf } from './amounts.js';
import type { ChargeLine } from './charge-mapping.js';
import { coverageOf, equipmentOf } from './option-codes.js';
import type { OtaOptions } from './options.js';
import { attribute, child, childrenNamed, flag, items, textOf, type XmlNode } from './wire.js';

interface OptionPrice {
  readonly perDay?: Money;
  /** Whole rental, taxes on top included. */
  readonly total?: Money;
}

/** What a price check asked for, and the days it asked for. */
export interface Chosen extends Pick<RentalRequest, 'extras' | 'coverages'> {
  readonly days: number;
}

/**
 * What can be taken with a car. `lines` are those that must be taken, that were chosen, or that the supplier counts in its total, as lines
 * of the price.
 */
export interface Options {
  /** In the supplier's order; codes are EQP codes, what a booking asks for. Empty = none offered. */
  readonly extras: readonly Extra[];
  /** In the supplier's order; codes are VCT codes, what a booking asks for (else the supplier's own). Empty = none named. */
  readonly coverages: readonly Coverage[];
  readonly lines: readonly ChargeLine[];
}

/** PricedEquips and PricedCoverages of one offer. */
export function optionsOf(
  core: XmlNode,
  info: XmlNode | undefined,
  context: AmountContext,
  options: OtaOptions,
  chosen: Chosen = NOTHING_CHOSEN,
): Options {
  const extras: Extra[] = [];
  const coverages: Coverage[] = [];
  const lines: ChargeLine[] = [];
  for (const priced of items(core, 'PricedEquips', 'PricedEquip')) {
    const equipment = child(priced, 'Equipment');
    const charge = child(priced, 'Charge');
    const code = attribute(equipment, 'EquipType');
    const known = equipmentOf(code);
    const name = textOf(child(equipment, 'Description')) ?? attribute(charge, 'Description') ?? known.label;
    const quantity = chosen.extras.find((extra) => extra.code === code)?.quantity ?? 0;
    // Where the supplier repeats the quantity that was chosen, its charge is for all of them.
    const pieces = quantity > 0 && numberOf(equipment, 'Quantity') === quantity ? quantity : 1;
    const price = optionPrice(charge, context);
    const mandatory = isRequired(priced, equipment);
    extras.push({
      code: code ?? 'other',
      type: known.type,
      name,
      pricePerDay: price.perDay,
      priceTotal: price.total && divideMoney(price.total, pieces),
      maxQuantity: maxQuantityOf(charge, equipment),
      mandatory,
    });
    const total = times(wholeOf(price, quantity > 0, chosen.days, pieces), quantity > pieces ? quantity : 1);
    const line = countedLine('equipment', { code, name, charge, mandatory, total, quantity }, options);
    if (line) lines.push(line);
  }
  for (const priced of items(info, 'PricedCoverages', 'PricedCoverage')) {
    const coverage = child(priced, 'Coverage');
    const charge = child(priced, 'Charge');
    const code = attribute(coverage, 'CoverageType') ?? attribute(coverage, 'Code') ?? 'other';
    const known = coverageOf(code);
    const name = nameOf(coverage) ?? known.label;
    const included = flag(charge, 'IncludedInRate') === true;
    const price = included ? NO_PRICE : optionPrice(charge, context);
    const mandatory = isRequired(priced, coverage);
    coverages.push({
      code,
      type: known.type,
      name,
      included,
      mandatory,
      pricePerDay: price.perDay,
      priceTotal: price.total,
      excess: excessOf(priced, context),
    });
    const quantity = chosen.coverages.includes(code) ? 1 : 0;
    const total = wholeOf(price, quantity > 0, chosen.days, 1);
    const line = countedLine('coverage', { code, name, charge, mandatory, total, quantity }, options);
    if (line) lines.push(line);
  }
  return { extras, coverages, lines };
}

const NO_PRICE: OptionPrice = {};
const NOTHING_CHOSEN: Chosen = { extras: [], coverages: [], days: 1 };

/** Price of an option for the whole rental; of a chosen one also where only its price a day is told (docs/trade.md#charges-by-calculation). */
function wholeOf(price: OptionPrice, isChosen: boolean, days: number, pieces: number): Money | undefined {
  return price.total ?? (isChosen ? times(price.perDay, days * pieces) : undefined);
}

function times(amount: Money | undefined, count: number): Money | undefined {
  return amount && { amountMinor: amount.amountMinor * count, currency: amount.currency };
}

interface PricedOption {
  readonly code: string | undefined;
  readonly name: string;
  readonly charge: XmlNode | undefined;
  readonly mandatory: boolean;
  /** For all pieces that were chosen. */
  readonly total: Money | undefined;
  /** How many were chosen; 0 = not chosen. */
  readonly quantity: number;
}

function countedLine(
  kind: 'equipment' | 'coverage',
  option: PricedOption,
  options: OtaOptions,
): ChargeLine | undefined {
  const { code, name, charge, mandatory, total, quantity } = option;
  const chosen = quantity > 0;
  const told = flag(charge, 'IncludedInEstTotalInd');
  if ((!mandatory && !chosen && told !== true) || !total || total.amountMinor === 0) return undefined;
  if (flag(charge, 'IncludedInRate') === true) return undefined;
  const counted = told ?? (chosen ? options.chosenInTotal : options.chargesIncludedByDefault);
  return {
    kind,
    code,
    description: attribute(charge, 'Description') ?? name,
    amount: total,
    unit: 'rental',
    quantity: chosen ? quantity : 1,
    mandatory,
    includedInTotal: chosen || counted,
    beyondRate: true,
    onTop: chosen && !counted,
  };
}

function isRequired(priced: XmlNode, described: XmlNode | undefined): boolean {
  return flag(priced, 'Required') === true || flag(described, 'Required') === true;
}

/**
 * What an option costs. An amount whose description says "per day" is a price a day (a common slip of suppliers); otherwise Amount is the
 * whole rental and a single Calculation by the day gives the daily price.
 */
function optionPrice(charge: XmlNode | undefined, context: AmountContext): OptionPrice {
  if (!charge) return {};
  const amount = amountAttribute(charge, 'Amount', context);
  const calculation = calculated(charge, context);
  const perDay = calculation.unit === 'day' ? calculation.unitCharge : undefined;
  if (amount && !perDay && /per day|daily/i.test(attribute(charge, 'Description') ?? '')) return { perDay: amount };
  const net = amount ?? calculation.total;
  return { perDay, total: net && withTaxes(net, charge, context) };
}

function withTaxes(net: Money, charge: XmlNode, context: AmountContext): Money {
  if (flag(charge, 'TaxInclusive') === true) return net;
  let { amountMinor } = net;
  for (const tax of items(charge, 'TaxAmounts', 'TaxAmount'))
    amountMinor += amountAttribute(tax, 'Total', context)?.amountMinor ?? 0;
  return { amountMinor, currency: net.currency };
}

function maxQuantityOf(charge: XmlNode | undefined, equipment: XmlNode | undefined): number {
  const told = numberOf(child(charge, 'Calculation'), 'MaxQuantity') ?? numberOf(equipment, 'Quantity') ?? 1;
  return Math.max(1, Math.floor(told));
}

function nameOf(described: XmlNode | undefined): string | undefined {
  const details = childrenNamed(described, 'Details');
  const description = details.find((detail) => attribute(detail, 'CoverageTextType') === 'Description') ?? details[0];
  return textOf(description) ?? textOf(child(described, 'Description'));
}

/** The renter's own share: Deductible@ExcessAmount, else its @Amount. The insured sum (@LiabilityAmount) is something else. */
function excessOf(priced: XmlNode, context: AmountContext): Money | undefined {
  for (const deductible of childrenNamed(priced, 'Deductible')) {
    const excess =
      amountAttribute(deductible, 'ExcessAmount', context) ?? amountAttribute(deductible, 'Amount', context);
    if (excess) return excess;
  }
  return undefined;
}
