import { toLocal } from '../../places/zone-clock.js';
import { isOpenAt } from '../opening-hours.js';
import type { SimulatedRental } from '../world.js';
import type { AbgFailure } from './answers.js';

const DATE = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{3}Z?)?$/;
const DAY_MS = 86_400_000;
const MOST_DAYS = 330;

/** The age that ABG assumes if a request has none. */
export const USUAL_AGE = 30;

/** 404 223: ABG's answer if a location has no car left. */
export const SOLD_OUT: AbgFailure = {
  status: 404,
  code: '223',
  reason: 'Invalid pickup_location.',
  details: 'Sold out at the pick-up location for the dates.',
};

/** Whether a text is a date and time for ABG, which reads only the first 19 characters. */
export function isDate(value: string): boolean {
  return DATE.test(value) && !Number.isNaN(Date.parse(`${value.slice(0, 19)}Z`));
}

/**
 * The error in the dates, if any. Times are local; `now` (epoch ms) is converted to the time zone of the pickup
 * location.
 */
export function impossibleDates(
  { pickup, pickupDate, dropoffDate }: SimulatedRental,
  now: number,
): AbgFailure | undefined {
  if (pickupDate < toLocal(now, pickup.timeZone)) {
    return {
      status: 400,
      code: '231',
      reason: 'Invalid pickup_date.',
      details: 'The pick-up lies before the current time.',
    };
  }
  if (dropoffDate <= pickupDate) {
    return {
      status: 400,
      code: '232',
      reason: 'Invalid dropoff_date.',
      details: 'The return is prior to, or the same as, the pick-up.',
    };
  }
  if (Date.parse(`${dropoffDate}Z`) - Date.parse(`${pickupDate}Z`) > MOST_DAYS * DAY_MS) {
    return {
      status: 400,
      code: '221',
      reason: 'Invalid dropoff_date.',
      details: `Maximum of ${MOST_DAYS} days exceeded.`,
    };
  }
  return undefined;
}

/** 203 (pickup) or 205 (dropoff). */
export function unknownPlace(end: 'pickup' | 'dropoff'): AbgFailure {
  const code = end === 'pickup' ? '203' : '205';
  return {
    status: 400,
    code,
    reason: `Invalid ${end}_location.`,
    details: `No location of the brand has this ${end} code.`,
  };
}

/**
 * The reason for having no cars: the inventory does not say, but ABG has a code for each. `otherwise` if it is neither
 * closed nor the one-way rental.
 */
export function whyNoCars(
  { pickup, dropoff, pickupDate, dropoffDate }: SimulatedRental,
  otherwise: AbgFailure,
): AbgFailure {
  if (!isOpenAt(pickup.hours, pickupDate)) {
    const reason = 'The Rental Location you have selected is closed during the hours requested';
    return { status: 400, code: '242', reason, details: reason };
  }
  if (!dropoff.afterHoursReturn && !isOpenAt(dropoff.hours, dropoffDate)) {
    return {
      status: 400,
      code: '14261',
      reason: 'Invalid dropoff_date.',
      details: 'The location is closed at the return hour.',
    };
  }
  if (pickup.code === dropoff.code) return otherwise;
  return {
    status: 404,
    code: '14381',
    reason: 'A One-Way Rental between given pickup_location and dropoff_location is not available',
    details: 'No one-way rental between these locations.',
  };
}
