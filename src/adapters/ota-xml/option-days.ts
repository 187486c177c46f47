import type { LocalDateTime } from '../../model/locations.js';
import { type Charges, chargedDays } from './charge-mapping.js';
import { completeDaysBetween } from './wall-clock.js';

interface Dates {
  readonly pickupDate: LocalDateTime;
  readonly dropoffDate: LocalDateTime;
  /** Started 24-hour periods. */
  readonly days: number;
}

/**
 * The days for which options with a daily price are charged: those that the supplier charges, if they can be a count of the days of the
 * rental (with hours of grace, or calendar days). A week for five days, or six days for seven, is a price of the car.
 */
export function daysOfOptions(charges: Charges, { pickupDate, dropoffDate, days }: Dates): number {
  const charged = chargedDays(charges, days) ?? days;
  return charged >= completeDaysBetween(pickupDate, dropoffDate) && charged <= days + 1 ? charged : days;
}
