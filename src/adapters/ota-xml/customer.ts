import type { BookRequest, Driver, Payment } from '../../model/bookings.js';
import { element, escapeXml, wrap } from '../xml/write-xml.js';
import type { RequestSetting } from './message.js';
import { requestTime } from './rental.js';
import { loyaltyElement } from './requests.js';

/** List DOC: a driver's license. */
const LICENCE = '4';
/** List PTT: voice. */
const VOICE = '1';
/** List TRP: by plane. */
const PLANE = '14';

/** Customer: the driver as Primary, additional drivers as Additional. */
export function customer({ driver, additionalDrivers, countryCode }: BookRequest): string {
  const primary = element(
    'Primary',
    { BirthDate: driver.dateOfBirth },
    personName(driver) + contactOf(driver, countryCode),
  );
  return wrap('Customer', primary + additionalDrivers.map((person) => wrap('Additional', personName(person))).join(''));
}

/** PersonName of a renter. */
export function personName({ firstName, lastName }: Pick<Driver, 'firstName' | 'lastName'>): string {
  return wrap('PersonName', textElement('GivenName', firstName) + textElement('Surname', lastName));
}

function contactOf({ phone, email, address, licence, loyalty }: Driver, residence: string): string {
  const document =
    licence === undefined
      ? ''
      : element('Document', {
          DocType: LICENCE,
          DocID: licence.number,
          DocIssueCountry: licence.countryCode,
          DocIssueStateProv: licence.region,
        });
  return (
    (phone === undefined ? '' : element('Telephone', { PhoneTechType: VOICE, PhoneNumber: phone })) +
    textElement('Email', email) +
    (address === undefined ? '' : addressOf(address)) +
    element('CitizenCountryName', { Code: residence }) +
    document +
    loyalty.map(loyaltyElement).join('')
  );
}

function addressOf(address: NonNullable<Driver['address']>): string {
  return wrap(
    'Address',
    address.lines.map((line) => textElement('AddressLine', line)).join('') +
      textElement('CityName', address.city) +
      textElement('PostalCode', address.postalCode) +
      textElement('StateProv', address.region) +
      element('CountryName', { Code: address.countryCode }),
  );
}

/** ArrivalDetails; '' if the renter didn't specify an arrival. */
export function arrivalDetails({ arrival }: BookRequest, setting: RequestSetting): string {
  if (arrival === undefined) return '';
  return element(
    'ArrivalDetails',
    {
      TransportationCode: PLANE,
      Number: arrival.flightNumber,
      ArrivalDateTime: arrival.arrivesAt === undefined ? undefined : requestTime(arrival.arrivesAt, setting),
    },
    element('OperatingCompany', { Code: arrival.carrierCode }),
  );
}

/** RentalPaymentPref with a card or a voucher; '' for payment at the counter, which is OTA's default. */
export function rentalPayment(payment: Payment): string {
  switch (payment.type) {
    case 'counter':
      return '';
    case 'voucher':
      return wrap('RentalPaymentPref', element('Voucher', { SeriesCode: payment.voucher }));
    case 'card': {
      const { number, expiryMonth, expiryYear, holder } = payment.card;
      const expiry = `${String(expiryMonth).padStart(2, '0')}${String(expiryYear % 100).padStart(2, '0')}`;
      const values = { CardType: CREDIT, CardCode: cardCode(number), CardNumber: number, ExpireDate: expiry };
      return wrap('RentalPaymentPref', element('PaymentCard', values, textElement('CardHolderName', holder)));
    }
  }
}

/** List PCT: credit card. */
const CREDIT = '1';

/** OTA's two-letter card brand by the first digits of the number. */
const CARD_CODES: readonly (readonly [prefix: RegExp, code: string])[] = [
  [/^3[47]/, 'AX'],
  [/^3(0[0-5]|[689])/, 'DN'],
  [/^35/, 'JC'],
  [/^4/, 'VI'],
  [/^(5[1-5]|2[2-7])/, 'MC'],
  [/^6(011|4[4-9]|5)/, 'DS'],
  [/^62/, 'CU'],
];

/** Undefined for a brand without an OTA code: the supplier then uses the number. */
function cardCode(number: string): string | undefined {
  return CARD_CODES.find(([prefix]) => prefix.test(number))?.[1];
}

function textElement(name: string, text: string | undefined): string {
  return text === undefined ? '' : wrap(name, escapeXml(text));
}
