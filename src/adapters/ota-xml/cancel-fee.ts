import type { BookingKey, CancelResult } from '../../model/bookings.js';
import { isCurrency, optionalAmount } from '../../model/money.js';
import { oneWarning, Warnings } from '../../model/warnings.js';
import { toLocal } from '../../places/zone-clock.js';
import { zonesOf } from '../../places/zone-of.js';
import { amountIn, notNegative } from './amounts.js';
import { wallClock } from './local-time.js';
import type { OtaOptions } from './options.js';
import { attribute, child, items, type XmlNode } from './wire.js';

/** When a booking was cancelled, and where its pickup is. */
export interface CancelledAt {
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly pickup: BookingKey['pickup'];
}

/**
 * What a cancellation cost: the amount of the CancelRule if there is exactly one. With several, it is unknown which one was applied, and a rule whose
 * CancelByDate hasn't passed restates the terms: OpenTravel defines it as the amount due according to the time of the cancellation. Left out with a
 * warning, as is an amount that can't be read, without a currency, paid back, or only a percentage.
 */
export function feeOf(
  core: XmlNode | undefined,
  reservation: XmlNode | undefined,
  options: OtaOptions,
  at: CancelledAt,
): Pick<CancelResult, 'fee' | 'warnings'> {
  const rules = items(core, 'CancelRules', 'CancelRule');
  const [rule] = rules;
  const total = child(child(reservation, 'VehSegmentCore'), 'TotalCharge');
  const currency = (
    attribute(rule, 'CurrencyCode') ??
    attribute(total, 'CurrencyCode') ??
    options.currency
  )?.toUpperCase();
  const hasAmount = rules.some((one) => attribute(one, 'Amount') !== undefined);
  if (!hasAmount && rules.every((one) => Number(attribute(one, 'Percent') ?? 0) === 0)) return {};
  const leftOut = (problem: string) => ({ warnings: oneWarning('amount_rejected', `the fee ${problem}: left out`) });
  if (rules.length !== 1) return leftOut('is stated by several rules');
  if (!hasAmount) return leftOut('is stated as a percentage');
  if (attribute(rule, 'Type') === 'Refund') return leftOut('is stated as a refund');
  const by = attribute(rule, 'CancelByDate');
  if (by !== undefined && !hasPassed(by, at)) return leftOut('may be that of a later cancellation');
  if (currency === undefined || !isCurrency(currency)) return leftOut('has no readable currency');
  // The booking is cancelled, whatever that cost.
  const warnings = new Warnings();
  const fee = optionalAmount(
    () => notNegative(amountIn(currency, rule, 'Amount', options.money), 'the fee'),
    warnings,
    'the fee',
  );
  return fee ? { fee } : { warnings: warnings.list };
}

/** Whether a date has passed by every clock that the pickup may have, a date alone at its end, and one with an offset also as an instant. */
function hasPassed(date: string, { now, pickup }: CancelledAt): boolean {
  const clock = wallClock(date);
  if (clock === undefined) return false;
  const end = date.includes('T') ? clock : clock.replace(/T.*/, 'T23:59:59');
  if (/(Z|[+-]\d{2}:\d{2})$/.test(date) && !(Date.parse(date) <= now)) return false;
  const { iataCode, countryCode } = pickup;
  return zonesOf({ address: { countryCode }, iataCode }).every((zone) => toLocal(now, zone) >= end);
}
