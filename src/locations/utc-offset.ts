import { toLocal } from '../places/zone-clock.js';
import type { LocationView } from '../representations/location-view.js';
import type { WireView } from '../representations/wire-view.js';
import type { foundLocationWire } from './locations.wire.js';
import type { SamePlaceView } from './same-place.js';

const UTC_OFFSET_SINCE_MINOR = 1;

/** A location in a minor version: since v1.1 with `utc_offset` and whether the zone is estimated, since v1.2 with `same_place`. `epochMs` is the time of the request. */
export function foundLocationView(
  location: LocationView,
  minor: number,
  epochMs: number,
  samePlace?: readonly SamePlaceView[],
): WireView<typeof foundLocationWire> {
  const isFirst = minor < UTC_OFFSET_SINCE_MINOR;
  const utc_offset = isFirst ? undefined : utcOffset(location.time_zone, epochMs);
  const time_zone_estimated = isFirst ? undefined : location.time_zone_estimated;
  return { ...location, time_zone_estimated, utc_offset, same_place: samePlace };
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
