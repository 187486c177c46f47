import { MOST_ITEMS } from '../../model/limits.js';
import type { OpeningHours, SpecialHours, Weekday } from '../../model/locations.js';
import { attribute, childrenNamed, flag, items, type XmlNode } from './wire.js';

const DAYS = [
  ['Mon', 'mon'],
  ['Tue', 'tue'],
  ['Weds', 'wed'],
  ['Wed', 'wed'],
  ['Thur', 'thu'],
  ['Thu', 'thu'],
  ['Fri', 'fri'],
  ['Sat', 'sat'],
  ['Sun', 'sun'],
] as const satisfies readonly (readonly [string, Weekday])[];

const WEEK: readonly Weekday[] = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];

interface Slot {
  readonly open: string;
  readonly close: string;
}

/**
 * Maximum days that a dated schedule may span to count as an exception; a longer one is a season and becomes the
 * regular week.
 */
const SPECIAL_DAYS = 180;

/**
 * Weekly hours of an OperationSchedules element, Monday first, with several rows per day in the supplier's order. Empty
 * means unknown.
 */
export function weeklyHoursOf(schedules: XmlNode | undefined): OpeningHours[] {
  const rows: OpeningHours[] = [];
  for (const schedule of schedulesIn(schedules)) {
    if (isSpecial(schedule)) continue;
    for (const time of timesOf(schedule)) {
      const slot = slotOf(time);
      if (slot) for (const day of daysOf(time)) rows.push(...rowsOf(day, slot));
    }
  }
  return rows.sort((one, other) => WEEK.indexOf(one.day) - WEEK.indexOf(other.day));
}

/** Dated schedules (holidays, short seasons) in the supplier's order; no slots means closed. */
export function specialHoursOf(schedules: XmlNode | undefined): SpecialHours[] {
  return schedulesIn(schedules)
    .filter(isSpecial)
    .map((schedule) => ({
      name: attribute(schedule, 'Name') ?? attribute(schedule, 'Text'),
      from: attribute(schedule, 'Start')?.slice(0, 10),
      to: (attribute(schedule, 'End') ?? attribute(schedule, 'Start'))?.slice(0, 10),
      slots: timesOf(schedule).flatMap((time) => slotOf(time) ?? []),
    }));
}

/** Days with hours of their own make them many. */
export function schedulesIn(schedules: XmlNode | undefined): readonly XmlNode[] {
  return childrenNamed(schedules, 'OperationSchedule', MOST_ITEMS);
}

/** The OperationTimes of a schedule: as many, if a supplier states each day of a year. */
export function timesIn(schedule: XmlNode): readonly XmlNode[] {
  return items(schedule, 'OperationTimes', 'OperationTime', MOST_ITEMS);
}

/** The OperationTimes of a schedule; without any, the schedule itself if it has times of day instead of dates. */
function timesOf(schedule: XmlNode): readonly XmlNode[] {
  const times = timesIn(schedule);
  return times.length === 0 && /^\d{2}:/.test(attribute(schedule, 'Start') ?? '') ? [schedule] : times;
}

function isSpecial(schedule: XmlNode): boolean {
  const from = Date.parse(attribute(schedule, 'Start')?.slice(0, 10) ?? '');
  const to = Date.parse((attribute(schedule, 'End') ?? attribute(schedule, 'Start'))?.slice(0, 10) ?? '');
  return to - from < SPECIAL_DAYS * 86_400_000;
}

/** The days an OperationTime applies to; without any flag, every day. */
function daysOf(time: XmlNode): Weekday[] {
  const flagged = DAYS.filter(([name]) => flag(time, name) === true).map(([, day]) => day);
  if (flagged.length > 0) return [...new Set(flagged)];
  return DAYS.some(([name]) => flag(time, name) === false) ? [] : [...WEEK];
}

/**
 * Open and close as HH:mm; a close of 23:59 or 00:00 means the end of the day. Undefined if a time is missing.
 */
function slotOf(time: XmlNode): Slot | undefined {
  const open = clock(attribute(time, 'Start'));
  const close = clock(attribute(time, 'End'));
  if (open === undefined || close === undefined) return undefined;
  return { open, close: close === '00:00' || close === '23:59' ? '24:00' : close };
}

function clock(text: string | undefined): string | undefined {
  const match = text === undefined ? null : /(?:^|T)([01]\d|2[0-4]):([0-5]\d)/.exec(text);
  return match ? `${match[1]}:${match[2]}` : undefined;
}

/** A slot past midnight becomes two rows because a row of the model ends on its own day. */
function rowsOf(day: Weekday, slot: Slot): OpeningHours[] {
  if (slot.open < slot.close) return [{ day, ...slot }];
  if (slot.open === slot.close) return [];
  const next = WEEK[(WEEK.indexOf(day) + 1) % 7] ?? day;
  return [
    { day, open: slot.open, close: '24:00' },
    { day: next, open: '00:00', close: slot.close },
  ];
}
