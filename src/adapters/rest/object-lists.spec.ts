import { describe, expect, it } from '@jest/globals';
import type { VehicleSearch } from '../../model/offers.js';
import { mapBooking } from './booking-mapping.js';
import { scripted } from './fixtures/replies.js';
import { adapterOf, location, termsOf, tiny } from './fixtures/tiny.js';
import { bookingMapping } from './mapping.schema.js';
import { AnswerReader } from './wire.js';

/* Converted XML has an object in the place of a list of one, and PHP writes a list with gaps as an object. */

const offer = {
  rows: 'cars',
  ref: { no: 'no' },
  currency: "'EUR'",
  rentalDays: '`3`',
  pickup: '$answer.at',
  dropoff: '$answer.at',
  payment: "'pay_later'",
  vehicle: { name: "'Car'" },
  price: {
    total: "'300.00'",
    items: [{ rows: 'charges', description: 'name', amount: 'amount', includedInTotal: 'included' }],
  },
  coverages: { rows: '$answer.covers', code: 'code', name: 'name', included: 'included' },
  extras: { rows: '$answer.extras', code: 'code', name: 'name' },
  terms: { rows: 'terms', kind: 'kind', text: 'text' },
};
const search: VehicleSearch = {
  ...{ pickup: { supplierCode: 'B', countryCode: 'NO' }, dropoff: { supplierCode: 'B', countryCode: 'NO' } },
  ...{ pickupDate: '2031-05-06T10:00:00', dropoffDate: '2031-05-09T10:00:00', countryCode: 'NO', age: 40 },
  ...{ brands: ['Tiny'], sippCodes: [], discountCodes: [], loyalty: [], additionalDrivers: 0 },
};
const at = { code: 'B', name: 'Bergen', country: 'NO' };

/** The offer of a car with these members, beside a readable one, and the warnings. */
async function found(car: object, answer: object = {}, rows?: string) {
  const price = { ...offer.price, items: [{ ...offer.price.items[0], ...(rows !== undefined && { rows }) }] };
  const adapter = adapterOf({
    ...{ location, offer: { ...offer, price }, searchVehicles: { request: { method: 'GET', path: '/cars' } } },
  });
  const body = JSON.stringify({ at, cars: [{ no: 1, ...car }, { no: 2 }], ...answer });
  const result = await adapter.searchVehicles?.(search, scripted({ status: 200, body }));
  const first = result?.items.find(({ supplierRef }) => supplierRef.no === 1);
  return {
    first,
    charges: first?.price.items.map((item) => [item.description, item.amount.amountMinor, item.includedInTotal]),
    warnings: result?.warnings.map(({ text }) => text),
  };
}

const airport = { name: 'Airport fee', amount: '45.00', included: false };
const winter = { name: 'Winter', amount: '9.00', included: false };
const shown = [
  ['Airport fee', 4_500, false],
  ['Winter', 900, false],
];

describe.each([
  'charges',
  'charges[?name]',
  'charges[]',
  "charges[?name != 'Sum'] | [*]",
  'charges[*].{name: name, amount: amount, included: included}',
])('charges at %s', (rows) => {
  it.each<[string, unknown, unknown]>([
    ['a list', [airport, winter], shown],
    ['an object: the only row', airport, shown.slice(0, 1)],
    ['an object of rows', { 0: airport, 2: winter }, shown],
    ['an object of named rows', { airport, winter }, shown],
    ['an empty object', {}, []],
    ['null', null, []],
    ['blank', ' ', []],
    ['false', false, []],
  ])('are read from %s', async (_case, charges, expected) => {
    const result = await found({ charges }, {}, rows);
    expect([result.charges, result.warnings]).toEqual([expected, []]);
  });

  it.each([['45.00'], [45]])('make the car unreadable if they are %j', async (charges) => {
    const { first, warnings } = await found({ charges }, {}, rows);
    expect([first, warnings]).toEqual([undefined, [expect.stringContaining(' is not a list')]]);
  });

  it('are missing, with a warning, if they are a word', async () => {
    const { charges, warnings } = await found({ charges: 'none' }, {}, rows);
    expect([charges, warnings]).toEqual([[], [`${rows} is "none", not a list`]]);
  });
});

it('a single charge that is only an amount is one', async () => {
  const items = [{ rows: 'taxes', kind: "'tax'", description: "'Tax'", amount: '@' }];
  const adapter = adapterOf({
    ...{ location, offer: { ...offer, price: { ...offer.price, items } } },
    searchVehicles: { request: { method: 'GET', path: '/cars' } },
  });
  const body = JSON.stringify({ at, cars: [{ no: 1, taxes: '35.08' }] });
  const result = await adapter.searchVehicles?.(search, scripted({ status: 200, body }));
  expect(result?.items[0]?.price.items.map(({ amount }) => amount.amountMinor)).toEqual([3_508]);
});

it('an unreadable amount in an object makes the car unreadable, as in a list', async () => {
  for (const charges of [
    { ...airport, amount: '45,00' },
    { airport: { ...airport, amount: '45,00' }, winter },
  ])
    expect((await found({ charges })).first).toBeUndefined();
});

it('extras, coverages and terms are read from objects, shared by the cars', async () => {
  const [gps, seat] = [
    { code: 'GPS', name: 'Navigation' },
    { code: 'CSI', name: 'Seat' },
  ];
  const codes = async (extras: unknown) => (await found({}, { extras })).first?.extras.map(({ code }) => code);
  expect([await codes(gps), await codes({ 0: gps, 2: seat }), await codes({})]).toEqual([['GPS'], ['GPS', 'CSI'], []]);
  const { first, warnings } = await found(
    { terms: { kind: 'rental', text: 'Terms' } },
    { covers: { code: 'CDW', name: 'Damage', included: true }, extras: 'GPS' },
  );
  expect(first?.coverages.map(({ code }) => code)).toEqual(['CDW']);
  expect(first?.terms).toEqual([{ kind: 'rental', text: 'Terms' }]);
  expect(warnings).toEqual(['$answer.extras is "GPS", not a list']);
});

it('shares what it reads from an object, whose rows count once', async () => {
  const extras = Object.fromEntries(Array.from({ length: 150 }, (_, no) => [`x${no}`, { code: `X${no}`, name: 'X' }]));
  const cars = Array.from({ length: 900 }, (_, no) => ({ no }));
  const adapter = adapterOf({ location, offer, searchVehicles: { request: { method: 'GET', path: '/cars' } } });
  const body = JSON.stringify({ at, extras, cars });
  const result = await adapter.searchVehicles?.(search, scripted({ status: 200, body }));
  expect(result?.items.length).toBe(900);
  expect(result?.items[899]?.extras).toBe(result?.items[0]?.extras);
});

it('the list of an answer is never an object, which may be an error', async () => {
  await expect(found({}, { cars: { no: 1 } })).rejects.toMatchObject({ fault: 'bad_payload' });
});

describe('the extras of a booking', () => {
  const mapping = bookingMapping.parse({
    ...{ status: 'status', confirmationNumber: 'number' },
    extras: { rows: 'extras', code: 'code', quantity: 'quantity' },
  });
  const read = (extras: unknown) => {
    const node = { status: 'confirmed', number: 'N1', extras };
    return mapBooking(mapping, new AnswerReader(termsOf(tiny), node, {}), node, 'R1').extras;
  };

  it('are read from an object', () => {
    const [gps, seat] = [
      { code: 'GPS', quantity: 1 },
      { code: 'CSI', quantity: 2 },
    ];
    expect([read([gps]), read(gps), read({ 1: gps, 2: seat })]).toEqual([[gps], [gps], [gps, seat]]);
  });

  it.each([[undefined], [null], [{}], ['GPS'], [{ name: 'Navigation' }]])('aren’t known from %j', (extras) => {
    expect(read(extras)).toBeUndefined();
  });
});
