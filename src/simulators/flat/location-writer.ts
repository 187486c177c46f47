import type { Inventory, SimulatedLocation } from '../world.js';

const RADIX = 36;
const KINDS = { airport: 1, town: 2, rail: 3 } as const;

/** A location's code read as a number in base 36: `BOS` is 15148. */
export function numberOfDepot({ code }: SimulatedLocation): number {
  return Number.parseInt(code, RADIX);
}

/** The location with a number; undefined if there is none. */
export function depotByNumber(number: number, inventory: Inventory): SimulatedLocation | undefined {
  return inventory.locationByCode(number.toString(RADIX).toUpperCase());
}

/** A depot as in every answer. Opening times are minutes of the day, days 1 (Monday) to 7. */
export function depotJson(location: SimulatedLocation): object {
  return {
    id: numberOfDepot(location),
    iata: location.iataCode ?? '',
    title: location.name,
    kind: location.atAirport ? KINDS.airport : location.name.endsWith('Central Station') ? KINDS.rail : KINDS.town,
    street: location.street,
    town: location.city,
    state: location.regionCode,
    zip: location.postalCode,
    cc: location.countryCode,
    lat: location.latitude.toFixed(5),
    lng: location.longitude.toFixed(5),
    tel: location.phone,
    tz: location.timeZone,
    open: location.hours.flatMap((slots, day) =>
      slots.map(({ openMinute, closeMinute }) => ({ d: day === 0 ? 7 : day, f: openMinute, t: closeMinute })),
    ),
    night_return: location.afterHoursReturn ? 1 : 0,
    express: location.skipTheQueue ? 1 : 0,
  };
}
