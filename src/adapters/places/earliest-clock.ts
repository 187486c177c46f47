import type { LocalDateTime, SupplierLocation } from '../../model/locations.js';
import { toLocal, toUtc } from '../../places/zone-clock.js';
import { zonesOf } from '../../places/zone-of.js';

const EARLIEST_MS = Date.UTC(2000, 0, 1);
const LATEST_MS = Date.UTC(2200, 0, 1);

/** An instant, unless it isn't one of these two centuries. */
export function inRange(epochMs: number): number | undefined {
  return epochMs >= EARLIEST_MS && epochMs < LATEST_MS ? epochMs : undefined;
}

/**
 * A deadline that a supplier wrote with an offset: an instant to some suppliers, and to others a wall clock with a meaningless
 * offset. It must not be read as a later one, so it is the earlier of both, the instant by the earliest clock of the `zones` where
 * the place may be. Undefined without such an instant.
 */
export function earliestClock(
  clock: LocalDateTime,
  offset: string,
  zones: readonly string[],
): LocalDateTime | undefined {
  const epochMs = inRange(Date.parse(`${clock}${offset.replace(/(\d{2})(\d{2})$/, '$1:$2')}`));
  if (epochMs === undefined) return undefined;
  return zones
    .map((zone) => toLocal(epochMs, zone))
    .reduce((earliest, one) => (one < earliest ? one : earliest), clock);
}

/**
 * A deadline that is hours away from a wall clock: `moved` counts them on the clock, which isn't right where the clocks are changed in
 * between. It must not be read as a later one, so it is the earliest of it and what is right in each of the `zones`.
 */
export function earliestMoved(from: LocalDateTime, moved: LocalDateTime, zones: readonly string[]): LocalDateTime {
  const byMs = Date.parse(`${moved}Z`) - Date.parse(`${from}Z`);
  return zones.reduce((earliest, zone) => {
    const epochMs = inRange(Date.parse(toUtc(from, zone)) + byMs);
    const one = epochMs === undefined ? earliest : toLocal(epochMs, zone);
    return one < earliest ? one : earliest;
  }, moved);
}

/** The zones that a place may be in, even if its coordinates don't exist: its offers are left out later. */
export function zonesAt({
  address,
  iataCode,
  latitude = 91,
  longitude = 181,
}: Pick<SupplierLocation, 'address' | 'iataCode' | 'latitude' | 'longitude'>): readonly string[] {
  const exists = Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180;
  return zonesOf({ address, iataCode, ...(exists && { latitude, longitude }) });
}
