import type { RentalRequest } from '../../model/bookings.js';
import { divideMoney, formatAmount, type Money, optionalAmount, UnreadableAmountError } from '../../model/money.js';
import type { Coverage, Extra, Term } from '../../model/offers.js';
import { type AmountContext, amountAttribute, isForeign, outsideContext, refuseUnclear, unstated } from './amounts.js';
import type { ChargeLine } from './charge-mapping.js';
import { decimalAttribute } from './numbers.js';
import {
  isOfOnePiece,
  maxQuantityOf,
  multiple,
  NO_PRICE,
  type OptionPrice,
  optionPrice,
  UNCLEAR_PRICE,
  wholeOf,
} from './option-charge.js';
import { coverageOf, equipmentOf } from './option-codes.js';
import { codeOf, type Distinct, distinctOptions } from './option-identity.js';
import { describedBy, inWords } from './option-names.js';
import type { OtaOptions } from './options.js';
import type { OptionDays } from './rental-days.js';
import { attribute, child, childrenNamed, flag, items, textOf, type XmlNode } from './wire.js';

/** The options that a price check requested. */
export interface Choice extends Pick<RentalRequest, 'extras' | 'coverages'> {
  /** Whether the options are those of a booking: then each is a booked piece, even if it is repeated. */
  readonly isBooked?: boolean;
}

/** For the options of a booking. */
export const BOOKED: Choice = { extras: [], coverages: [], isBooked: true };

/**
 * The options of a car. `lines` are the price lines of those that are required, were chosen, or that the supplier
 * includes in its total.
 */
export interface Options {
  /** In the supplier's order, with the EQP codes that a booking uses. Empty if none are offered. */
  readonly extras: readonly Extra[];
  /**
   * In the supplier's order, with the VCT codes that a booking uses (otherwise the supplier's own). Empty if none are
   * listed.
   */
  readonly coverages: readonly Coverage[];
  readonly lines: readonly ChargeLine[];
  /** What the supplier says about options at length. */
  readonly texts: readonly Term[];
  /** What `lines` lacks of a total that is made of lines, in words; undefined if nothing. */
  readonly unknownPart?: string | undefined;
}

/**
 * PricedEquips and PricedCoverages of one offer, for `optionDays` if their prices are per day. Throws UnreadableAmountError if its total depends on a price that can't be
 * read.
 */
export function optionsOf(
  core: XmlNode,
  info: XmlNode | undefined,
  context: AmountContext,
  options: OtaOptions,
  chosen: Choice = NOTHING_CHOSEN,
  optionDays: OptionDays = ONE_DAY,
): Options {
  const { days } = optionDays;
  const extras: Extra[] = [];
  const coverages: Coverage[] = [];
  const lines: ChargeLine[] = [];
  const texts: Term[] = [];
  let unknownPart: string | undefined;
  const distinct = (
    rows: readonly XmlNode[],
    statedCodeOf: (row: XmlNode) => string | undefined,
    isIncluded: (row: XmlNode) => boolean,
  ): Distinct =>
    chosen.isBooked ? { rows, codeOf } : distinctOptions(rows, statedCodeOf, isIncluded, context.warnings);
  const equips = distinct(items(core, 'PricedEquips', 'PricedEquip'), equipTypeOf, isInRate);
  for (const priced of equips.rows) {
    const equipment = child(priced, 'Equipment');
    const charge = child(priced, 'Charge');
    const listed = equipTypeOf(priced);
    const code = equips.codeOf(listed);
    const known = equipmentOf(listed);
    const { name, text } = describedBy(
      [
        textOf(child(equipment, 'Description')),
        attribute(equipment, 'Description'),
        attribute(charge, 'Description'),
        inWords(listed),
      ],
      known,
    );
    if (text !== undefined) texts.push({ kind: 'equipment', text: `${name}: ${text}` });
    const quantity = chosen.extras.find((extra) => extra.code === code)?.quantity ?? 0;
    // If the supplier returns the chosen quantity, its charge covers all pieces, unless that is the most that can be chosen.
    const covered = quantity > 0 && decimalAttribute(equipment, 'Quantity', context.form) === quantity ? quantity : 1;
    const pieces = options.equipmentQuantity === 'most' ? 1 : covered;
    const stated = optionPrice(charge, context, options, optionDays);
    const isUnclear = options.equipmentQuantity === undefined && isOfOnePiece(stated, charge, pieces, days);
    const price = isUnclear ? UNCLEAR_PRICE : stated;
    if (isUnclear)
      context.warnings.add('amount_rejected', `${name}: for one piece or ${pieces}? Set equipmentQuantity: left out`);
    const mandatory = isRequired(priced, equipment);
    // Without a total, only the setting says that a daily price is for all of them.
    const daily = options.equipmentQuantity === 'chosen' && !price.total ? pieces : 1;
    extras.push({
      code,
      type: known.type,
      name,
      pricePerDay: price.perDay && divideMoney(price.perDay, daily),
      priceTotal: price.total && divideMoney(price.total, pieces),
      maxQuantity: maxQuantityOf(charge, equipment, options),
      mandatory,
    });
    const total = multiple(
      wholeOf(price, isDue(mandatory, charge, quantity, options), days),
      quantity > pieces ? quantity : 1,
    );
    const option = { code: listed, name, charge, mandatory, total, quantity, isLocal: isForeign(charge, context) };
    unknownPart ??= unknownPartOf(price, option, context, options);
    const line = countedLine('equipment', option, options);
    if (line) lines.push(line);
  }
  // Each is read once, because of its warnings.
  const prices = new Map<XmlNode, OptionPrice>();
  const priceOf = (priced: XmlNode): OptionPrice => {
    const price =
      prices.get(priced) ??
      (isInRate(priced) ? NO_PRICE : optionPrice(child(priced, 'Charge'), context, options, optionDays));
    prices.set(priced, price);
    return price;
  };
  const isIncluded = (priced: XmlNode) => isInRate(priced) || isInTotalForNothing(priced, priceOf(priced));
  const covers = distinct(items(info, 'PricedCoverages', 'PricedCoverage'), coverageCodeOf, isIncluded);
  for (const priced of covers.rows) {
    const coverage = child(priced, 'Coverage');
    const charge = child(priced, 'Charge');
    const listed = coverageCodeOf(priced);
    const code = covers.codeOf(listed);
    const known = coverageOf(listed);
    const { name, text } = describedBy([...descriptionsOf(coverage), inWords(listed)], known);
    if (text !== undefined) texts.push({ kind: 'coverage', text: `${name}: ${text}` });
    const price = priceOf(priced);
    const included = isIncluded(priced);
    const mandatory = isRequired(priced, coverage);
    coverages.push({
      code,
      type: known.type,
      name,
      included,
      mandatory,
      pricePerDay: included ? undefined : price.perDay,
      priceTotal: included ? undefined : price.total,
      excess: excessOf(priced, context),
    });
    const quantity = chosen.coverages.includes(code) ? 1 : 0;
    const total = wholeOf(price, isDue(mandatory, charge, quantity, options), days);
    const option = { code, name, charge, mandatory, total, quantity, isLocal: isForeign(charge, context) };
    unknownPart ??= unknownPartOf(price, option, context, options);
    const line = countedLine('coverage', option, options);
    if (line) lines.push(line);
  }
  return { extras, coverages, lines, texts, unknownPart };
}

function isInRate(priced: XmlNode): boolean {
  return flag(child(priced, 'Charge'), 'IncludedInRate') === true;
}

/** Whether the total has an option that costs nothing: its price is zero, and none per day is stated. */
function isInTotalForNothing(priced: XmlNode, { total, perDay }: OptionPrice): boolean {
  return (
    flag(child(priced, 'Charge'), 'IncludedInEstTotalInd') === true && total?.amountMinor === 0 && !perDay?.amountMinor
  );
}

function equipTypeOf(priced: XmlNode): string | undefined {
  return attribute(child(priced, 'Equipment'), 'EquipType');
}

function coverageCodeOf(priced: XmlNode): string | undefined {
  const coverage = child(priced, 'Coverage');
  return attribute(coverage, 'CoverageType') ?? attribute(coverage, 'Code');
}

const NOTHING_CHOSEN: Choice = { extras: [], coverages: [] };
const ONE_DAY: OptionDays = { days: 1, least: 1 };

interface PricedOption {
  readonly code: string | undefined;
  readonly name: string;
  readonly charge: XmlNode | undefined;
  readonly mandatory: boolean;
  /** For all chosen pieces. */
  readonly total: Money | undefined;
  /** The chosen quantity; 0 means not chosen. */
  readonly quantity: number;
  /** Whether its price is in another currency than the total. */
  readonly isLocal: boolean;
}

/**
 * If the price of an option can't be read, leaves it out with a warning. Throws UnreadableAmountError if the total of the
 * offer depends on it: the option is required or chosen, and the supplier's total doesn't contain it. Returns the name of an
 * option on which only a total that is made of lines depends.
 */
function unknownPartOf(
  { problem, isStated = false }: OptionPrice,
  option: PricedOption,
  { warnings }: AmountContext,
  options: OtaOptions,
): string | undefined {
  const { charge, mandatory, quantity, name, isLocal } = option;
  if (mandatory || quantity > 0) refuseUnclear(charge);
  const stated = flag(charge, 'IncludedInEstTotalInd');
  const inRate = flag(charge, 'IncludedInRate') === true;
  // An amount in another currency can't be part of the total.
  const total = isLocal && isCounted(option, options) ? undefined : option.total;
  const isNeeded = (mandatory || quantity > 0) && !total;
  if (problem) {
    if (isNeeded && stated !== true && !inRate) throw problem;
    warnings.add('amount_rejected', `${name}: ${problem.message}: left out`);
  }
  if (total || inRate || (!isNeeded && stated !== true)) return undefined;
  if (isLocal && isNeeded && stated !== true)
    throw problem ?? (option.total ? inOtherCurrency(option.total) : unstated(name));
  if ((quantity > 0 || isStated) && !isCounted(option, options)) throw problem ?? unstated(name);
  return quantity > 0 || (stated ?? options.chargesIncludedByDefault) ? name : undefined;
}

function countedLine(
  kind: 'equipment' | 'coverage',
  option: PricedOption,
  options: OtaOptions,
): ChargeLine | undefined {
  const { code, name, charge, mandatory, total, quantity, isLocal } = option;
  const chosen = quantity > 0;
  const stated = flag(charge, 'IncludedInEstTotalInd');
  if ((!mandatory && !chosen && stated !== true) || !total || total.amountMinor === 0) return undefined;
  if (flag(charge, 'IncludedInRate') === true) return undefined;
  const counted = isCounted(option, options);
  if (isLocal && counted) return undefined;
  return {
    kind,
    code,
    description: attribute(charge, 'Description') ?? name,
    amount: total,
    unit: 'rental',
    quantity: chosen ? quantity : 1,
    // What isn't in any sum must be paid besides the total.
    mandatory: mandatory || isLocal,
    includedInTotal: !isLocal && (chosen || counted),
    beyondRate: true,
    onTop: !isLocal && chosen && !counted,
  };
}

/** The error for a price that may be part of a total in another currency. */
function inOtherCurrency(price: Money): UnreadableAmountError {
  return new UnreadableAmountError(formatAmount(price), `of an option in ${price.currency} may be part of the total`);
}

/** Whether an option is chosen, or required besides the total. */
function isDue(mandatory: boolean, charge: XmlNode | undefined, quantity: number, options: OtaOptions): boolean {
  return quantity > 0 || (mandatory && !isCounted({ charge, quantity }, options));
}

/** Whether the supplier's total includes an option that is required or chosen. */
function isCounted({ charge, quantity }: Pick<PricedOption, 'charge' | 'quantity'>, options: OtaOptions): boolean {
  const byDefault = quantity > 0 ? options.chosenInTotal : options.chargesIncludedByDefault;
  return flag(charge, 'IncludedInEstTotalInd') ?? byDefault;
}

function isRequired(priced: XmlNode, described: XmlNode | undefined): boolean {
  return flag(priced, 'Required') === true || flag(described, 'Required') === true;
}

function descriptionsOf(described: XmlNode | undefined): readonly (string | undefined)[] {
  const details = childrenNamed(described, 'Details');
  const description = details.find((detail) => attribute(detail, 'CoverageTextType') === 'Description') ?? details[0];
  return [textOf(description), textOf(child(described, 'Description'))];
}

/**
 * The renter's share, in the currency that it states: Deductible@ExcessAmount, otherwise its @Amount. The insured sum (@LiabilityAmount) is something
 * else.
 */
function excessOf(priced: XmlNode, context: AmountContext): Money | undefined {
  for (const deductible of childrenNamed(priced, 'Deductible')) {
    const own = outsideContext(deductible, context);
    const excess = optionalAmount(
      () => amountAttribute(deductible, 'ExcessAmount', own) ?? amountAttribute(deductible, 'Amount', own),
      context.warnings,
      'an excess',
    );
    if (excess) return excess;
  }
  return undefined;
}
