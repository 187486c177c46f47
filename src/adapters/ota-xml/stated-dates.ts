import type { LocalDateTime } from '../../model/locations.js';
import type { VehicleSearch } from '../../model/offers.js';
import type { Warnings } from '../../model/warnings.js';
import { rentalDaysBetween, wallClock } from './local-time.js';
import { attribute, type XmlNode } from './wire.js';

/** The dates that were priced: those of the answer or, where it states none, of the request. */
export interface StatedDates {
  readonly pickupDate: LocalDateTime;
  readonly dropoffDate: LocalDateTime;
  /** Whether the answer states both dates. */
  readonly statesDates: boolean;
  /** Started 24-hour periods between the dates. */
  readonly days: number;
}

/** The dates of a VehRentalCore, without their offsets; gives a warning if one isn't the requested one. */
export function statedDates(
  rental: XmlNode | undefined,
  requested: Pick<VehicleSearch, 'pickupDate' | 'dropoffDate'>,
  warnings: Warnings,
): StatedDates {
  const pickup = wallClock(attribute(rental, 'PickUpDateTime'));
  const dropoff = wallClock(attribute(rental, 'ReturnDateTime'));
  const dateOf = (name: string, stated: LocalDateTime | undefined, asked: LocalDateTime): LocalDateTime => {
    if (stated === undefined || stated === asked) return asked;
    warnings.add('contradiction', `${name} ${stated} returned instead of ${asked}`);
    return stated;
  };
  const pickupDate = dateOf('PickUpDateTime', pickup, requested.pickupDate);
  const dropoffDate = dateOf('ReturnDateTime', dropoff, requested.dropoffDate);
  return {
    pickupDate,
    dropoffDate,
    statesDates: pickup !== undefined && dropoff !== undefined,
    days: rentalDaysBetween(pickupDate, dropoffDate),
  };
}
