import type { LocalDateTime } from '../../model/locations.js';
import type { MoneyForm } from '../../model/money.js';
import { numberOf } from './numbers.js';
import { atTime, shift, wallClock } from './wall-clock.js';
import { attribute, child, textOf, type XmlNode } from './wire.js';

/**
 * The wall clock of an OTA DeadlineGroup: an absolute date, a time on the day of pickup, or units before or after the
 * arrival, which is the pickup, counted by a number in the notation of the supplier's amounts. Undefined if there is none, it
 * can't be read or it counts from the booking.
 */
export function deadlineOf(
  node: XmlNode | undefined,
  pickupDate: LocalDateTime,
  form: MoneyForm | undefined,
): LocalDateTime | undefined {
  const absolute = attribute(node, 'AbsoluteDeadline');
  if (absolute !== undefined) return wallClock(absolute) ?? atTime(pickupDate, absolute);
  const count = numberOf(node, 'OffsetUnitMultiplier', form);
  const unit = attribute(node, 'OffsetTimeUnit');
  const drop = attribute(node, 'OffsetDropTime') ?? 'BeforeArrival';
  if (count === undefined || unit === undefined) return undefined;
  if (drop === 'BeforeArrival') return shift(pickupDate, -count, unit);
  return drop === 'AfterArrival' ? shift(pickupDate, count, unit) : undefined;
}

/** The text of a deadline that has no wall clock; undefined if there is no deadline. */
export function undatedText(node: XmlNode): string | undefined {
  const count = attribute(node, 'OffsetUnitMultiplier');
  const unit = attribute(node, 'OffsetTimeUnit');
  const deadline = attribute(node, 'AbsoluteDeadline') ?? textOf(child(node, 'Description'));
  return count !== undefined && unit !== undefined
    ? `${count} ${unit} ${attribute(node, 'OffsetDropTime') ?? ''}`.trim()
    : deadline;
}
