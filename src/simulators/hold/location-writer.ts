import type { SimulatedCounter } from '../world.js';

const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const;

/** A station as every answer writes it. The week is told whole: a day without a row is a closed one. */
export function stationJson(counter: SimulatedCounter): object {
  return {
    code: counter.code,
    iata: counter.iataCode,
    name: counter.name,
    type: counter.atAirport ? 'airport' : counter.name.endsWith('Central Station') ? 'rail' : 'downtown',
    counter: counter.atAirport ? 'in_terminal' : undefined,
    address: {
      lines: [counter.street],
      city: counter.city,
      region: counter.regionCode || undefined,
      postalCode: counter.postalCode || undefined,
      country: counter.countryCode,
    },
    latitude: counter.latitude,
    longitude: counter.longitude,
    phone: counter.phone,
    openingHours: counter.hours.flatMap((slots, day) =>
      slots.map(({ openMinute, closeMinute }) => ({
        day: DAYS[day],
        open: clock(openMinute),
        close: clock(closeMinute),
      })),
    ),
    afterHoursReturn: counter.afterHoursReturn,
    services: counter.skipTheQueue ? ['skip_the_queue'] : [],
  };
}

function clock(minutes: number): string {
  return `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;
}
