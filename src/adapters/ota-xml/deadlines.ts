import type { LocalDateTime } from '../../model/locations.js';
import type { MoneyForm } from '../../model/money.js';
import { earliestClock, earliestMoved } from '../places/earliest-clock.js';
import { atTime, shift, wallClock } from './local-time.js';
import { numberOf } from './numbers.js';
import { attribute, child, textOf, type XmlNode } from './wire.js';

/** The pickup, which deadlines count from. */
export interface PickupClock {
  readonly date: LocalDateTime;
  /** Where the place of pickup may be. */
  readonly zones: () => readonly string[];
}

/** Units that last as long on each day. */
const EXACT: ReadonlySet<string> = new Set(['Hour', 'Minute', 'Second']);

const WITH_OFFSET = /\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(Z|[+-]\d{2}:?\d{2})$/;

/**
 * The wall clock of an OTA DeadlineGroup: an absolute date, a time on the day of pickup, or units before or after the
 * arrival, which is the pickup, counted by a number in the notation of the supplier's amounts. An absolute one with an offset is
 * `earliestClock`, one in hours `earliestMoved`. Without OffsetDropTime, units count as `usual`. Undefined if there is none, it can't be read or it counts from
 * the booking.
 */
export function deadlineOf(
  node: XmlNode | undefined,
  pickup: PickupClock,
  form: MoneyForm | undefined,
  usual: 'BeforeArrival' | 'AfterArrival' = 'BeforeArrival',
): LocalDateTime | undefined {
  const absolute = attribute(node, 'AbsoluteDeadline');
  if (absolute !== undefined) {
    const clock = wallClock(absolute) ?? atTime(pickup.date, absolute);
    const offset = WITH_OFFSET.exec(absolute)?.[1];
    return clock === undefined || offset === undefined ? clock : earliestClock(clock, offset, pickup.zones());
  }
  const count = numberOf(node, 'OffsetUnitMultiplier', form);
  const unit = attribute(node, 'OffsetTimeUnit');
  const drop = attribute(node, 'OffsetDropTime') ?? usual;
  if (count === undefined || unit === undefined) return undefined;
  if (drop !== 'BeforeArrival' && drop !== 'AfterArrival') return undefined;
  const clock = shift(pickup.date, drop === 'BeforeArrival' ? -count : count, unit);
  return clock !== undefined && EXACT.has(unit) ? earliestMoved(pickup.date, clock, pickup.zones()) : clock;
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
