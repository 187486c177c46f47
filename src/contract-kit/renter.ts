/** The kit's renter. Each value is too unusual to appear in a URL or a message by coincidence. */
export const RENTER = {
  firstName: 'Ada',
  lastName: 'Sampleton',
  email: 'ada.sampleton@example.com',
  phone: '+16175550143',
  dateOfBirth: '1984-02-29',
  licence: { number: 'S98765432', countryCode: 'US' },
  address: { lines: ['17 Sampleton Row'], city: 'Boston', postalCode: '02128', countryCode: 'US' },
  loyalty: [{ number: 'LOY7712345' }],
} as const;

/** Texts that identify the renter wherever they appear. */
export const PERSONAL_TEXTS: readonly string[] = [
  RENTER.lastName,
  RENTER.email,
  RENTER.phone.slice(-10),
  RENTER.dateOfBirth,
  RENTER.licence.number,
  RENTER.loyalty[0].number,
];
