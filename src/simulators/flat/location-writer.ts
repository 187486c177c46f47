import type { Inventory, SimulatedCounter } from '../world.js';

const RADIX = 36;
const KINDS = { airport: 1, town: 2, rail: 3 } as const;

/** A counter's code read as a number to the base 36: `BOS` is 15148. */
export function numberOfDepot({ code }: SimulatedCounter): number {
  return Number.parseInt(code, RADIX);
}

/** The counter of a number; undefined when there is none. */
export function depotByNumber(number: number, inventory: Inventory): SimulatedCounter | undefined {
  return inventory.counterByCode(number.toString(RADIX).toUpperCase());
}

/** A depot as every answer writes it. Opening times are minutes of the day, days 1 (Monday) to 7. */
export function depotJson(counter: SimulatedCounter): object {
  return {
    id: numberOfDepot(counter),
    iata: counter.iataCode ?? '',
    title: counter.name,
    kind: counter.atAirport ? KINDS.airport : counter.name.endsWith('Central Station') ? KINDS.rail : KINDS.town,
    street: counter.street,
    town: counter.city,
    state: counter.regionCode,
    zip: counter.postalCode,
    cc: counter.countryCode,
    lat: counter.latitude.toFixed(5),
    lng: counter.longitude.toFixed(5),
    tel: counter.phone,
    tz: counter.timeZone,
    open: counter.hours.flatMap((slots, day) =>
      slots.map(({ openMinute, closeMinute }) => ({ d: day === 0 ? 7 : day, f: openMinute, t: closeMinute })),
    ),
    night_return: counter.afterHoursReturn ? 1 : 0,
    express: counter.skipTheQueue ? 1 : 0,
  };
}
