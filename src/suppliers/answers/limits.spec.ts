import { describe, expect, it } from '@jest/globals';
import type { LocationDetails } from '../../model/location-details.js';
import type { SupplierLocation } from '../../model/locations.js';
import type { SupplierOffer } from '../../model/offers.js';
import type { Operation } from '../../model/supplier.js';
import { sampleOffer } from '../../representations/fixtures/sample-offer.js';
import { checkAnswer } from './limits.js';

const place = sampleOffer.pickup;
const [item] = [
  {
    kind: 'tax',
    description: 'x',
    amount: { amountMinor: 1, currency: 'USD' },
    unit: 'day',
    quantity: 1,
    mandatory: true,
    includedInTotal: true,
    payable: 'now',
  },
] as const;

/** The first value of the answer that is refused, with the reason; undefined if all of it is within its limits. */
function refused(operation: Operation, answer: unknown): string | undefined {
  try {
    checkAnswer(operation, answer);
    return undefined;
  } catch (error) {
    expect(error).toMatchObject({ name: 'SupplierError', fault: 'bad_payload', sent: true });
    return (error as Error).message;
  }
}

const offer = (more: object): string | undefined =>
  refused('searchVehicles', { items: [sampleOffer, { ...sampleOffer, ...more }] });
const location = (more: object): string | undefined => refused('searchLocations', { items: [{ ...place, ...more }] });
const long = (characters: number): string => 'x'.repeat(characters);
const many = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);

describe('the limits of an answer', () => {
  it('let a normal answer pass', () => {
    expect(offer({})).toBeUndefined();
    expect(location({})).toBeUndefined();
    expect(refused('priceCheck', { items: [sampleOffer] })).toBeUndefined();
    expect(refused('book', { status: 'confirmed', confirmationNumber: 'A1', ref: {} })).toBeUndefined();
    expect(refused('retrieve', { items: [] })).toBeUndefined();
    expect(refused('cancel', {})).toBeUndefined();
  });

  it.each<[string, object]>([
    [
      'item 1: vehicle.name has 301 characters; the limit is 300',
      { vehicle: { ...sampleOffer.vehicle, name: long(301) } },
    ],
    [
      'item 1: vehicle.imageUrl has 3000 characters; the limit is 2048',
      { vehicle: { ...sampleOffer.vehicle, imageUrl: long(3_000) } },
    ],
    ['item 1: name has 6000000 characters; the limit is 300', { pickup: { ...place, name: long(6_000_000) } }],
    ['item 1: name has 301 characters; the limit is 300', { dropoff: { ...place, name: long(301) } }],
    ['item 1: terms.text has 100001 characters; the limit is 100000', { terms: [{ kind: 'x', text: long(100_001) }] }],
    ['item 1: terms has 101 items; the limit is 100', { terms: many(101, { kind: 'x' }) }],
    [
      'item 1: price.items has 201 items; the limit is 200',
      { price: { ...sampleOffer.price, items: many(201, item) } },
    ],
    [
      'item 1: price.items.description has 1001 characters; the limit is 1000',
      { price: { ...sampleOffer.price, items: [{ ...item, description: long(1_001) }] } },
    ],
    [
      'item 1: extras has 201 items; the limit is 200',
      { extras: many(201, { code: 'a', type: 'b', name: 'c', maxQuantity: 1, mandatory: false }) },
    ],
    [
      'item 1: coverages.name has 301 characters; the limit is 300',
      { coverages: [{ code: 'a', type: 'b', name: long(301), included: true, mandatory: false }] },
    ],
    [
      'item 1: cancellation.rules.text has 100001 characters; the limit is 100000',
      { cancellation: { rules: [{ text: long(100_001) }], source: 'text' } },
    ],
    [
      'item 1: rate.discountsApplied has 21 items; the limit is 20',
      { rate: { ...sampleOffer.rate, discountsApplied: many(21, 'x') } },
    ],
    ['item 1: supplierRef has more than 30 members or 3000 characters', { supplierRef: { a: long(3_000) } }],
    ['item 1: supplierRef has a NUL or half a surrogate pair', { supplierRef: { a: 'x\0y' } }],
    ['item 1: supplierRef has a NUL or half a surrogate pair', { supplierRef: { a: 'x\ud83d' } }],
    [
      'item 1: supplierRef has more than 30 members or 3000 characters',
      { supplierRef: Object.fromEntries(many(31, 0).map((_, index) => [index, index])) },
    ],
    [
      'item 1: price.total is not a whole number of minor units up to 1000000000000',
      { price: { ...sampleOffer.price, total: { amountMinor: 1e13, currency: 'USD' } } },
    ],
    [
      'item 1: price.total is not a whole number of minor units up to 1000000000000',
      { price: { ...sampleOffer.price, total: { amountMinor: Number.NaN, currency: 'USD' } } },
    ],
    [
      'item 1: price.total has no ISO 4217 currency',
      { price: { ...sampleOffer.price, total: { amountMinor: 1, currency: long(9) } } },
    ],
    ['item 1: rentalDays is not a whole number from 0 to 10000', { rentalDays: 1.5 }],
    [
      'item 1: price.items.quantity is not a number from 0 to 1000000',
      { price: { ...sampleOffer.price, items: [{ ...item, quantity: Number.POSITIVE_INFINITY }] } },
    ],
    ['item 1: pickupDate is not a local date and time', { pickupDate: '2026-02-30T00:00:00x' }],
    ['item 1: dropoffDate is not a local date and time', { dropoffDate: '2026-13-01T00:00:00' }],
    ['item 1: expiresAt is not a time', { expiresAt: 'tomorrow' }],
    ['item 1: expiresAt has a control character or half a surrogate pair', { expiresAt: '1 Jan 2027 (\0)' }],
    ['item 1: expiresAt has 1013 characters; the limit is 100', { expiresAt: `1 Jan 2027 (${long(1_000)})` }],
    ['item 1: expiresAt is not text', { expiresAt: 1_800_000_000_000 }],
    ['item 1: brand is not text', { brand: { name: 'x' } }],
    ['item 1: terms is not a list', { terms: { length: 1 } }],
  ])('%s', (message, more) => {
    expect(offer(more)).toBe(message);
  });

  it.each<[string, object]>([
    ['item 0: latitude is not a number from -90 to 90', { latitude: 999 }],
    ['item 0: longitude is not a number from -180 to 180', { longitude: Number.NaN }],
    ['item 0: phone has 101 characters; the limit is 100', { phone: long(101) }],
    ['item 0: address.lines has 11 items; the limit is 10', { address: { ...place.address, lines: many(11, 'x') } }],
    ['item 0: address.city has 301 characters; the limit is 300', { address: { ...place.address, city: long(301) } }],
    [
      'item 0: openingHours has 101 items; the limit is 100',
      { openingHours: many(101, { day: 'mon', open: '00:00', close: '24:00' }) },
    ],
    [
      'item 0: specialHours.slots has 21 items; the limit is 20',
      { specialHours: [{ slots: many(21, { open: '00:00', close: '24:00' }) }] },
    ],
    ['item 0: services has 51 items; the limit is 50', { services: many(51, 'x') }],
  ])('of a location: %s', (message, more) => {
    expect(location(more)).toBe(message);
  });

  it.each<[string, Operation, unknown]>([
    ['answer has 1001 items; the limit is 1000', 'searchVehicles', { items: many(1_001, sampleOffer) }],
    ['answer has 1001 items; the limit is 1000', 'searchLocations', { items: many(1_001, place) }],
    ['answer has 101 items; the limit is 100', 'retrieve', { items: many(101, { status: 'confirmed', ref: {} }) }],
    [
      'confirmationNumber has 101 characters; the limit is 100',
      'book',
      { status: 'confirmed', confirmationNumber: long(101), ref: {} },
    ],
    [
      'total is not a whole number of minor units up to 1000000000000',
      'modify',
      { status: 'confirmed', ref: {}, total: { amountMinor: 0.5, currency: 'USD' } },
    ],
    ['pickup.iataCode is not text', 'book', { status: 'confirmed', ref: {}, pickup: { code: 'B7', iataCode: 7 } }],
    [
      'dropoff.latitude is not a number from -90 to 90',
      'modify',
      { status: 'confirmed', ref: {}, dropoff: { code: 'B7', latitude: '42.36', longitude: -71 } },
    ],
    [
      'item 0: pickup.longitude is not a number from -180 to 180',
      'retrieve',
      { items: [{ status: 'confirmed', ref: {}, pickup: { code: 'B7', latitude: 42, longitude: 200 } }] },
    ],
    ['cancellationNumber has 101 characters; the limit is 100', 'cancel', { cancellationNumber: long(101) }],
  ])('%s (%s)', (message, operation, answer) => {
    expect(refused(operation, answer)).toBe(message);
  });

  it("let a price check list all 167 extras of ABG's contract", () => {
    const option = { code: 'GPS', type: 'navigation', name: 'GPS Unit', maxQuantity: 3, mandatory: false };
    expect(refused('priceCheck', { items: [{ ...sampleOffer, extras: many(167, option) }] })).toBeUndefined();
  });

  it('let the offers of an answer name at most 100 different locations', () => {
    const at = (count: number) => ({
      items: Array.from({ length: 1_000 }, (_, index) => ({
        ...sampleOffer,
        pickup: { ...place, phone: `617 ${index % count}` },
        dropoff: { ...place, phone: `617 ${index % count}` },
      })),
    });
    expect(refused('searchVehicles', at(100))).toBeUndefined();
    expect(refused('searchVehicles', at(101))).toBe('item 100: answer has more than 100 different locations');
    expect(refused('searchLocations', { items: at(1_000).items.map(({ pickup }) => pickup) })).toBeUndefined();
  });

  it('count what offers share for each of them: a text of 20 kB in a thousand offers is 20 MB when rendered', () => {
    const terms = [{ kind: 'conditions', text: long(20_000) }];
    const sharing = (count: number) => ({ items: many(count, { ...sampleOffer, terms }) });
    expect(refused('searchVehicles', sharing(100))).toBeUndefined();
    expect(refused('searchVehicles', sharing(1_000))).toMatch(
      /^item \d+: answer has more than 4000000 bytes when rendered$/,
    );
  });

  it.each<[string, string, number]>([
    ['letters', 'x', 1],
    ['letters of Europe', 'é', 2],
    ['Chinese characters', '字', 3],
    ['emoji', '🚗', 4],
    ['quotes', '"', 2],
    ['backslashes', '\\', 2],
    ['line breaks', '\n', 2],
  ])('count bytes in JSON, not characters: %s', (_, character, bytes) => {
    const text = character.repeat(Math.floor(20_000 / character.length));
    const size = Math.floor(20_000 / character.length) * bytes;
    expect(Buffer.byteLength(JSON.stringify(text)) - 2).toBe(size);
    const sharing = (count: number) => ({ items: many(count, { ...sampleOffer, terms: [{ kind: 'x', text }] }) });
    expect(refused('searchVehicles', sharing(Math.floor(4_000_000 / (size + 5_000))))).toBeUndefined();
    expect(refused('searchVehicles', sharing(Math.ceil(4_000_000 / size)))).toMatch(/more than 4000000 bytes/);
  });

  it('let an offer of a search have 200 kB: a few of them would fill the answer to the caller', () => {
    const terms = (count: number) => many(count, { kind: 'x', text: '字'.repeat(5_000) });
    expect(offer({ terms: terms(13) })).toBeUndefined();
    expect(offer({ terms: terms(14) })).toBe('item 1: offer has more than 200000 bytes when rendered');
    const priced = (count: number) => refused('priceCheck', { items: [{ ...sampleOffer, terms: terms(count) }] });
    expect(priced(33)).toBeUndefined();
    expect(priced(34)).toBe('item 0: offer has more than 500000 bytes when rendered');
  });

  it.each(['\0', '\u0001', '\b', '\v', '\f', '\u001f', '\ud83d', '\ude97', '\ude97\ud83d'])(
    'don’t allow a control character or half a surrogate pair in any text: %j',
    (unusable) => {
      expect(location({ name: `Logan${unusable}Airport` })).toBe(
        'item 0: name has a control character or half a surrogate pair',
      );
    },
  );

  it('let texts have line breaks, tabs, emoji, and what other encodings make of quotes', () => {
    expect(location({ name: 'Logan\r\n\tAirport 🚗 \x7f\x92\u2028' })).toBeUndefined();
  });

  it.each(['\x7f', '\x80', '\x9b', '\u2028', '\u202e', '\u2066'])(
    'don’t allow %j, which is not seen, in a number of a booking, but in other texts',
    (unseen) => {
      const confirmationNumber = `A1${unseen}B`;
      const booking = { status: 'confirmed', confirmationNumber, ref: {} };
      expect(refused('book', booking)).toBe('confirmationNumber has a character that is not seen');
      expect(refused('cancel', { cancellationNumber: unseen })).toBe(
        'cancellationNumber has a character that is not seen',
      );
      const made = { status: 'confirmed', confirmationNumber: 'A1', ref: {}, sippCode: `E${unseen}` };
      const extras = [{ code: `Kid${unseen}s seat` }];
      expect(refused('book', { ...made, extras, pickup: { code: `B${unseen}7` } })).toBeUndefined();
      expect(refused('retrieve', { items: [{ ...made, extras }] })).toBeUndefined();
      expect(location({ code: `B${unseen}7`, counter: unseen })).toBeUndefined();
    },
  );

  it('never quote a value', () => {
    expect(offer({ vehicle: { ...sampleOffer.vehicle, name: `4111111111111111 ${long(300)}` } })).not.toContain('4111');
  });

  it.each<[Operation, () => object]>([
    ['searchVehicles', () => complete],
    ['locationDetails', () => completeDetails],
  ])('bound what every text member and list of the model may hold (%s)', (operation, whole) => {
    const texts: string[] = [];
    const walk = (value: unknown, path: string, put: (changed: unknown) => unknown): void => {
      if (typeof value === 'string')
        texts.push(...unbounded(path, put(long(150_000))), ...unbounded(path, put(`${value}\0`)));
      else if (Array.isArray(value)) {
        texts.push(...unbounded(path, put(many(2_000, value[0] ?? 'x'))));
        if (value.length > 0) walk(value[0], `${path}[]`, (changed) => put([changed, ...value.slice(1)]));
      } else if (typeof value === 'object' && value !== null)
        for (const [name, member] of Object.entries(value))
          walk(member, `${path}.${name}`, (changed) => put({ ...value, [name]: changed }));
    };
    const unbounded = (path: string, changed: unknown): string[] =>
      refused(operation, { items: [changed] }) === undefined ? [path] : [];
    walk(whole(), 'item', (changed) => changed);
    // Words from a list that adapters choose from.
    expect(texts).toEqual([]);
  });
});

const money = { amountMinor: 100, currency: 'USD' };
const slot = { open: '08:00', close: '18:00' };
/** A location and an offer with every member of the model. */
const fullPlace: SupplierLocation = {
  ...place,
  iataCode: 'BOS',
  counter: 'in_terminal',
  address: { lines: ['x'], city: 'x', region: 'x', postalCode: 'x', countryCode: 'US' },
  phone: 'x',
  openingHours: [{ day: 'mon', ...slot }],
  specialHours: [{ name: 'x', from: 'x', to: 'x', slots: [slot] }],
  services: ['x'],
  distance: { value: 1, unit: 'km' },
};
const complete: SupplierOffer = {
  ...sampleOffer,
  supplierRef: { a: 'x' },
  expiresAt: '2027-01-01T00:00:00Z',
  vehicle: {
    sippCode: 'ECAR',
    name: 'x',
    make: 'x',
    model: 'x',
    orSimilar: true,
    classCode: 'x',
    className: 'x',
    doors: '2-4',
    imageUrl: 'x',
    transmission: 'manual',
    fuel: 'x',
  },
  pickup: fullPlace,
  dropoff: { ...fullPlace },
  rate: { code: 'x', type: 'x', payment: 'pay_now', inclusive: true, discountsApplied: ['x'] },
  price: { ...sampleOffer.price, display: money, items: [{ ...item, code: 'x' }] },
  distancePolicy: [{ unlimited: false, included: { value: 1, unit: 'km' }, per: 'day', overage: money }],
  coverages: [
    {
      code: 'x',
      type: 'x',
      name: 'x',
      included: true,
      mandatory: true,
      pricePerDay: money,
      priceTotal: money,
      excess: money,
    },
  ],
  extras: [
    { code: 'x', type: 'x', name: 'x', pricePerDay: money, priceTotal: money, maxQuantity: 1, mandatory: false },
  ],
  deposit: { amount: money, takenAt: 'pickup' },
  cancellation: {
    refundable: true,
    freeUntil: '2027-01-01T00:00:00',
    rules: [{ from: '2027-01-01T00:00:00', until: '2027-01-01T00:00:00', fee: money, percent: 'x', text: 'x' }],
    noShowFee: money,
    noShow: { cancelBy: '2027-01-01T00:00:00', graceUntil: '2027-01-01T00:00:00', text: 'x' },
    source: 'structured',
  },
  requirements: { minAge: 18, maxAge: 99, youngDriverFee: money, acceptedCards: ['x'] },
  terms: [{ kind: 'x', url: 'x', text: 'x' }],
};
const option = { code: 'x', type: 'x', name: 'x', prices: [{ amount: money, per: 'x' }], most: money, text: 'x' };
const text = { kind: 'x', text: 'x' };
const completeDetails: LocationDetails = {
  location: fullPlace,
  minAge: 18,
  maxAge: 99,
  shuttle: { openingHours: [{ day: 'mon', ...slot }], texts: [text] },
  fees: [{ kind: 'fee', name: 'x', prices: [{ amount: money, per: 'x' }], percent: '1', most: money, text: 'x' }],
  coverages: [option],
  extras: [option],
  vehicles: [complete.vehicle],
  terms: [text],
};
