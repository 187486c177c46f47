import type { Arrival, BookRequest, Driver } from '../../model/bookings.js';

/** ABG's state for addresses outside the United States. */
const NO_STATE = 'XX';

/**
 * customer of a create or update: contact, driver's license and address; missing values are left out. There is no
 * member for additional drivers: ABG counts them as extra ADD and takes their names at the counter.
 */
export function customerWire({ driver, age }: Pick<BookRequest, 'driver' | 'age'>): object {
  return {
    contact: {
      first_name: driver.firstName,
      last_name: driver.lastName,
      email: driver.email,
      telephone: driver.phone,
      age,
      date_of_birth: driver.dateOfBirth,
    },
    driver: driver.licence && licenceWire(driver.licence),
    address: driver.address && addressWire(driver.address),
  };
}

/**
 * ABG accepts carrier and number (two characters; at most 4 digits, otherwise errors 237 and 239), but not the arrival
 * time.
 */
export function flightWire(arrival: Arrival | undefined): object | undefined {
  return arrival && { airline_code: arrival.carrierCode, airline_number: arrival.flightNumber };
}

function licenceWire({ number, countryCode, region }: NonNullable<Driver['licence']>): object {
  const elsewhere = countryCode !== undefined && countryCode !== 'US';
  return { license_number: number, state_code: elsewhere ? NO_STATE : region, country_code: countryCode };
}

/** At most three lines; further ones are appended to the third. */
function addressWire({ lines, city, region, postalCode, countryCode }: NonNullable<Driver['address']>): object {
  const [first, second, ...rest] = lines;
  return {
    address_line_1: first,
    address_line_2: second,
    address_line_3: rest.length > 0 ? rest.join(', ') : undefined,
    city,
    state_name: region,
    postal_code: postalCode,
    country_code: countryCode,
  };
}
