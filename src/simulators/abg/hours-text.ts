import type { SimulatedLocation } from '../world.js';

/** Sunday first, as in ABG's answers. */
export const DAY_NAMES = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'] as const;

type Day = SimulatedLocation['hours'][number];

/**
 * Hours as a person would type them: "Sun - Mon 8:00 AM - 11:00 PM; Tue - Sat open 24 hrs". Closed days are left out.
 */
export function hoursText(hours: SimulatedLocation['hours']): string {
  const parts: string[] = [];
  let first = 0;
  while (first < DAY_NAMES.length) {
    const words = dayText(hours[first] ?? []);
    let last = first;
    while (last + 1 < DAY_NAMES.length && dayText(hours[last + 1] ?? []) === words) last += 1;
    if (words !== '') parts.push(`${DAY_NAMES[first]}${last > first ? ` - ${DAY_NAMES[last]}` : ''} ${words}`);
    first = last + 1;
  }
  return parts.join('; ');
}

function dayText(day: Day): string {
  return day
    .map(({ openMinute, closeMinute }) =>
      closeMinute - openMinute === 1_440 ? 'open 24 hrs' : `${clock(openMinute)} - ${clock(closeMinute)}`,
    )
    .join(' and ');
}

/** 0 and 1440 → "12:00 AM", 510 → "8:30 AM". */
function clock(minute: number): string {
  const hour = Math.floor(minute / 60) % 24;
  return `${hour % 12 === 0 ? 12 : hour % 12}:${String(minute % 60).padStart(2, '0')} ${hour < 12 ? 'AM' : 'PM'}`;
}

/** The time of a slot without leading zeros: 480 → "800", 1440 → "2400", 0 → "0". */
export function slotTime(minute: number): string {
  return String(Math.floor(minute / 60) * 100 + (minute % 60));
}
