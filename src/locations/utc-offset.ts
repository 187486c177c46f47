import { toLocal } from '../places/zone-clock.js';
import type { FoundLocation } from './locations.service.js';

const UTC_OFFSET_SINCE_MINOR = 1;

/** A location as JSON text for a minor version: v1.1 appends `utc_offset`, earlier ones show it as it was. `epochMs` is the time of the request. */
export function locationText({ json, timeZone }: FoundLocation, minor: number, epochMs: number): string {
  return minor < UTC_OFFSET_SINCE_MINOR ? json : `${json.slice(0, -1)},"utc_offset":"${utcOffset(timeZone, epochMs)}"}`;
}

/** What a zone's clocks are ahead of UTC at an instant, `±hh:mm`; `+00:00` for UTC. Throws a RangeError for an unknown zone. */
export function utcOffset(timeZone: string, epochMs: number): string {
  const second = Math.floor(epochMs / 1000) * 1000;
  const minutes = Math.round((Date.parse(`${toLocal(second, timeZone)}Z`) - second) / 60_000);
  const clock = new Date(Math.abs(minutes) * 60_000).toISOString().slice(11, 16);
  return `${minutes < 0 ? '-' : '+'}${clock}`;
}
