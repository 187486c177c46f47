import type { LocalDateTime } from '../../model/locations.js';
import { type Money, optionalAmount } from '../../model/money.js';
import type { Warnings } from '../../model/warnings.js';
import { type AmountContext, amountContext, isForeign } from './amounts.js';
import { isOfTime } from './calculation.js';
import { readCharges } from './charge-mapping.js';
import { rentalDaysBetween } from './local-time.js';
import { numberOf } from './numbers.js';
import { BOOKED, optionsOf } from './option-mapping.js';
import type { OtaOptions } from './options.js';
import { currencyOf, settledLines, totalOf } from './price-mapping.js';
import { daysOfOptions } from './rental-days.js';
import { attribute, child, childrenNamed, flag, items, type XmlNode } from './wire.js';

/** Quantity 0 means offered, not taken. */
export function equipmentBooked(segment: XmlNode): readonly XmlNode[] {
  const priced = items(segment, 'PricedEquips', 'PricedEquip');
  return priced.filter((one) => numberOf(child(one, 'Equipment'), 'Quantity') !== 0);
}

/**
 * The stated total; undefined if it leaves out the chosen options, because then no complete total is known, and (with a
 * warning) without a currency.
 */
export function totalBooked(
  segment: XmlNode,
  info: XmlNode | undefined,
  dates: { readonly pickupDate: LocalDateTime; readonly dropoffDate: LocalDateTime } | undefined,
  options: OtaOptions,
  warnings: Warnings,
): Money | undefined {
  const rate = child(segment, 'RentalRate');
  const totalCharge = child(segment, 'TotalCharge') ?? child(rate, 'TotalCharge');
  const currency = currencyOf(totalCharge, rate, options);
  if (currency === undefined) {
    if (attribute(totalCharge, 'EstimatedTotalAmount') ?? attribute(totalCharge, 'RateTotalAmount'))
      warnings.add('amount_rejected', 'the total has no readable currency: left out');
    return undefined;
  }
  const context = amountContext(currency, options.money, warnings);
  if (leavesOut(segment, info, context, options)) return undefined;
  // The booking exists, whatever it costs.
  return optionalAmount(
    () => {
      const charges = readCharges(segment, context, options);
      const optionDays =
        dates && daysOfOptions(charges, { ...dates, days: rentalDaysBetween(dates.pickupDate, dates.dropoffDate) });
      const choice = optionsOf(segment, info, context, options, BOOKED, optionDays);
      const isUndated = !dates && choice.lines.length > 0 && hasUnitPrices(segment, info);
      const undated = isUndated ? 'an option by days that are not stated' : undefined;
      const unknownPart = charges.unknownPart ?? choice.unknownPart ?? undated;
      const stated = [...charges.lines, ...choice.lines];
      const lines = settledLines(totalCharge, stated, charges, currency, options, warnings);
      return totalOf(totalCharge, lines, currency, options, warnings, unknownPart);
    },
    warnings,
    'the total',
  );
}

/** Whether an option has a price by units of time, which depends on the dates. */
function hasUnitPrices(segment: XmlNode, info: XmlNode | undefined): boolean {
  const priced = [...equipmentBooked(segment), ...items(info, 'PricedCoverages', 'PricedCoverage')];
  return priced.some((one) => childrenNamed(child(one, 'Charge'), 'Calculation').some(isOfTime));
}

function leavesOut(segment: XmlNode, info: XmlNode | undefined, context: AmountContext, options: OtaOptions): boolean {
  const countsThem = options.totalFrom === 'estimated' && options.chosenInTotal;
  const stated = (priced: XmlNode) => flag(child(priced, 'Charge'), 'IncludedInEstTotalInd');
  const inRate = (priced: XmlNode) => flag(child(priced, 'Charge'), 'IncludedInRate') === true;
  const unclear = (priced: XmlNode) => !inRate(priced) && stated(priced) === undefined && !countsThem;
  // Paid besides the total, including in the offer.
  const isLocal = (priced: XmlNode) => isForeign(child(priced, 'Charge'), context);
  const equipment = equipmentBooked(segment);
  // Coverages of a reservation may be mere offers, so one outside the total proves nothing.
  const coverages = items(info, 'PricedCoverages', 'PricedCoverage');
  return (
    equipment.some((priced) => unclear(priced) || (!inRate(priced) && !isLocal(priced) && stated(priced) === false)) ||
    coverages.some(unclear)
  );
}
