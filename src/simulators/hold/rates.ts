import { toLocal } from '../../places/zone-clock.js';
import { hashText } from '../random.js';
import type { SimulatedLocation, SimulatedRental } from '../world.js';
import { Problem } from './answers.js';
import type { HoldContext } from './context.js';

/**
 * The contents of a rateId: a car class for a rental with a payment type. It has no price, which is computed each time.
 */
export interface Rate {
  readonly pickup: SimulatedLocation;
  readonly dropoff: SimulatedLocation;
  /** Local time, `YYYY-MM-DDTHH:mm:ss`. */
  readonly pickupDate: string;
  readonly dropoffDate: string;
  readonly classCode: string;
  readonly prepaid: boolean;
}

const RATE_ID = /^(\w+)\.(\w+)\.(\d{14})\.(\d{14})\.([A-Z]{1,2})\.([PD])\.([0-9a-z]+)$/;
const CHECK_SEED = 0x401d;

/** `BOS.BOS.20310506100000.20310509100000.C.P.1x2y3z`: the rate and a checksum to recognize ids issued here. */
export function rateIdOf(
  rental: Pick<SimulatedRental, 'pickup' | 'dropoff' | 'pickupDate' | 'dropoffDate'>,
  classCode: string,
  prepaid: boolean,
): string {
  const digits = (local: string) => local.replace(/\D/g, '');
  const { pickup, dropoff } = rental;
  const parts = [
    pickup.code,
    dropoff.code,
    digits(rental.pickupDate),
    digits(rental.dropoffDate),
    classCode,
    prepaid ? 'P' : 'D',
  ];
  const rate = parts.join('.');
  return `${rate}.${checkOf(rate)}`;
}

/** The rate of an id. Throws Problem RATE_EXPIRED if it was not issued here or the pickup has passed. */
export function readRateId(rateId: string, { inventory, now }: HoldContext): Rate {
  const [, pickupCode = '', dropoffCode = '', from = '', to = '', classCode = '', payment, check] =
    RATE_ID.exec(rateId) ?? [];
  const pickup = inventory.locationByCode(pickupCode);
  const dropoff = inventory.locationByCode(dropoffCode);
  const genuine = check === checkOf(rateId.slice(0, rateId.lastIndexOf('.')));
  if (!pickup || !dropoff || !genuine) throw new Problem('RATE_EXPIRED', 'Unknown rate.');
  const pickupDate = localOf(from);
  if (pickupDate < toLocal(now(), pickup.timeZone)) throw new Problem('RATE_EXPIRED', 'The pickup has passed.');
  return { pickup, dropoff, pickupDate, dropoffDate: localOf(to), classCode, prepaid: payment === 'P' };
}

function localOf(digits: string): string {
  return digits.replace(/^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)$/, '$1-$2-$3T$4:$5:$6');
}

function checkOf(rate: string): string {
  return hashText(CHECK_SEED, rate).toString(36);
}
