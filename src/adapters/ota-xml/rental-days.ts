import type { LocalDateTime } from '../../model/locations.js';
import { completeDaysBetween } from './local-time.js';

/** Days of the Calculation of a rental charge. */
export interface StatedDays {
  readonly days: number;
  /** Whether they may be the unit of a price, because the charge is more or less than one. */
  readonly isOfPrice: boolean;
}

/** Those of all rental charges of an offer, in order. */
interface RentalCharges {
  readonly days: readonly StatedDays[];
}

interface Dates {
  readonly pickupDate: LocalDateTime;
  readonly dropoffDate: LocalDateTime;
  /** Started 24-hour periods. */
  readonly days: number;
}

/**
 * The rental days that the charges state: their sum, or those of the first charge if the sum exceeds the dates (then
 * several charges describe the same days). Undefined if no charge states days, or only one, as the unit of a price that doesn't cover the dates.
 */
export function chargedDays(
  { days }: RentalCharges,
  { pickupDate, dropoffDate, days: dates }: Dates,
): number | undefined {
  const [first, ...others] = days;
  const isPrice = first?.isOfPrice === true && first.days < completeDaysBetween(pickupDate, dropoffDate);
  if (!first || (isPrice && others.length === 0)) return undefined;
  const sum = days.reduce((total, one) => total + one.days, 0);
  return sum > dates ? first.days : sum;
}

/** For how many days options are charged. */
export interface OptionDays {
  /** With a daily price. */
  readonly days: number;
  /** The fewest days that may be all of the rental. */
  readonly least: number;
}

/**
 * The days for which options with a daily price are charged: those that the supplier charges, if they can be a count of the days of the
 * rental (with hours of grace, or calendar days). A week for five days, or six days for seven, is a price of the car.
 */
export function daysOfOptions(charges: RentalCharges, dates: Dates): OptionDays {
  const { pickupDate, dropoffDate, days } = dates;
  const complete = completeDaysBetween(pickupDate, dropoffDate);
  const charged = chargedDays(charges, dates);
  if (charged === undefined || charged > days + 1) return { days, least: complete };
  return { days: charged >= complete ? charged : days, least: Math.min(charged, days) };
}
