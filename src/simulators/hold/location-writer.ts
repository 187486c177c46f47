import type { SimulatedLocation } from '../world.js';

const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const;

/** A station as in every answer. The week is complete: a day without a row is closed. */
export function stationJson(location: SimulatedLocation): object {
  return {
    code: location.code,
    iata: location.iataCode,
    name: location.name,
    type: location.atAirport ? 'airport' : location.name.endsWith('Central Station') ? 'rail' : 'downtown',
    counter: location.atAirport ? 'in_terminal' : undefined,
    address: {
      lines: [location.street],
      city: location.city,
      region: location.regionCode || undefined,
      postalCode: location.postalCode || undefined,
      country: location.countryCode,
    },
    latitude: location.latitude,
    longitude: location.longitude,
    phone: location.phone,
    openingHours: location.hours.flatMap((slots, day) =>
      slots.map(({ openMinute, closeMinute }) => ({
        day: DAYS[day],
        open: clock(openMinute),
        close: clock(closeMinute),
      })),
    ),
    afterHoursReturn: location.afterHoursReturn,
    services: location.skipTheQueue ? ['skip_the_queue'] : [],
  };
}

function clock(minutes: number): string {
  return `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;
}
