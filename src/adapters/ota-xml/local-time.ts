import type { LocalDateTime } from '../../model/locations.js';
import { rowOf } from './table.js';

/**
 * Arithmetic on wall clock text. The text is parsed and written as UTC, so neither the machine's time zone nor daylight
 * saving time affects it (docs/trade.md#local-times).
 */

const DATE_TIME = /^(\d{4}-\d{2}-\d{2})(?:T(\d{2}:\d{2})(?::(\d{2}))?)?/;
const TIME = /^(\d{2}:\d{2})(?::(\d{2}))?/;

/**
 * A supplier's dateTime as a wall clock: fraction and offset are dropped; a date alone means midnight. Undefined if it
 * is neither.
 */
export function wallClock(text: string | undefined): LocalDateTime | undefined {
  const match = text === undefined ? null : DATE_TIME.exec(text);
  if (!match) return undefined;
  const local = `${match[1]}T${match[2] ?? '00:00'}:${match[3] ?? '00'}`;
  // Date.parse reads February 30 as March 2: a date is valid only if it is written back unchanged.
  return localOf(epochOf(local)) === local ? local : undefined;
}

/**
 * The same day at another time: (2026-05-10T09:00:00, "18:00") → 2026-05-10T18:00:00. Undefined if `time` is invalid.
 */
export function atTime(day: LocalDateTime, time: string): LocalDateTime | undefined {
  const match = TIME.exec(time);
  return match ? wallClock(`${day.slice(0, 10)}T${match[1]}:${match[2] ?? '00'}`) : undefined;
}

const SECONDS_BY_UNIT: Readonly<Record<string, number>> = {
  Week: 604_800,
  Day: 86_400,
  Hour: 3_600,
  Minute: 60,
  Second: 1,
};

/** A wall clock moved by `count` units, backwards if it is negative; undefined for an unknown unit and part of a month. */
export function shift(local: LocalDateTime, count: number, unit: string): LocalDateTime | undefined {
  const seconds = rowOf(SECONDS_BY_UNIT, unit);
  if (seconds !== undefined) return localOf(epochOf(local) + count * seconds * 1_000);
  if ((unit !== 'Month' && unit !== 'Year') || !Number.isInteger(count)) return undefined;
  const moved = new Date(epochOf(local));
  moved.setUTCMonth(moved.getUTCMonth() + count * (unit === 'Year' ? 12 : 1));
  return localOf(moved.getTime());
}

/** Started 24-hour days between two wall clocks, at least 1 (how rentals are counted if the supplier doesn't say). */
export function rentalDaysBetween(from: LocalDateTime, to: LocalDateTime): number {
  return Math.max(1, Math.ceil((epochOf(to) - epochOf(from)) / 86_400_000));
}

/** Complete 24-hour days between two wall clocks. */
export function completeDaysBetween(from: LocalDateTime, to: LocalDateTime): number {
  return Math.floor((epochOf(to) - epochOf(from)) / 86_400_000);
}

function epochOf(local: LocalDateTime): number {
  return Date.parse(`${local}Z`);
}

function localOf(epoch: number): LocalDateTime | undefined {
  const date = new Date(epoch);
  const year = date.getUTCFullYear();
  return year >= 0 && year <= 9_999 ? date.toISOString().slice(0, 19) : undefined;
}
