import { chanceOf } from './random.js';
import type { SimulatedLocation } from './world.js';

type Week = SimulatedLocation['hours'];
type Day = Week[number];

const HOUR = 60;
const MS_PER_MINUTE = 60_000;
const SIESTA_COUNTRIES = new Set('AR CL CO CY ES FR GR IT MA MX PE PT TN UY'.split(' '));

const ALL_DAY: Day = [{ openMinute: 0, closeMinute: 24 * HOUR }];
const from = (openMinute: number, closeMinute: number): Day => [{ openMinute, closeMinute }];
const siesta = (openMinute: number, closeMinute: number): Day => [
  { openMinute, closeMinute: 13 * HOUR },
  { openMinute: 15 * HOUR, closeMinute },
];

/** A week from the hours of its Sunday, weekdays and Saturday. */
const week = (sunday: Day, weekday: Day, saturday: Day): Week => [
  sunday,
  weekday,
  weekday,
  weekday,
  weekday,
  weekday,
  saturday,
];

/**
 * The hours of a location, Sunday first: most large airports never close, small ones and locations in town may close at
 * noon, and those in town mostly close on Sunday. `name` determines the result, so that each brand has its own hours.
 */
export function openingWeek(
  seed: number,
  name: string,
  kind: 'large_airport' | 'airport' | 'town',
  countryCode: string,
): Week {
  const rests = SIESTA_COUNTRIES.has(countryCode) && chanceOf(seed, `siesta ${name}`) < 0.5;
  if (kind === 'large_airport') {
    return chanceOf(seed, `hours ${name}`) < 0.7
      ? week(ALL_DAY, ALL_DAY, ALL_DAY)
      : sameEveryDay(from(6 * HOUR, 23.5 * HOUR));
  }
  if (kind === 'airport') {
    return rests
      ? week(siesta(9 * HOUR, 20 * HOUR), siesta(8 * HOUR, 21 * HOUR), siesta(8 * HOUR, 20 * HOUR))
      : week(from(8 * HOUR, 21 * HOUR), from(7 * HOUR, 22.5 * HOUR), from(7 * HOUR, 21 * HOUR));
  }
  const sunday = chanceOf(seed, `sunday ${name}`) < 0.7 ? [] : from(9 * HOUR, 13 * HOUR);
  return week(sunday, rests ? siesta(8.5 * HOUR, 19 * HOUR) : from(8 * HOUR, 18 * HOUR), from(8 * HOUR, 13 * HOUR));
}

function sameEveryDay(day: Day): Week {
  return week(day, day, day);
}

/** Whether a location is open at a local time `YYYY-MM-DDTHH:mm:ss`, including the closing minute. */
export function isOpenAt(hours: Week, localDateTime: string): boolean {
  const at = new Date(`${localDateTime}Z`);
  const minute = at.getUTCHours() * HOUR + at.getUTCMinutes();
  return (hours[at.getUTCDay()] ?? []).some(
    ({ openMinute, closeMinute }) => minute >= openMinute && minute <= closeMinute,
  );
}

/** Minutes between two local times, ignoring daylight saving time; NaN if one is not a date. */
export function minutesBetween(start: string, end: string): number {
  return (Date.parse(`${end}Z`) - Date.parse(`${start}Z`)) / MS_PER_MINUTE;
}
