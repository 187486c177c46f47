import { z } from 'zod';
import { STATES } from '../../reservations/states.js';
import { filterText } from '../shell/filters.js';
import type { ReservationCursor, ReservationFilter } from './own-reservations.js';

/** The filters as entered. Invalid values are ignored, so the page is always shown. */
export const reservationQuery = z.object({
  state: filterText,
  supplier: filterText,
  application: filterText,
  reference: filterText,
  age: filterText,
  before: filterText,
});

export type ReservationQuery = z.infer<typeof reservationQuery>;

/** States whose outcome is still to come. */
const OPEN = [
  'pending',
  'unknown',
  'manual_review',
  'on_request',
  'modify_pending',
  'cancel_pending',
  'cancel_unknown',
];

const HOUR_MS = 3_600_000;
/** Ages of reservations: how long ago they were made, at most or (`over`) at least. */
export const AGES = {
  hour: { name: 'last hour', ms: HOUR_MS, isOver: false },
  day: { name: 'last 24 hours', ms: 24 * HOUR_MS, isOver: false },
  week: { name: 'last 7 days', ms: 168 * HOUR_MS, isOver: false },
  over_hour: { name: 'over an hour ago', ms: HOUR_MS, isOver: true },
  over_day: { name: 'over a day ago', ms: 24 * HOUR_MS, isOver: true },
} as const;

/** The filter for the list. `now`: epoch milliseconds. */
export function reservationFilter(
  { state, supplier, reference, age }: ReservationQuery,
  now: number,
): ReservationFilter {
  const chosen = age !== undefined && Object.hasOwn(AGES, age) ? AGES[age as keyof typeof AGES] : undefined;
  return {
    states: statesOf(state),
    supplier,
    reference,
    ...(chosen === undefined ? {} : chosen.isOver ? { before: now - chosen.ms } : { from: now - chosen.ms }),
  };
}

function statesOf(state: string | undefined): readonly string[] | undefined {
  if (state === 'open') return OPEN;
  return STATES.some((one) => one === state) ? STATES.filter((one) => one === state) : undefined;
}

/** The cursor of the next page in its URL: `<epoch ms>.<id>`. */
export function cursorText({ at, id }: ReservationCursor): string {
  return `${Math.round(at)}.${id}`;
}

/** Undefined: start with the newest. */
export function cursorOf(before: string | undefined): ReservationCursor | undefined {
  const [, at, id] = /^(\d{1,15})\.(res_\w{1,60})$/.exec(before ?? '') ?? [];
  return at === undefined || id === undefined ? undefined : { at: Number(at), id };
}
