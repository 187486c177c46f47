import { toLocal } from '../../places/zone-clock.js';
import { hashText } from '../random.js';
import type { SimulatedCounter, SimulatedRental } from '../world.js';
import { Problem } from './answers.js';
import type { HoldHandlers } from './handlers.js';

/** What a rateId stands for: one class of car for one rental, paid one way. The price is not part of it: it is made anew each time. */
export interface Rate {
  readonly pickup: SimulatedCounter;
  readonly dropoff: SimulatedCounter;
  /** Wall clock, `YYYY-MM-DDTHH:mm:ss`. */
  readonly pickupDate: string;
  readonly dropoffDate: string;
  readonly classCode: string;
  readonly prepaid: boolean;
}

const RATE_ID = /^(\w+)\.(\w+)\.(\d{14})\.(\d{14})\.([A-Z]{1,2})\.([PD])\.([0-9a-z]+)$/;
const CHECK_SEED = 0x401d;

/** `BOS.BOS.20310506100000.20310509100000.C.P.1x2y3z`: the rate itself and a check that it was issued here. */
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

/** The rate of an id. Throws Problem RATE_EXPIRED for one that was not issued here or whose pickup has passed. */
export function readRateId(rateId: string, { inventory, now }: HoldHandlers): Rate {
  const [, pickupCode = '', dropoffCode = '', from = '', to = '', classCode = '', payment, check] =
    RATE_ID.exec(rateId) ?? [];
  const pickup = inventory.counterByCode(pickupCode);
  const dropoff = inventory.counterByCode(dropoffCode);
  const genuine = check === checkOf(rateId.slice(0, rateId.lastIndexOf('.')));
  if (!pickup || !dropoff || !genuine) throw new Problem('RATE_EXPIRED', 'The rate is not known.');
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
