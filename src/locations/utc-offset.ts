import { toLocal } from '../places/zone-clock.js';
import type { LocationView } from '../representations/location-view.js';
import type { WireView } from '../representations/wire-view.js';
import type { foundLocationWire } from './locations.wire.js';
import type { SamePlaceView } from './same-place.js';

const UTC_OFFSET_SINCE_MINOR = 1;

/** A location in a minor version: since v1.1 with `utc_offset`, since v1.2 with `same_place`. `epochMs` is the time of the request. */
export function foundLocationView(
  location: LocationView,
  minor: number,
  epochMs: number,
  samePlace?: readonly SamePlaceView[],
): WireView<typeof foundLocationWire> {
  const utc_offset = minor < UTC_OFFSET_SINCE_MINOR ? undefined : utcOffset(location.time_zone, epochMs);
  return { ...location, utc_offset, same_place: samePlace };
}

/**
 * The UTC offset of a time zone at an instant, `±hh:mm`; `+00:00` for UTC. Throws RangeError for an unknown time zone.
 */
export function utcOffset(timeZone: string, epochMs: number): string {
  const second = Math.floor(epochMs / 1000) * 1000;
  const minutes = Math.round((Date.parse(`${toLocal(second, timeZone)}Z`) - second) / 60_000);
  const clock = new Date(Math.abs(minutes) * 60_000).toISOString().slice(11, 16);
  return `${minutes < 0 ? '-' : '+'}${clock}`;
}
