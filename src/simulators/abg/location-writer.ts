import { hashText } from '../random.js';
import type { SimulatedLocation } from '../world.js';
import { DAY_NAMES, hoursText, slotTime } from './hours-text.js';

/** ABG pads some phone numbers to a fixed width. */
const PADDING = ' '.repeat(14);

/**
 * One row of the keyword search with the irregularities of ABG's real data: coordinates as text, "NA" for an empty
 * line, padded phone numbers, hours sometimes as slots, sometimes as text. The same location is always written the same
 * way.
 */
export function locationJson(brand: string, location: SimulatedLocation): object {
  const dirt = hashText(7, location.code);
  return {
    brand,
    code: location.code,
    name: location.name,
    telephone: dirt % 4 === 0 ? location.phone + PADDING : location.phone,
    airport_location: location.atAirport,
    address: addressJson(location, 'NA'),
    skip_the_queue: location.skipTheQueue,
    afterhours_return: location.afterHoursReturn,
    ...(dirt % 3 === 0 ? { hours: hoursText(location.hours) } : { hours_of_operation: slotsJson(location) }),
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
    ...(location.iataCode !== undefined && { dual_branded_location_mnemonic: location.iataCode }),
  };
}

/**
 * pickup_location or dropoff_location of an availability answer: an object, although the request has a code under the
 * same name.
 */
export function rentalPlaceJson(location: SimulatedLocation): object {
  const aroundTheClock = location.hours.every(
    (day) => day.length === 1 && day[0]?.openMinute === 0 && day[0].closeMinute === 1_440,
  );
  return {
    location: {
      code: location.code,
      name: location.name,
      telephone: location.phone,
      hours: aroundTheClock ? 'Sun-Sat 0:00 AM - 12:00 AM and 0:00 AM - 12:00 AM' : hoursText(location.hours),
      airport_location: location.atAirport,
    },
    address: addressJson(location, 'Na'),
  };
}

/** The terms and disclaimers of a brand; the fuel policy exists only as a sentence. */
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

function addressJson(location: SimulatedLocation, nothing: string): object {
  return {
    address_line_1: location.street,
    address_line_2: nothing,
    city: location.city,
    state_name: location.countryCode === 'US' ? location.regionCode : 'XX',
    postal_code: location.postalCode,
    country_code: location.countryCode,
    lat: location.latitude.toFixed(6),
    long: location.longitude.toFixed(6),
  };
}

function slotsJson(location: SimulatedLocation): readonly object[] {
  return DAY_NAMES.map((day, index) => {
    const [first, second] = location.hours[index] ?? [];
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
