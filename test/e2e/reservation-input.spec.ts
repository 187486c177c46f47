import {
  BRANDS,
  booked,
  cents,
  create,
  driver,
  expired,
  faults,
  fresh,
  offerOf,
  on,
  path,
  quoteOf,
  RESERVATIONS,
  type Reservation,
  read,
  SUPPLIERS,
  type SupplierId,
} from '../support/booking.js';
import { claim } from '../support/claim.js';
import type { HttpAnswer, Offer } from '../support/client.js';
import { vehiclesPath } from '../support/rental.js';
import { sharedGateway } from '../support/shared-gateway.js';

const running = sharedGateway();
const simulators = () => running().simulators;
const client = () => running().client;

let offers: Record<SupplierId, Offer>;
let standing: Reservation;
let callsBefore: number;
let bookingsBefore: unknown;
beforeAll(async () => {
  offers = Object.fromEntries(
    await Promise.all(SUPPLIERS.map(async (id) => [id, await offerOf(client(), id)] as const)),
  ) as typeof offers;
  standing = await booked(client(), { offer_id: offers.alpine.offer_id, driver: driver(fresh()) });
  callsBefore = await simulators().calls();
  bookingsBefore = await simulators().bookings('alpine', 'Sample');
});

const RENTER = driver('Sample');
/** A create body that is valid apart from what is given; undefined omits a field. */
const body = (more: object = {}) => ({ offer_id: offers.alpine.offer_id, driver: RENTER, ...more });
const withDriver = (more: object) => () => body({ driver: { ...RENTER, ...more } });
const ADDRESS = { lines: ['1 Sample Street'], city: 'Boston', country_code: 'US' };
const withAddress = (more: object) => withDriver({ address: { ...ADDRESS, ...more } });
const CARD = { type: 'card', credit_card_number: '4111111111111111', card_expiry: '09/39', card_holder: 'Ada Sample' };
const withCard = (more: object) => () => body({ payment: { ...CARD, ...more } });
const ARRIVAL = { carrier_code: 'BA', flight_number: '349' };
const withArrival = (more: object) => () => body({ arrival: { ...ARRIVAL, ...more } });
const long = (length: number) => 'x'.repeat(length);
const many = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

/** Title, body, and the expected `reason field` of each entry. */
type Row = readonly [title: string, make: () => object, ...told: string[]];

/** Rows in the form that jest's types require. */
function table(rows: readonly Row[]): [title: string, make: () => object, told: string[]][] {
  return rows.map(([title, make, ...told]) => [title, make, told]);
}

const CREATE: readonly Row[] = [
  [
    'a phone number with sixteen digits (E.164 allows 15)',
    () => body({ driver: { ...RENTER, phone: '9105105105105108' } }),
    'invalid_format driver.phone',
  ],
  ['neither offer nor quote', () => body({ offer_id: undefined }), 'invalid_request offer_id'],
  ['both offer and quote', () => body({ quote_id: 'quo_x' }), 'invalid_request quote_id'],
  ['offer_id as a number', () => body({ offer_id: 7 }), 'invalid_format offer_id'],
  ['offer_id empty', () => body({ offer_id: '' }), 'invalid_range offer_id'],
  ['an oversized offer_id', () => body({ offer_id: long(6_001) }), 'invalid_range offer_id'],
  ['quote_id as an empty list', () => body({ offer_id: undefined, quote_id: [] }), 'invalid_request quote_id'],
  ['an unknown field', () => body({ colour: 'red' }), 'invalid_request colour'],
  ['no driver', () => body({ driver: undefined }), 'invalid_request driver'],
  ['driver as text', () => body({ driver: 'Ada Sample' }), 'invalid_format driver'],
  ['driver null', () => body({ driver: null }), 'invalid_format driver'],
  [
    'an empty driver',
    () => body({ driver: {} }),
    'invalid_request driver.first_name',
    'invalid_request driver.last_name',
    'invalid_request driver.email',
  ],
  ['an unknown field of the driver', withDriver({ nickname: 'A' }), 'invalid_request driver.nickname'],
  ...(['first_name', 'last_name'] as const).flatMap((name): Row[] => [
    [`${name} missing`, withDriver({ [name]: undefined }), `invalid_request driver.${name}`],
    [`${name} as a number`, withDriver({ [name]: 7 }), `invalid_format driver.${name}`],
    [`${name} empty`, withDriver({ [name]: '' }), `invalid_range driver.${name}`],
    [`${name} of blanks`, withDriver({ [name]: '   ' }), `invalid_range driver.${name}`],
    [`${name} of 61 characters`, withDriver({ [name]: long(61) }), `invalid_range driver.${name}`],
    [`${name} with a line break`, withDriver({ [name]: 'Ada\nSample' }), `invalid_format driver.${name}`],
    [`${name} with half a surrogate pair`, withDriver({ [name]: 'Ada\ud800' }), `invalid_format driver.${name}`],
    [`${name} with a direction mark`, withDriver({ [name]: 'Ada\u202e' }), `invalid_format driver.${name}`],
  ]),
  ['without email', withDriver({ email: undefined }), 'invalid_request driver.email'],
  ['email without @', withDriver({ email: 'ada.example.com' }), 'invalid_format driver.email'],
  [
    'email with a line break',
    withDriver({ email: 'ada@example.com\nbcc: b@example.com' }),
    'invalid_format driver.email',
  ],
  ['email as a number', withDriver({ email: 7 }), 'invalid_format driver.email'],
  [
    'an email of 255 characters',
    withDriver({ email: `${long(60)}@${many(4, () => long(45)).join('.')}.${long(6)}.com` }),
    'invalid_range driver.email',
  ],
  ['a phone with letters', withDriver({ phone: 'call me' }), 'invalid_format driver.phone'],
  ['phone as a number', withDriver({ phone: 6175550100 }), 'invalid_format driver.phone'],
  ['a phone with three digits', withDriver({ phone: '617' }), 'invalid_format driver.phone'],
  ['age 15', withDriver({ age: 15 }), 'invalid_range driver.age'],
  ['age 100', withDriver({ age: 100 }), 'invalid_range driver.age'],
  ['age 35.5', withDriver({ age: 35.5 }), 'invalid_format driver.age'],
  ['age as text', withDriver({ age: '35' }), 'invalid_format driver.age'],
  ['a nonexistent date of birth', withDriver({ date_of_birth: '1990-02-30' }), 'invalid_format driver.date_of_birth'],
  [
    'a date of birth in reverse order',
    withDriver({ date_of_birth: '31.05.1990' }),
    'invalid_format driver.date_of_birth',
  ],
  [
    'a date of birth that makes the driver 15',
    withDriver({ date_of_birth: `${new Date().getUTCFullYear() - 15}-01-01` }),
    'invalid_range driver.date_of_birth',
  ],
  ['a date of birth in the future', withDriver({ date_of_birth: '2199-01-01' }), 'invalid_range driver.date_of_birth'],
  ['a date of birth long ago', withDriver({ date_of_birth: '1880-01-01' }), 'invalid_range driver.date_of_birth'],
  ['a country_code with three letters', withDriver({ country_code: 'USA' }), 'invalid_format driver.country_code'],
  ['an unknown country_code', withDriver({ country_code: 'XX' }), 'invalid_range driver.country_code'],
  [
    'another country of residence than in the search',
    withDriver({ country_code: 'DE' }),
    'invalid_range driver.country_code',
  ],
  ['licence as text', withDriver({ licence: 'S123' }), 'invalid_format driver.licence'],
  ['licence without number', withDriver({ licence: { country_code: 'US' } }), 'invalid_request driver.licence.number'],
  ['licence number too long', withDriver({ licence: { number: long(41) } }), 'invalid_range driver.licence.number'],
  [
    'an unknown field of the licence',
    withDriver({ licence: { number: 'S1', class: 'B' } }),
    'invalid_request driver.licence.class',
  ],
  ['address as text', withDriver({ address: 'Boston' }), 'invalid_format driver.address'],
  ['address without lines', withAddress({ lines: undefined }), 'invalid_request driver.address.lines'],
  ['address with an empty list of lines', withAddress({ lines: [] }), 'invalid_range driver.address.lines'],
  ['address with four lines', withAddress({ lines: ['1', '2', '3', '4'] }), 'invalid_range driver.address.lines'],
  ['an empty address line', withAddress({ lines: ['1', ''] }), 'invalid_range driver.address.lines.1'],
  ['an overlong address line', withAddress({ lines: [long(81)] }), 'invalid_range driver.address.lines.0'],
  ['address without city', withAddress({ city: undefined }), 'invalid_request driver.address.city'],
  ['city too long', withAddress({ city: long(61) }), 'invalid_range driver.address.city'],
  ['region too long', withAddress({ region: long(41) }), 'invalid_range driver.address.region'],
  ['postal_code too long', withAddress({ postal_code: long(17) }), 'invalid_range driver.address.postal_code'],
  ['postal_code as a number', withAddress({ postal_code: 2101 }), 'invalid_format driver.address.postal_code'],
  ['address without country', withAddress({ country_code: undefined }), 'invalid_request driver.address.country_code'],
  ['an unknown field of the address', withAddress({ planet: 'Earth' }), 'invalid_request driver.address.planet'],
  ['loyalty as text', withDriver({ loyalty: '123' }), 'invalid_format driver.loyalty'],
  ['loyalty without number', withDriver({ loyalty: [{ program: 'A' }] }), 'invalid_request driver.loyalty.0.number'],
  [
    'six loyalty programs',
    withDriver({ loyalty: many(6, (index) => ({ number: `A${index}` })) }),
    'invalid_range driver.loyalty',
  ],
  [
    'loyalty program too long',
    withDriver({ loyalty: [{ number: 'A1', program: long(33) }] }),
    'invalid_range driver.loyalty.0.program',
  ],
  [
    'an unknown field of loyalty',
    withDriver({ loyalty: [{ number: 'A1', tier: 'gold' }] }),
    'invalid_request driver.loyalty.0.tier',
  ],
  ['additional_drivers as an object', () => body({ additional_drivers: {} }), 'invalid_format additional_drivers'],
  [
    'five additional drivers',
    () => body({ additional_drivers: many(5, () => ({ first_name: 'B', last_name: 'C' })) }),
    'invalid_range additional_drivers',
  ],
  [
    'an additional driver without last name',
    () => body({ additional_drivers: [{ first_name: 'B' }] }),
    'invalid_request additional_drivers.0.last_name',
  ],
  [
    'an unknown field of an additional driver',
    () => body({ additional_drivers: [{ first_name: 'B', last_name: 'C', age: 30 }] }),
    'invalid_request additional_drivers.0.age',
  ],
  ['arrival as text', () => body({ arrival: 'BA349' }), 'invalid_format arrival'],
  ['arrival without carrier', withArrival({ carrier_code: undefined }), 'invalid_request arrival.carrier_code'],
  ['a carrier_code with four letters', withArrival({ carrier_code: 'BAWX' }), 'invalid_format arrival.carrier_code'],
  ['arrival without flight', withArrival({ flight_number: undefined }), 'invalid_request arrival.flight_number'],
  ['flight_number with the airline', withArrival({ flight_number: 'BA349' }), 'invalid_format arrival.flight_number'],
  ['flight_number as a number', withArrival({ flight_number: 349 }), 'invalid_format arrival.flight_number'],
  ['arrives_at with a zone', withArrival({ arrives_at: '2030-01-01T10:00:00Z' }), 'invalid_format arrival.arrives_at'],
  ['a nonexistent arrives_at', withArrival({ arrives_at: '2030-02-30T10:00:00' }), 'invalid_format arrival.arrives_at'],
  ['an unknown field of the arrival', withArrival({ gate: 'B1' }), 'invalid_request arrival.gate'],
  ['pickup_later without arrival', () => body({ pickup_later: true }), 'invalid_request arrival'],
  ['pickup_later as text', () => body({ pickup_later: 'yes', arrival: ARRIVAL }), 'invalid_format pickup_later'],
  ['notify_customer as a number', () => body({ notify_customer: 1 }), 'invalid_format notify_customer'],
  ['an empty client_reference', () => body({ client_reference: '' }), 'invalid_range client_reference'],
  ['client_reference of 65 characters', () => body({ client_reference: long(65) }), 'invalid_range client_reference'],
  [
    'client_reference with a null character',
    () => body({ client_reference: 'a\u0000b' }),
    'invalid_format client_reference',
  ],
  ['client_reference with a blank', () => body({ client_reference: 'order 1' }), 'invalid_format client_reference'],
  ['client_reference with an accent', () => body({ client_reference: 'Zoé' }), 'invalid_format client_reference'],
  [
    'client_reference with an email address',
    () => body({ client_reference: 'a@b.example' }),
    'invalid_format client_reference',
  ],
  ['remark of 101 characters', () => body({ remark: long(101) }), 'invalid_range remark'],
  ['remark as a list', () => body({ remark: ['x'] }), 'invalid_request remark'],
  ['extras as text', () => body({ extras: 'CSI' }), 'invalid_format extras'],
  ['an extra without id', () => body({ extras: [{ quantity: 1 }] }), 'invalid_request extras.0.extra_id'],
  [
    'an extra with quantity zero',
    () => body({ extras: [{ extra_id: '7', quantity: 0 }] }),
    'invalid_range extras.0.quantity',
  ],
  [
    'a repeated extra',
    () => body({ extras: [{ extra_id: '7' }, { extra_id: '7' }] }),
    'invalid_request extras.1.extra_id',
  ],
  ['coverages as an object', () => body({ coverages: {} }), 'invalid_format coverages'],
  ['a coverage as a number', () => body({ coverages: [1] }), 'invalid_format coverages.0'],
  ['accepted_total as text', () => body({ accepted_total: '100 USD' }), 'invalid_format accepted_total'],
  [
    'accepted_total without currency',
    () => body({ accepted_total: { amount: '1000' } }),
    'invalid_request accepted_total.currency',
  ],
  [
    'accepted_total.amount as a number',
    () => body({ accepted_total: { amount: 100.5, currency: 'USD' } }),
    'invalid_format accepted_total.amount',
  ],
  [
    'a negative accepted_total',
    () => body({ accepted_total: { amount: '-1', currency: 'USD' } }),
    'invalid_format accepted_total.amount',
  ],
  [
    'accepted_total in an unknown currency',
    () => body({ accepted_total: { amount: '1', currency: 'QQQ' } }),
    'invalid_range accepted_total.currency',
  ],
  [
    'accepted_total in another currency',
    () => body({ accepted_total: { amount: '9999', currency: 'EUR' } }),
    'invalid_range accepted_total.currency',
  ],
  [
    'accepted_total too low',
    () => body({ accepted_total: { amount: '1.00', currency: 'USD' } }),
    'invalid_range accepted_total',
  ],
  [
    'an unknown field of accepted_total',
    () => body({ accepted_total: { amount: '1', currency: 'USD', vat: '0' } }),
    'invalid_request accepted_total.vat',
  ],
  ['price_tolerance as a number', () => body({ price_tolerance: 5 }), 'invalid_format price_tolerance'],
  ['price_tolerance with a comma', () => body({ price_tolerance: '5,00' }), 'invalid_format price_tolerance'],
  ['payment as text', () => body({ payment: 'card' }), 'invalid_format payment'],
  ['payment without type', () => body({ payment: {} }), 'invalid_request payment.type'],
  ['payment with an unknown type', () => body({ payment: { type: 'cash' } }), 'invalid_range payment.type'],
  ['an unknown field of the payment', withCard({ cvv: '123' }), 'invalid_request payment.cvv'],
  [
    'a card without its fields',
    () => body({ payment: { type: 'card' } }),
    'invalid_request payment.credit_card_number',
    'invalid_request payment.card_expiry',
    'invalid_request payment.card_holder',
  ],
  [
    'a card with a wrong check digit',
    withCard({ credit_card_number: '4111111111111112' }),
    'invalid_format payment.credit_card_number',
  ],
  [
    'a card number with spaces',
    withCard({ credit_card_number: '4111 1111 1111 1111' }),
    'invalid_format payment.credit_card_number',
  ],
  [
    'a card number with twelve digits',
    withCard({ credit_card_number: '411111111111' }),
    'invalid_format payment.credit_card_number',
  ],
  [
    'a card number as a number',
    withCard({ credit_card_number: 4111111111111111 }),
    'invalid_format payment.credit_card_number',
  ],
  ['an expired card', withCard({ card_expiry: '01/20' }), 'invalid_range payment.card_expiry'],
  ['a card expiring in month 13', withCard({ card_expiry: '13/39' }), 'invalid_format payment.card_expiry'],
  ['an empty card_holder', withCard({ card_holder: '' }), 'invalid_range payment.card_holder'],
  [
    'a card number with a voucher',
    () => body({ payment: { type: 'voucher', voucher: '1234567', card_holder: 'Ada' } }),
    'invalid_request payment.card_holder',
  ],
  ['a voucher without number', () => body({ payment: { type: 'voucher' } }), 'invalid_request payment.voucher'],
  [
    'a voucher with three letters',
    () => body({ payment: { type: 'voucher', voucher: 'ABC' } }),
    'invalid_format payment.voucher',
  ],
  [
    'a voucher with payment at the counter',
    () => body({ payment: { type: 'counter', voucher: '1234567' } }),
    'invalid_request payment.voucher',
  ],
  [
    'faults in several places: one entry each',
    () => ({ driver: { ...RENTER, email: 'x', first_name: undefined }, remark: '', colour: 'red' }),
    'invalid_request driver.first_name',
    'invalid_format driver.email',
    'invalid_range remark',
    'invalid_request colour',
    'invalid_request offer_id',
  ],
];

describe('an invalid create body is a 400 that names each invalid field', () => {
  test.each(table(CREATE))('%s', async (_title, make, told) => {
    const answer = await create(client(), make());
    expect([answer.status, faults(answer).sort()]).toEqual([400, [...told].sort()]);
  });
});

describe('an invalid PATCH body is a 400 that names each invalid field', () => {
  test.each(
    table([
      ['nothing', () => ({}), 'invalid_request'],
      ['an unknown field', () => ({ payment: { type: 'counter' } }), 'invalid_request payment'],
      ['a name', () => ({ driver: { last_name: 'Other' } }), 'invalid_request driver.last_name'],
      ['driver null', () => ({ driver: null }), 'invalid_format driver'],
      ['email null', () => ({ driver: { email: null } }), 'invalid_format driver.email'],
      ['email without @', () => ({ driver: { email: 'ada' } }), 'invalid_format driver.email'],
      ['a phone with letters', () => ({ driver: { phone: 'call me' } }), 'invalid_format driver.phone'],
      [
        'an incomplete address',
        () => ({ driver: { address: { city: 'Lynn' } } }),
        'invalid_request driver.address.lines',
        'invalid_request driver.address.country_code',
      ],
      ['arrival without flight', () => ({ arrival: { carrier_code: 'BA' } }), 'invalid_request arrival.flight_number'],
      ['remark too long', () => ({ remark: long(101) }), 'invalid_range remark'],
      ['remark as a number', () => ({ remark: 7 }), 'invalid_format remark'],
      ['pickup_later without arrival', () => ({ pickup_later: true }), 'invalid_request arrival'],
      [
        'pickup_later with the arrival removed',
        () => ({ pickup_later: true, arrival: null }),
        'invalid_request arrival',
      ],
      ['pickup_later null', () => ({ pickup_later: null }), 'invalid_format pickup_later'],
      [
        'an extra that the offer does not have',
        () => ({ extras: [{ extra_id: 'NOSUCH' }] }),
        'invalid_range extras.0.extra_id',
      ],
      ['extras null', () => ({ extras: null }), 'invalid_format extras'],
      ['a coverage that the offer does not have', () => ({ coverages: ['NOSUCH'] }), 'invalid_range coverages.0'],
    ]),
  )('%s', async (_title, make, told) => {
    const answer = await on(client(), 'PATCH', standing.reservation_id, make());
    expect([answer.status, faults(answer).sort()]).toEqual([400, [...told].sort()]);
  });
});

describe('an invalid PUT body is a 400 that names each invalid field', () => {
  test.each(
    table([
      ['nothing', () => ({}), 'invalid_request offer_id'],
      ['both offer and quote', () => ({ offer_id: 'off_x', quote_id: 'quo_x' }), 'invalid_request quote_id'],
      ['a driver', () => ({ offer_id: offers.alpine.offer_id, driver: RENTER }), 'invalid_request driver'],
      ['a remark as a number', () => ({ offer_id: offers.alpine.offer_id, remark: 7 }), 'invalid_format remark'],
      [
        'pickup_later without arrival',
        () => ({ offer_id: offers.alpine.offer_id, pickup_later: true }),
        'invalid_request arrival',
      ],
      ['another supplier’s offer', () => ({ offer_id: offers.bravo.offer_id }), 'invalid_range offer_id'],
      [
        'accepted_total too low',
        () => ({ offer_id: offers.alpine.offer_id, accepted_total: { amount: '1', currency: 'USD' } }),
        'invalid_range accepted_total',
      ],
    ]),
  )('%s', async (_title, make, told) => {
    const answer = await on(client(), 'PUT', standing.reservation_id, make());
    expect([answer.status, faults(answer).sort()]).toEqual([400, [...told].sort()]);
  });
});

describe('bytes that are not a valid body', () => {
  const raw = (text: string, contentType = 'application/json') =>
    create(client(), text, { headers: { 'content-type': contentType } });
  test.each<[string, () => Promise<HttpAnswer>, string]>([
    ['no JSON', () => raw('{"offer_id": '), 'invalid_format'],
    ['a list', () => raw('[]'), 'invalid_format'],
    ['a text', () => raw('"x"'), 'invalid_format'],
    ['nothing', () => raw(''), 'invalid_request'],
    ['over the size limit', () => raw(JSON.stringify(body({ remark: long(70_000) }))), 'invalid_request'],
    ['another content type', () => raw(JSON.stringify(body()), 'text/plain'), 'invalid_format'],
    ['a form', () => raw('offer_id=x', 'application/x-www-form-urlencoded'), 'invalid_format'],
    [
      'a member that targets the prototype',
      () => raw('{"__proto__": {"driver": {}}, "offer_id": "off_x"}'),
      'invalid_format',
    ],
  ])('%s: 400 %s', async (_title, send, reason) => {
    const answer = await send();
    expect([answer.status, answer.reasons[0]]).toEqual([400, reason]);
  });

  test.each(['PATCH', 'PUT'] as const)('%s without a body: 400', async (method) => {
    expect((await on(client(), method, standing.reservation_id)).status).toBe(400);
  });
});

test('no request in this file reaches a supplier as a booking or a change', async () => {
  expect(await simulators().bookings('alpine', 'Sample')).toEqual(bookingsBefore);
  expect(path(await read(client(), standing.reservation_id))).toBe('pending confirmed');
  // Some faults only show against the current offer; that takes a price check, which creates nothing.
  expect((await simulators().calls()) - callsBefore).toBeLessThan(15);
});

describe('a card number is allowed in payment.credit_card_number only', () => {
  const NUMBER = '5105105105105100';
  const SPACED = '5105 1051 0510 5100';
  claim.each<[string, () => object, string]>([
    ['remark', () => body({ remark: `card ${SPACED}` }), 'remark'],
    ['client_reference', () => body({ client_reference: NUMBER }), 'client_reference'],
    ['first_name', withDriver({ first_name: NUMBER }), 'driver.first_name'],
    ['last_name', withDriver({ last_name: `Sample ${NUMBER}` }), 'driver.last_name'],
    ['email', withDriver({ email: `${NUMBER}@example.com` }), 'driver.email'],
    ['an address line', withAddress({ lines: ['1 Sample Street', NUMBER] }), 'driver.address.lines.1'],
    ['postal_code', withAddress({ postal_code: NUMBER }), 'driver.address.postal_code'],
    [
      'an additional driver',
      () => body({ additional_drivers: [{ first_name: 'B', last_name: NUMBER }] }),
      'additional_drivers.0.last_name',
    ],
    ['card_holder', withCard({ card_holder: NUMBER }), 'payment.card_holder'],
    ['licence', withDriver({ licence: { number: NUMBER } }), 'driver.licence.number'],
    ['loyalty', withDriver({ loyalty: [{ number: '1' }, { number: SPACED }] }), 'driver.loyalty.1.number'],
    ['phone', withDriver({ phone: '+3782 822463 10005' }), 'driver.phone'],
    ['an extra', () => body({ extras: [{ extra_id: NUMBER }] }), 'extras.0.extra_id'],
    ['a coverage', () => body({ coverages: [NUMBER] }), 'coverages.0'],
    ['an amount', () => body({ accepted_total: { amount: NUMBER, currency: 'USD' } }), 'accepted_total.amount'],
    ['an unknown field', () => body({ metadata: { note: NUMBER } }), 'metadata.note'],
    ['an unknown numeric field', () => body({ metadata: { note: Number(NUMBER) } }), 'metadata.note'],
    ['the name of a field', () => body({ [NUMBER]: true }), ''],
    ['the name of a nested field', () => body({ metadata: { [NUMBER]: true } }), 'metadata'],
    ['a deeply nested field', () => body({ metadata: [[[[[[[[[[[NUMBER]]]]]]]]]]] }), 'metadata'],
  ])(
    ['API3', 'card-data'],
    'A card number in any field but `payment.credit_card_number` is rejected with 400, which names the field and never repeats the number.',
    '%s',
    async (_title, make, field) => {
      for (const answer of [await create(client(), make()), await create(client(), make(), { key: fresh('key') })]) {
        expect([answer.status, answer.errors[0]?.reason]).toEqual([400, 'invalid_request']);
        expect(answer.errors[0]?.field ?? '').toMatch(new RegExp(`^${field.replaceAll('.', '\\.')}`));
        expect(answer.text.replaceAll(/[ -]/g, '')).not.toContain(NUMBER);
      }
    },
  );

  test.each<[string, object, string]>([
    ['remark', { remark: SPACED }, 'remark'],
    ['address', { driver: { address: { ...ADDRESS, city: NUMBER } } }, 'driver.address.city'],
    ['email', { driver: { email: `a${NUMBER}@example.com` } }, 'driver.email'],
  ])('a PATCH of %s: likewise', async (_title, change, field) => {
    const answer = await on(client(), 'PATCH', standing.reservation_id, change);
    expect([answer.status, faults(answer)]).toEqual([400, [`invalid_request ${field}`]]);
    expect(answer.text).not.toContain(NUMBER);
  });

  test('a PUT: likewise', async () => {
    const answer = await on(client(), 'PUT', standing.reservation_id, {
      offer_id: offers.alpine.offer_id,
      remark: NUMBER,
    });
    expect([answer.status, faults(answer)]).toEqual([400, ['invalid_request remark']]);
  });

  test.each([
    ['other space characters', '5105\u00a01051\u00a00510\u00a05100'],
    ['dots', '5105.1051.0510.5100'],
    ['double spaces', '5105  1051  0510  5100'],
    ['an expiry date that follows directly', `${NUMBER}0929`],
    ['zeros around it', `00${NUMBER}0`],
    ['Arabic-Indic digits', NUMBER.replace(/\d/g, (digit) => String.fromCodePoint(0x660 + Number(digit)))],
  ])('in a remark, disguised by %s: also rejected', async (_title, disguised) => {
    const answer = await create(client(), body({ driver: driver(fresh()), remark: disguised }));
    expect([answer.status, faults(answer)]).toEqual([400, ['invalid_request remark']]);
  });

  test('in the path or query of a reservation: rejected or unknown, never echoed', async () => {
    const answers = [
      await on(client(), 'GET', NUMBER),
      await on(client(), 'GET', `?confirmation_number=${NUMBER}`),
      await on(client(), 'DELETE', NUMBER),
    ];
    expect(answers.map(({ status }) => status)).toEqual([404, 400, 404]);
    for (const { text } of answers) expect(text).not.toContain(NUMBER);
    expect(running().gateway.child.output()).not.toContain(NUMBER);
  });
});

describe('which offer or quote', () => {
  const refusedAs = (answer: HttpAnswer): unknown[] => {
    const [entry] = answer.errors;
    return [answer.status, entry?.reason, entry?.cause, entry?.field];
  };

  test('an expired one: 404 rate_expired, for POST and PUT', async () => {
    const { quote_id } = await quoteOf(client(), { offer_id: offers.alpine.offer_id });
    for (const [field, id] of [
      ['offer_id', offers.alpine.offer_id],
      ['quote_id', quote_id],
    ] as const) {
      const answers = [
        await create(client(), { [field]: expired(id), driver: RENTER }),
        await on(client(), 'PUT', standing.reservation_id, { [field]: expired(id) }),
      ];
      expect(answers.map(refusedAs)).toEqual(answers.map(() => [404, 'resource_failure', 'rate_expired', field]));
    }
  });

  claim(
    'API1',
    'An offer or quote that belongs to another application or is forged gets exactly the response of an unknown one.',
    async () => {
      const { offer_id } = offers.alpine;
      const { quote_id } = await quoteOf(client(), { offer_id });
      const unknownOffer = await create(client(), { offer_id: 'off_nothing', driver: RENTER });
      const unknownQuote = await create(client(), { quote_id: 'quo_nothing', driver: RENTER });
      expect([refusedAs(unknownOffer), refusedAs(unknownQuote)]).toEqual([
        [404, 'resource_failure', undefined, 'offer_id'],
        [404, 'resource_failure', undefined, 'quote_id'],
      ]);
      const middle = offer_id.length >> 1;
      const forged = offer_id.slice(0, middle) + (offer_id[middle] === 'A' ? 'B' : 'A') + offer_id.slice(middle + 1);
      const asOffers: [object, object?][] = [
        [{ offer_id }, { application: 'demo-throttled' }],
        [{ offer_id: forged }],
        [{ offer_id: `${offer_id}A` }],
        [{ offer_id: quote_id }],
        [{ offer_id: standing.reservation_id }],
      ];
      for (const [id, options] of asOffers) {
        expect((await create(client(), { ...id, driver: RENTER }, options)).errors).toEqual(unknownOffer.errors);
      }
      for (const [id, options] of [
        [{ quote_id }, { application: 'demo-throttled' as const }],
        [{ quote_id: offer_id }, {}],
      ] as const) {
        expect((await create(client(), { ...id, driver: RENTER }, options)).errors).toEqual(unknownQuote.errors);
      }
      const search = vehiclesPath({ brand: BRANDS.alpine, country_code: 'DE' });
      const foreign = await client().get(search, { token: await client().token('demo-throttled') });
      const replace = async (offer: string) =>
        (await on(client(), 'PUT', standing.reservation_id, { offer_id: offer })).errors;
      expect(await replace(String(foreign.body.vehicles[0]?.offer_id))).toEqual(await replace('off_nothing'));
    },
  );

  claim.each([
    'res_AAAAAAAAAAAAAAAAAAAA',
    'x',
    '..%2f..',
    "';%20drop%20table%20reservations;%20--",
    'res_%E2%82%AC',
    'res_%00',
    long(400),
  ])(
    ['API8', 'V1.2.4'],
    'An invalid reservation id is a 404, even if it contains SQL, a path or a null character.',
    '%s',
    async (id) => {
      const answers = [await on(client(), 'GET', id), await on(client(), 'DELETE', id)];
      expect(answers.map((answer) => refusedAs(answer).slice(0, 2))).toEqual(
        answers.map(() => [404, 'resource_failure']),
      );
    },
  );

  claim.each([
    ['unknown', 'AL000000000', 404, 'resource_failure'],
    ['empty', '', 400, 'invalid_range'],
    ['with a wildcard', '%25', 404, 'resource_failure'],
    ['with a null character', 'AL%00', 400, 'invalid_format'],
    ['of 65 characters', long(65), 400, 'invalid_range'],
  ])(
    ['API8', 'V1.2.4'],
    'Confirmation numbers with wildcards, null characters or more than 64 characters find nothing.',
    '%s: %s → %d %s',
    async (_title, number, status, reason) => {
      const answer = await on(client(), 'GET', `?confirmation_number=${number}`);
      expect([answer.status, answer.reasons]).toEqual([status, [reason]]);
    },
  );

  test('an unknown query parameter, or a repeated confirmation number: 400 naming it', async () => {
    const answers = [
      await on(client(), 'GET', '?last_name=Sample'),
      await on(client(), 'GET', '?confirmation_number=A1&confirmation_number=B2'),
      await on(client(), 'GET', '?colour=red'),
    ];
    expect(answers.map((answer) => [answer.status, faults(answer)])).toEqual([
      [400, ['invalid_request last_name']],
      [400, ['invalid_request confirmation_number']],
      [400, ['invalid_request colour']],
    ]);
  });
});

describe('the age of the driver', () => {
  test.each(['alpine', 'bravo', 'dune'] as const)(
    'too young for the car at %s: 400 not_eligible, nothing booked',
    async (supplier) => {
      const lastName = fresh();
      const answer = await create(client(), {
        offer_id: offers[supplier].offer_id,
        driver: driver(lastName, { age: 18 }),
      });
      const [entry] = answer.errors;
      expect([answer.status, entry?.reason, entry?.cause, entry?.supplier]).toEqual([
        400,
        'invalid_request',
        'not_eligible',
        supplier,
      ]);
      expect(await simulators().bookings(supplier, lastName)).toEqual([]);
    },
  );

  test('too young for the car at abg, which gives no reason: 404 no_results, nothing booked', async () => {
    const lastName = fresh();
    const answer = await create(client(), { offer_id: offers.abg.offer_id, driver: driver(lastName, { age: 18 }) });
    expect([answer.status, answer.reasons, await simulators().bookings('abg', lastName)]).toEqual([
      404,
      ['no_results'],
      [],
    ]);
  });

  test('by the date of birth: not the day before the birthday, but on it', async () => {
    const { pickup } = offers.alpine;
    const birthday = `${Number(pickup.date.slice(0, 4)) - 21}${pickup.date.slice(4, 10)}`;
    const after = new Date(Date.parse(`${birthday}T00:00:00Z`) + 86_400_000).toISOString().slice(0, 10);
    const ask = (date_of_birth: string) =>
      create(client(), { ...body(), price_tolerance: '900', driver: driver(fresh(), { date_of_birth }) });
    const [young, old] = [await ask(after), await ask(birthday)];
    expect([young.status, young.errors[0]?.cause, old.status]).toEqual([400, 'not_eligible', 201]);
  });

  test('a younger driver costs more: rejected until the new total is accepted', async () => {
    const refused = await create(client(), body({ driver: driver(fresh(), { age: 22 }) }));
    expect([refused.status, refused.errors[0]?.cause]).toEqual([400, 'price_changed']);
    const [, amount = '', currency = ''] = /total is now ([\d.]+) (\w+)/.exec(refused.errors[0]?.details ?? '') ?? [];
    expect(Math.round(Number(amount) * 100)).toBeGreaterThan(cents(offers.alpine.price.total));
    const answer = await create(
      client(),
      body({ driver: driver(fresh(), { age: 22 }), accepted_total: { amount, currency } }),
    );
    expect(answer.status).toBe(201);
  });

  claim(
    ['API3', 'V2.2.3'],
    'If the age and date of birth of a driver contradict each other, the date decides.',
    async () => {
      const answer = await create(
        client(),
        body({ driver: driver(fresh(), { age: 18, date_of_birth: '1980-05-31' }) }),
      );
      expect(answer.status).toBe(201);
    },
  );
});

test('paths with more after the id, and methods that the path does not have: 404', async () => {
  const answers = [
    await client().get(`${RESERVATIONS}${standing.reservation_id}/driver`),
    await client().post(`${RESERVATIONS}${standing.reservation_id}`, body()),
    await client().get('/cars/reservation/v2/'),
  ];
  expect(answers.map(({ status, reasons }) => [status, reasons])).toEqual(
    answers.map(() => [404, ['resource_failure']]),
  );
});
