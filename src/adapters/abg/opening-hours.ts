import type { OpeningHours, SpecialHours, Weekday } from '../../model/locations.js';
import { group, list, text } from './wire.js';

const DAYS: readonly Weekday[] = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const DAY_MINUTES = 1440;

interface Slot {
  readonly open: number;
  readonly close: number;
}

/**
 * The weekly hours of a location, Sunday first: from `hours_of_operation`, or from the free text `hours` if that is
 * unreadable. Empty if neither is readable, which means unknown. A slot past midnight becomes two rows.
 */
export function mapOpeningHours(hoursOfOperation: unknown, hoursText: unknown): readonly OpeningHours[] {
  const structured = structuredHours(hoursOfOperation);
  return structured.length > 0 ? structured : rememberedHours(text(hoursText) ?? '');
}

/** Far longer than the hours of any week. A longer text is unreadable. */
const LONGEST_TEXT = 1_000;

/** A week has 14 rows or fewer; checkLocation refuses a location with more than this. */
const MOST_ROWS = 100;

/** There are few distinct texts and they repeat in every availability answer, so each is parsed once. */
const remembered = new Map<string, readonly OpeningHours[]>();
/** What all remembered texts have together, in rows. */
let rowsRemembered = 0;
const MOST_REMEMBERED = 50_000;
/** A text takes as much memory as so many rows. */
const ROWS_OF_TEXT = 10;

function rememberedHours(hours: string): readonly OpeningHours[] {
  if (hours.length > LONGEST_TEXT) return [];
  const known = remembered.get(hours);
  if (known) return known;
  const parsed = hoursFromText(hours);
  rowsRemembered += parsed.length + ROWS_OF_TEXT;
  if (rowsRemembered > MOST_REMEMBERED) {
    remembered.clear();
    rowsRemembered = parsed.length + ROWS_OF_TEXT;
  }
  remembered.set(hours, parsed);
  return parsed;
}

function structuredHours(value: unknown): readonly OpeningHours[] {
  const week = new Week();
  for (const entry of list(value)) {
    const row = group(entry);
    const day = dayIndex(text(row.day) ?? '');
    if (day === -1) continue;
    for (const slot of slotsOf(row)) week.add(day, slot);
  }
  return week.rows();
}

/**
 * Named or dated days of `holiday_hours`; usually only the name. No slots if every time is "0". Dates only in ISO
 * format.
 */
export function mapSpecialHours(value: unknown): readonly SpecialHours[] {
  const days: SpecialHours[] = [];
  for (const entry of list(value)) {
    const row = group(entry);
    const name = text(row.description);
    const from = isoDate(row.start_date);
    const to = isoDate(row.end_date);
    if (name === undefined && from === undefined) continue;
    const slots = slotsOf(row).map((slot) => ({ open: clock(slot.open), close: clock(slot.close) }));
    days.push({
      ...(name !== undefined && { name }),
      ...(from !== undefined && { from }),
      ...(to !== undefined && { to }),
      slots,
    });
  }
  return days;
}

function isoDate(value: unknown): string | undefined {
  const read = text(value)?.slice(0, 10);
  return read !== undefined && /^\d{4}-\d{2}-\d{2}$/.test(read) ? read : undefined;
}

function slotsOf(row: Readonly<Record<string, unknown>>): readonly Slot[] {
  const slots: Slot[] = [];
  for (const which of ['first', 'second']) {
    const open = militaryMinutes(row[`${which}_slot_open_time`]);
    const close = militaryMinutes(row[`${which}_slot_close_time`]);
    // "0" with "0", or with nothing, is not a slot; next to a nonzero time it means midnight.
    if (open + close > 0) slots.push({ open, close: close === 0 ? DAY_MINUTES : close });
  }
  return slots;
}

/** "800" → 480, "2300" → 1380, "24:00" → 1440; 0 for "0" and for missing or invalid values. */
function militaryMinutes(value: unknown): number {
  const digits = (text(value) ?? '').replace(':', '');
  if (!/^\d{1,4}$/.test(digits)) return 0;
  const number = Number(digits);
  const minutes = Math.floor(number / 100) * 60 + (number % 100);
  return number % 100 < 60 && minutes <= DAY_MINUTES ? minutes : 0;
}

// Blanks are collapsed first: with repeated optional blanks, a hostile text would take cubic time.
const SEGMENT = /^([a-z]{3})[a-z]*(?: ?- ?([a-z]{3})[a-z]*)? ?:? (.+)$/;
const SLOT = /^(\d{1,2}):(\d{2}) ?([ap]m)? ?- ?(\d{1,2}):(\d{2}) ?([ap]m)?$/;

/**
 * Free text in ABG's formats: "Sun - Mon 8:00 AM - 11:00 PM; Tue …", "Sun - Sat open 24 hrs", "Sun-Sat 0:00 AM - 12:00
 * AM and …". If one segment is unreadable, or they say more than 100 slots, the complete text is ignored: a missing day would look
 * like a closed one.
 */
export function hoursFromText(hours: string): readonly OpeningHours[] {
  const week = new Week();
  for (const part of hours.toLowerCase().replaceAll(/\s+/g, ' ').split(';')) {
    const segment = part.trim();
    if (segment === '') continue;
    const match = SEGMENT.exec(segment);
    const first = dayIndex(match?.[1] ?? '');
    const last = match?.[2] === undefined ? first : dayIndex(match[2]);
    const slots = slotsFromText(match?.[3] ?? '');
    if (first === -1 || last === -1 || !slots) return [];
    for (let day = first; ; day = (day + 1) % 7) {
      for (const slot of slots) week.add(day, slot);
      if (week.count > MOST_ROWS) return [];
      if (day === last) break;
    }
  }
  return week.rows();
}

/** Undefined if a part is unreadable; empty for "closed". */
function slotsFromText(words: string): readonly Slot[] | undefined {
  if (words === 'closed') return [];
  if (/^(?:open )?24 ?(?:hrs|hours)\.?$/.test(words)) return [{ open: 0, close: DAY_MINUTES }];
  const slots: Slot[] = [];
  for (const part of words.split(/ and | ?, ?/)) {
    const match = SLOT.exec(part.trim());
    if (!match) return undefined;
    const open = twelveHourMinutes(match[1], match[2], match[3]);
    const close = twelveHourMinutes(match[4], match[5], match[6]);
    if (open > DAY_MINUTES || close > DAY_MINUTES) return undefined;
    slots.push({ open, close: close === 0 ? DAY_MINUTES : close });
  }
  return slots;
}

/** Minutes from midnight; "0:00 AM" and "12:00 AM" are both midnight. Without AM or PM the hour is used as it is. */
function twelveHourMinutes(
  hourText: string | undefined,
  minuteText: string | undefined,
  half: string | undefined,
): number {
  const hour = Number(hourText);
  const base = half === undefined ? hour : (hour % 12) + (half === 'pm' ? 12 : 0);
  return base * 60 + Number(minuteText);
}

function dayIndex(name: string): number {
  return DAYS.indexOf(name.slice(0, 3).toLowerCase() as Weekday);
}

function clock(minutes: number): string {
  return `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;
}

/** Collects the slots of each weekday, drops those inside another, and splits slots that run past midnight. */
class Week {
  private readonly slots: Slot[][] = DAYS.map(() => []);

  /** The number of slots of all days. */
  get count(): number {
    return this.slots.reduce((sum, { length }) => sum + length, 0);
  }

  add(day: number, slot: Slot): void {
    if (slot.close > slot.open) {
      this.put(day, slot);
    } else {
      this.put(day, { open: slot.open, close: DAY_MINUTES });
      this.put((day + 1) % 7, { open: 0, close: slot.close });
    }
  }

  rows(): readonly OpeningHours[] {
    return this.slots.flatMap((slots, index) => {
      const day = DAYS[index];
      if (day === undefined) return [];
      const widest = slots.filter(
        (slot) => !slots.some((other) => other !== slot && other.open <= slot.open && other.close >= slot.close),
      );
      return widest
        .sort((a, b) => a.open - b.open)
        .map((slot) => ({ day, open: clock(slot.open), close: clock(slot.close) }));
    });
  }

  private put(day: number, slot: Slot): void {
    const slots = this.slots[day];
    if (slots && !slots.some((known) => known.open === slot.open && known.close === slot.close)) slots.push(slot);
  }
}
