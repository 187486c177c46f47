import { hashText } from '../random.js';
import type { SimulatedCounter } from '../world.js';
import { DAY_NAMES, hoursText, slotTime } from './hours-text.js';

/** ABG pads some telephone numbers to a fixed width. */
const PADDING = ' '.repeat(14);

/**
 * One row of the keyword search, with the dirt of the real one: coordinates as text, "NA" for an empty line, padded telephones, hours now
 * as slots, now as text. The same counter is always written the same way.
 */
export function locationJson(brand: string, counter: SimulatedCounter): object {
  const dirt = hashText(7, counter.code);
  return {
    brand,
    code: counter.code,
    name: counter.name,
    telephone: dirt % 4 === 0 ? counter.phone + PADDING : counter.phone,
    airport_location: counter.atAirport,
    address: addressJson(counter, 'NA'),
    skip_the_queue: counter.skipTheQueue,
    afterhours_return: counter.afterHoursReturn,
    ...(dirt % 3 === 0 ? { hours: hoursText(counter.hours) } : { hours_of_operation: slotsJson(counter) }),
    holiday_hours: [
      {
        description: 'NEW YEARS DAY',
        first_slot_open_time: '0',
        first_slot_close_time: '0',
        second_slot_open_time: '0',
        second_slot_close_time: '0',
      },
      {
        description: 'CHRISTMAS DAY',
        first_slot_open_time: '900',
        first_slot_close_time: '1500',
        second_slot_open_time: '0',
        second_slot_close_time: '0',
      },
    ],
    ...(counter.iataCode !== undefined && { dual_branded_location_mnemonic: counter.iataCode }),
  };
}

/** pickup_location or dropoff_location of an availability answer: an object, though the request has a code of the same name. */
export function rentalPlaceJson(counter: SimulatedCounter): object {
  const aroundTheClock = counter.hours.every(
    (day) => day.length === 1 && day[0]?.openMinute === 0 && day[0].closeMinute === 1_440,
  );
  return {
    location: {
      code: counter.code,
      name: counter.name,
      telephone: counter.phone,
      hours: aroundTheClock ? 'Sun-Sat 0:00 AM - 12:00 AM and 0:00 AM - 12:00 AM' : hoursText(counter.hours),
      airport_location: counter.atAirport,
    },
    address: addressJson(counter, 'Na'),
  };
}

/** Where the terms of a brand can be read, and what is said beside them: the fuel policy is only a sentence. */
export function termsJson(brand: string): object {
  return {
    terms: ['location', 'rental'].map((type) => ({
      type,
      method: 'GET',
      endpoint: `https://terms.example.com/${type}/${brand.toLowerCase()}`,
    })),
    disclaimers: [{ type: 'Fuel Policy', description: 'FUEL POLICY IS FULL TO FULL' }],
  };
}

function addressJson(counter: SimulatedCounter, nothing: string): object {
  return {
    address_line_1: counter.street,
    address_line_2: nothing,
    city: counter.city,
    state_name: counter.countryCode === 'US' ? counter.regionCode : 'XX',
    postal_code: counter.postalCode,
    country_code: counter.countryCode,
    lat: counter.latitude.toFixed(6),
    long: counter.longitude.toFixed(6),
  };
}

function slotsJson(counter: SimulatedCounter): readonly object[] {
  return DAY_NAMES.map((day, index) => {
    const [first, second] = counter.hours[index] ?? [];
    return {
      day,
      first_slot_open_time: slotTime(first?.openMinute ?? 0),
      first_slot_close_time: slotTime(first?.closeMinute ?? 0),
      ...(second && { second_slot_open_time: slotTime(second.openMinute) }),
      second_slot_close_time: slotTime(second?.closeMinute ?? 0),
      season_open_time: '0',
    };
  });
}
