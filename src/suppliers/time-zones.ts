import { latestOfLocal } from '../places/places.js';
import { type Whereabouts, zonesOf } from '../places/zone-of.js';
import { MAGIC_COUNTRY } from '../sandbox/magic-places.js';

/** The IANA zones that a location may be in (zonesOf); the sandbox's magic places are in UTC. */
export function timeZonesOf(where: Whereabouts): readonly string[] {
  return where.address.countryCode === MAGIC_COUNTRY ? ['UTC'] : zonesOf(where);
}

/** The latest instant, in epoch milliseconds, at which it may be this local time at a location. */
export function latestInstant(where: Whereabouts, localTime: string): number {
  return Math.max(...timeZonesOf(where).map((zone) => latestOfLocal(localTime, zone)));
}
