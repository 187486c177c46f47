import { describe, expect, it } from '@jest/globals';
import type { SupplierLocation } from '../../model/locations.js';
import type { SupplierOffer } from '../../model/offers.js';
import type { Operation, SupplierAnswer } from '../../model/supplier.js';
import { oneWarning } from '../../model/warnings.js';
import { sampleOffer } from '../../representations/fixtures/sample-offer.js';
import { checkAnswer } from './limits.js';
import { trimmed } from './trimmed.js';

const place = sampleOffer.pickup;
const [extra] = sampleOffer.extras;
const long = (characters: number): string => 'x'.repeat(characters);
const cut = (characters: number): string => `${long(characters - 1)}…`;

function read<T = SupplierOffer>(items: readonly unknown[], operation: Operation = 'searchVehicles') {
  const answer = trimmed(operation, { items, warnings: [] }) as SupplierAnswer<T>;
  checkAnswer(operation, answer);
  return answer;
}
const offer = (more: object, operation?: Operation) => read([{ ...sampleOffer, ...more }], operation).items[0];

describe('an answer with texts or numbers beyond the limits', () => {
  const item = {
    ...{ kind: 'tax', amount: { amountMinor: 1, currency: 'USD' }, unit: 'day', quantity: 1 },
    ...{ mandatory: true, includedInTotal: true, payable: 'now' },
  };
  const coverage = { code: 'a', type: 'b', included: true, mandatory: false };
  const vehicle = (more: object) => ({ vehicle: { ...sampleOffer.vehicle, ...more } });

  it.each<[string, object, object]>([
    [
      'coverages.name cut to 300 characters',
      { coverages: [{ ...coverage, name: long(454) }] },
      { coverages: [{ ...coverage, name: cut(300) }] },
    ],
    [
      'extras.name cut to 300 characters',
      { extras: [{ ...extra, name: long(301) }] },
      { extras: [{ ...extra, name: cut(300) }] },
    ],
    [
      'coverages left out: a code of more than 100 characters',
      {
        coverages: [
          { ...coverage, name: 'c' },
          { ...coverage, code: long(119), name: 'd' },
        ],
      },
      { coverages: [{ ...coverage, name: 'c' }] },
    ],
    [
      'extras left out: a code of more than 100 characters',
      { extras: [{ ...extra, code: long(101) }, extra] },
      { extras: [extra] },
    ],
    [
      'price.items.code left out: more than 100 characters',
      { price: { ...sampleOffer.price, items: [{ ...item, code: long(101) }] } },
      { price: { ...sampleOffer.price, items: [{ ...item, code: undefined }] } },
    ],
    [
      'vehicle.name cleaned of characters that are not seen',
      vehicle({ name: 'Fiat \u202eadnaP\u202c \x92or\x9b2J similar\u2028' }),
      vehicle({ name: 'Fiat adnaP  or 2J similar ' }),
    ],
    [
      'phone cleaned of characters that are not seen',
      { pickup: { ...place, phone: '\u202a+1 617 555 0100\u202c' } },
      { pickup: { ...place, phone: '+1 617 555 0100' } },
    ],
    [
      'extras left out: a code of characters that are not seen',
      { extras: [{ ...extra, code: 'G\x9bPS' }, extra] },
      { extras: [extra] },
    ],
    [
      'address.postalCode cleaned of characters that are not seen',
      { pickup: { ...place, address: { ...place.address, postalCode: '\u202a1010\u202c' } } },
      { pickup: { ...place, address: { ...place.address, postalCode: '1010' } } },
    ],
    [
      'services cleaned of characters that are not seen',
      { dropoff: { ...place, services: ['Key\x96box', 'shuttle'] } },
      { dropoff: { ...place, services: ['Key box', 'shuttle'] } },
    ],
    ['vehicle.doors cleaned of characters that are not seen', vehicle({ doors: '2\x964' }), vehicle({ doors: '2 4' })],
    [
      'vehicle.classCode cleaned of characters that are not seen',
      vehicle({ classCode: 'Economy \x96 A' }),
      vehicle({ classCode: 'Economy   A' }),
    ],
    [
      'rate.discountsApplied cleaned of characters that are not seen',
      { rate: { ...sampleOffer.rate, discountsApplied: ['Member\x92s'] } },
      { rate: { ...sampleOffer.rate, discountsApplied: ['Member s'] } },
    ],
    [
      'rate.code cleaned of characters that are not seen',
      { rate: { ...sampleOffer.rate, code: 'BAR\u202c' } },
      { rate: { ...sampleOffer.rate, code: 'BAR' } },
    ],
    [
      'requirements.acceptedCards cleaned of characters that are not seen',
      { requirements: { acceptedCards: ['Diner\x92s Club'] } },
      { requirements: { acceptedCards: ['Diner s Club'] } },
    ],
    [
      'vehicle.fuel cleaned of characters that are not seen',
      vehicle({ fuel: 'die\u202esel' }),
      vehicle({ fuel: 'diesel' }),
    ],
    [
      'vehicle.imageUrl left out: characters that are not seen',
      vehicle({ imageUrl: 'https://cars.example.com/\u202egnp.1' }),
      vehicle({ imageUrl: undefined }),
    ],
    [
      'terms.url left out: characters that are not seen',
      { terms: [{ kind: 'x', url: 'https://cars.example.com/\x96', text: 'Read this.' }] },
      { terms: [{ kind: 'x', url: undefined, text: 'Read this.' }] },
    ],
    ['vehicle.name cut to 300 characters', vehicle({ name: long(301) }), vehicle({ name: cut(300) })],
    ['name cut to 300 characters', { pickup: { ...place, name: long(400) } }, { pickup: { ...place, name: cut(300) } }],
    [
      'price.items.description cut to 1000 characters',
      { price: { ...sampleOffer.price, items: [{ ...item, description: long(1_362) }] } },
      { price: { ...sampleOffer.price, items: [{ ...item, description: cut(1_000) }] } },
    ],
    [
      'terms.text cut to 20000 characters',
      { terms: [{ kind: 'x', text: long(22_139) }] },
      { terms: [{ kind: 'x', text: cut(20_000) }] },
    ],
    [
      'cancellation.rules.text cut to 20000 characters',
      { cancellation: { rules: [{ text: long(20_001) }], source: 'text' } },
      { cancellation: { rules: [{ text: cut(20_000) }], source: 'text' } },
    ],
    [
      'vehicle.imageUrl left out: more than 2048 characters',
      vehicle({ imageUrl: long(3_000) }),
      vehicle({ imageUrl: undefined }),
    ],
    [
      'vehicle.seats left out: not a whole number up to 10000',
      vehicle({ seats: 99_999 }),
      vehicle({ seats: undefined }),
    ],
    [
      'extras.maxQuantity taken as no maximum',
      { extras: [{ ...extra, maxQuantity: 99_999 }] },
      { extras: [{ ...extra, maxQuantity: 9 }] },
    ],
    [
      'extras.maxQuantity taken as no maximum',
      { extras: [{ ...extra, maxQuantity: 2_147_483_647 }] },
      { extras: [{ ...extra, maxQuantity: 9 }] },
    ],
    [
      'requirements.maxAge taken as no maximum',
      { requirements: { minAge: 21, maxAge: 99_999 } },
      { requirements: { minAge: 21, maxAge: undefined } },
    ],
    [
      'distancePolicy.included taken as no limit',
      { distancePolicy: [{ unlimited: false, included: { value: 9_999_999, unit: 'km' }, per: 'day' }] },
      { distancePolicy: [{ unlimited: true }] },
    ],
  ])('is served, with the warning "%s"', (warning, sent, served) => {
    const { items, warnings } = read([sampleOffer, { ...sampleOffer, ...sent }]);
    expect(items).toEqual([sampleOffer, { ...sampleOffer, ...served }]);
    expect(warnings).toEqual(oneWarning('incomplete', warning));
  });

  it.each<[string, object]>([
    ['price.total', { price: { ...sampleOffer.price, total: { amountMinor: 1e13, currency: 'USD' } } }],
    ['requirements.minAge', { requirements: { minAge: 99_999 } }],
    ['extras.code', { extras: [{ ...extra, mandatory: true, code: long(101) }] }],
    ['extras has 201 items', { extras: Array.from({ length: 201 }, () => extra) }],
    ['terms has 101 items', { terms: Array.from({ length: 101 }, () => ({ kind: 'x', text: long(30_000) })) }],
    ['coverages is not a list', { coverages: undefined }],
    ['vehicle.name is not text', vehicle({ name: { length: 500 } })],
    ['vehicle.name has 20001 characters', vehicle({ name: long(20_001) })],
    ['terms.text has 200001 characters', { terms: [{ kind: 'x', text: long(200_001) }] }],
    ['control character', vehicle({ name: `\0${long(400)}` })],
    ['extras.maxQuantity', { extras: [{ ...extra, maxQuantity: '99999' }] }],
  ])('is still refused for what the gateway can neither leave out nor shorten: %s', (problem, sent) => {
    expect(() => read([{ ...sampleOffer, ...sent }])).toThrow(problem);
  });

  it('never has half a surrogate pair where a text was cut', () => {
    for (const before of ['', 'x']) {
      const [seat] = offer({ extras: [{ ...extra, name: `${before}${'🚗'.repeat(200)}` }] })?.extras ?? [];
      expect(seat?.name).toBe(`${before}${'🚗'.repeat(149)}…`);
    }
  });

  it('has more room for texts in a price check, which returns one offer', () => {
    const terms = (characters: number) => [{ kind: 'policy', text: long(characters) }];
    expect(offer({ terms: terms(60_000) }, 'priceCheck')?.terms).toEqual(terms(60_000));
    expect(offer({ terms: terms(100_001) }, 'priceCheck')?.terms[0]?.text).toBe(cut(100_000));
    // Three quarters of 250,000 bytes for the terms, with two ellipses of three bytes.
    const both = offer({ terms: [...terms(100_000), ...terms(100_000)] }, 'priceCheck')?.terms;
    expect(both?.map(({ text }) => text?.length)).toEqual([93_748, 93_748]);
  });

  it('has less room for the texts of many cars, so that all of them are served', () => {
    const terms = [{ kind: 'policy', text: long(60_000) }];
    const { items } = read(Array.from({ length: 500 }, () => ({ ...sampleOffer, terms })));
    // An ellipsis has three bytes.
    expect([items.length, items[0]?.terms[0]?.text?.length]).toEqual([500, 2_998]);
  });

  const rules = (count: number, text: string) => Array.from({ length: count }, () => ({ text }));
  it.each<[string, number, object]>([
    ['two shared terms', 200, { terms: [1, 2].map((at) => ({ kind: `${at}`, text: long(30_000) })) }],
    ['a term in Cyrillic', 100, { terms: [{ kind: 'x', text: 'я'.repeat(30_000) }] }],
    ['a term in Thai', 100, { terms: [{ kind: 'x', text: 'ก'.repeat(30_000) }] }],
    ['eleven terms', 1, { terms: rules(11, long(20_000)).map((term) => ({ kind: 'x', ...term })) }],
    ['emoji', 300, { terms: [{ kind: 'x', text: '🚗'.repeat(20_000) }] }],
    ['cancellation rules', 300, { cancellation: { rules: rules(2, long(30_000)), source: 'text' } }],
    ['a no-show', 300, { cancellation: { rules: [], noShow: { text: 'я'.repeat(30_000) }, source: 'text' } }],
  ])('counts the bytes of all texts of each car: %s', (_case, cars, more) => {
    const { items } = read(Array.from({ length: cars }, () => ({ ...sampleOffer, ...more })));
    expect(items).toHaveLength(cars);
    expect(JSON.stringify(items)).toContain('…');
  });

  it('leaves what short texts need to the long ones', () => {
    const terms = [{ kind: 'a', text: 'short' }, ...rules(2, long(9_000)).map((term) => ({ kind: 'b', ...term }))];
    const { items, warnings } = read(Array.from({ length: 100 }, () => ({ ...sampleOffer, terms })));
    // 15,000 bytes - 5, of which both ellipses have six.
    expect(items[0]?.terms.map(({ text }) => text?.length)).toEqual([5, 7_495, 7_495]);
    expect(warnings).toEqual(oneWarning('incomplete', 'texts of terms cut to 15000 bytes'));
  });

  it('is trimmed for locations and their details, too', () => {
    const { items } = read<SupplierLocation>(
      [{ ...place, phone: long(150), address: { ...place.address, lines: [long(301)] } }],
      'searchLocations',
    );
    expect(items[0]).toMatchObject({ phone: cut(100), address: { lines: [cut(300)] } });
    const option = { code: 'a', type: 'b', name: long(400), prices: [] };
    const details = {
      location: { ...place, name: long(301) },
      maxAge: 999,
      fees: [],
      coverages: [option],
      extras: [],
      vehicles: [],
      terms: [],
    };
    expect(read<object>([details], 'locationDetails').items[0]).toMatchObject({
      location: { name: cut(300) },
      maxAge: undefined,
      coverages: [{ name: cut(300) }],
    });
  });

  it('shares what its offers shared', () => {
    const pickup = { ...place, name: long(301) };
    const terms = [{ kind: 'x', text: long(20_001) }];
    const [one, other] = read([1, 2].map(() => ({ ...sampleOffer, pickup, dropoff: pickup, terms }))).items;
    expect(one?.pickup).toBe(other?.dropoff);
    expect(one?.terms).toBe(other?.terms);
    expect(pickup.name).toBe(long(301));
  });
});

it('an answer within the limits is returned as it is', () => {
  for (const operation of ['searchVehicles', 'priceCheck'] as const) {
    const answer = { items: [sampleOffer], warnings: [] };
    expect(trimmed(operation, answer)).toBe(answer);
  }
  const booked = { status: 'confirmed', confirmationNumber: long(500), ref: {} };
  expect(trimmed('book', booked)).toBe(booked);
});
