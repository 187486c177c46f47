import { createSecretKey } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { Coverage, Extra, PaymentType, PriceItem, SupplierOffer } from '../model/offers.js';
import type { ComparedChoices } from './charges-besides.js';
import { sampleOffer, usd } from './fixtures/sample-offer.js';
import { LocationFactsCache } from './location-view.js';
import { rentalView } from './rental-view.js';
import { type ShownTerms, termsOfView, termsOfWords, termWords, worseTerms } from './shown-terms.js';

const chf = (amountMinor: number) => ({ amountMinor, currency: 'CHF' });
const km = (value: number) => ({ value, unit: 'km' as const });
const shown: SupplierOffer = {
  ...sampleOffer,
  coverages: [],
  status: 'on_request',
  rate: { ...sampleOffer.rate, payment: 'pay_partial' },
  price: { ...sampleOffer.price, dueNow: usd(1_000), dueAtCounter: usd(9_000) },
  cancellation: { refundable: true, freeUntil: '2027-01-30T10:00:00', rules: [], source: 'structured' },
  distancePolicy: [{ unlimited: false, included: km(100), per: 'day' }],
  deposit: { amount: usd(20_000) },
};
const endless: SupplierOffer = { ...shown, distancePolicy: [{ unlimited: true }] };

const same: ComparedChoices = {
  total: sampleOffer.price.total,
  isSamePrice: true,
  isSameAge: true,
  before: { extras: [], coverages: [] },
  now: { extras: [], coverages: [] },
};
const chosen = (coverages: readonly string[], ...codes: string[]) => ({
  extras: codes.map((code) => ({ code, quantity: 1 })),
  coverages,
});
/** With an infant seat, for 20.00 USD. */
const other: ComparedChoices = { ...same, isSamePrice: false, now: chosen([], 'CSI') };
/** At 0.80 CHF for one USD. */
const convert: NonNullable<ComparedChoices['convert']> = ({ amountMinor }) => chf(amountMinor * 0.8);
const converted: ComparedChoices = { ...other, convert };
const seen = (offer: SupplierOffer) => termsOfWords(termWords(offer, offer.deposit));

function worse(before: SupplierOffer, changes: Partial<SupplierOffer>, choices = same): readonly string[] {
  return worseTerms(seen(before), { ...before, ...changes }, choices);
}

const depositOf = (text: string) => {
  const [amount = '', currency = ''] = text.split(' ');
  return { amount: { amountMinor: Math.round(Number(amount) * 100), currency } };
};

/** Coverages of the type `type`; the codes of included ones begin with +, and others have a price. */
const covers = (type: string, ...codes: string[]): readonly Coverage[] =>
  codes.map((text) => ({
    code: text.replace('+', ''),
    ...{ type, name: text, included: text.startsWith('+'), mandatory: false },
    ...(!text.startsWith('+') && { priceTotal: usd(900) }),
  }));
const stated = (changes: Partial<Coverage>) => covers('other', 'TP 1').map((one) => ({ ...one, ...changes }));
const line: Partial<PriceItem> = { kind: 'coverage', code: 'TP 1', includedInTotal: true };
const covered = { ...sampleOffer, coverages: covers('theft_protection', '+TP 1', '+A,B', 'PAI') };
const charge: PriceItem = {
  ...{ kind: 'fee', description: 'Toll pass', unit: 'rental', quantity: 1, payable: 'counter' },
  ...{ mandatory: true, includedInTotal: false, amount: usd(300) },
};
const besides = (...more: Partial<PriceItem>[]) => ({
  price: {
    ...sampleOffer.price,
    items: [{ ...charge, includedInTotal: true }, ...more.map((one) => ({ ...charge, ...one }))],
  },
});
const listed = { ...sampleOffer, ...besides() };
const prepaid = (payment: PaymentType, due: number) => ({
  rate: { ...sampleOffer.rate, payment },
  price: { ...sampleOffer.price, dueNow: usd(due) },
});
const nowAll = 'the payment is pay_now instead of pay_partial';
const onlyRental: SupplierOffer = {
  ...sampleOffer,
  price: {
    ...sampleOffer.price,
    items: (['rental', 'tax', 'equipment'] as const).map((kind) => ({ ...charge, kind, includedInTotal: true })),
  },
};

describe('the terms in an id', () => {
  it('are those that may be worse later, and of most offers only that nothing is due now', () => {
    expect(termsOfWords(termWords(shown, shown.deposit))).toEqual({
      onRequest: true,
      freeUntil: '202701301000',
      distance: '100km/day',
      dueNow: 1_000,
      deposit: '20000USD',
    });
    expect(termsOfWords(termWords(endless))).toMatchObject({ unlimited: true });
    expect(termWords({ ...sampleOffer, coverages: [] })).toEqual(['n0']);
    expect(termWords({ ...sampleOffer, coverages: [], ...prepaid('pay_now', 10_000) })).toEqual([]);
    expect(seen({ ...covered, ...besides({}, { amount: usd(50) }, { mandatory: false }) })).toEqual({
      ...{ dueNow: 0, included: ['TP1', 'AB'] },
      besides: 350,
    });
    expect(seen({ ...sampleOffer, ...besides({ amount: chf(9_500) }, { amount: chf(500) }) })).toEqual({
      ...{ dueNow: 0, included: ['CDW'] },
      besides: 0,
      local: { CHF: 10_000 },
    });
    expect(termsOfWords(['x', 'later'])).toEqual({});
  });

  it('are short, however many coverages are included', () => {
    const codes = Array.from({ length: 100 }, (_, index) => `+${index}${'X'.repeat(20)}`);
    expect(termWords({ ...sampleOffer, coverages: covers('other', ...codes) }).join(' ').length).toBeLessThan(165);
  });

  it.each([shown, endless, covered, { ...covered, ...besides({}, { amount: chf(1), kind: 'airport' }) }])(
    'are the same from the view of a booking: %#',
    (offer) => {
      const view = rentalView('uno', offer, new LocationFactsCache(createSecretKey(Buffer.alloc(32, 7))));
      const { onRequest: _status, ...terms } = seen(offer);
      const { unchosen: _kinds, ...booked } = termsOfView(view);
      expect(booked).toEqual(terms);
    },
  );
});

describe('terms', () => {
  const { cancellation } = shown;
  it.each<[string, SupplierOffer, Partial<SupplierOffer>]>([
    ['cancelling is no longer free', shown, { cancellation: { refundable: false, rules: [], source: 'structured' } }],
    [
      'cancelling is free only until 2027-01-30T09:59:00',
      shown,
      { cancellation: { ...cancellation, freeUntil: '2027-01-30T09:59:00' } },
    ],
    ['less distance is included', shown, { distancePolicy: [{ unlimited: false, included: km(50), per: 'day' }] }],
    ['the distance is no longer unlimited', endless, { distancePolicy: shown.distancePolicy }],
    ['10.01 USD is due now', shown, { price: { ...shown.price, dueNow: usd(1_001) } }],
    ['the deposit is 5000.00 USD', shown, { deposit: { amount: usd(500_000) } }],
    ['the coverage TP 1 (other) is no longer included', covered, { coverages: covers('other', 'TP 1', '+A,B') }],
    [
      'the coverage TP 1 (other) is no longer included',
      covered,
      { coverages: stated({ mandatory: true }), ...besides({ ...line, includedInTotal: false }) },
    ],
    ['3.00 USD must be paid besides the total', listed, besides({})],
    ['6.00 USD must be paid besides the total', { ...listed, ...besides({}) }, besides({}, {})],
    ['95.00 CHF must be paid besides the total', { ...listed, ...besides({}) }, besides({}, { amount: chf(9_500) })],
    [
      '96.00 CHF must be paid besides the total',
      { ...onlyRental, ...besides({ amount: chf(9_500) }) },
      besides({ amount: chf(9_600) }),
    ],
  ])('are worse: %s', (text, before, changes) => {
    expect(worse(before, changes)).toEqual([text]);
  });

  it.each<[string, SupplierOffer, Partial<SupplierOffer>]>([
    ['the same', shown, {}],
    ['a later deadline', shown, { cancellation: { ...cancellation, freeUntil: '2027-01-30T10:01:00' } }],
    ['no machine-readable cancellation', shown, { cancellation: { rules: [], source: 'text' } }],
    ['an unlimited distance', shown, { distancePolicy: [{ unlimited: true }] }],
    ['a distance in another unit', shown, { distancePolicy: [{ unlimited: false, included: km(50), per: 'rental' }] }],
    ['no statement about the distance', endless, { distancePolicy: [] }],
    [
      'less due now, and a lower deposit',
      shown,
      { price: { ...shown.price, dueNow: usd(0) }, deposit: { amount: usd(0) } },
    ],
    ['coverages that are not mentioned', covered, { coverages: covers('other', 'PAI') }],
    [
      'another included coverage of the type',
      covered,
      { coverages: covers('theft_protection', 'TP 1', 'A,B', '+TP 2') },
    ],
    [
      'the same coverage, offered for more as well',
      covered,
      { coverages: [...covered.coverages, ...covers('other', 'TP 1')] },
    ],
    ['a coverage that is mandatory', covered, { coverages: stated({ mandatory: true }) }],
    ['a coverage in the total', covered, { coverages: stated({}), ...besides(line) }],
    ['a coverage without a price', covered, { coverages: stated({ priceTotal: undefined as never }) }],
    ['a coverage for nothing', covered, { coverages: stated({ priceTotal: usd(0) }) }],
    ['charges where none were listed', sampleOffer, besides({})],
    ['charges where only the rental and its taxes were', onlyRental, besides({})],
    ['a charge converted again', { ...listed, ...besides({ amount: usd(6_000) }) }, besides({ amount: usd(6_060) })],
    ['charges that are optional or in the total', listed, besides({ mandatory: false }, { includedInTotal: true })],
    ['a local charge where no charges were listed', sampleOffer, besides({ amount: chf(9_500) })],
    [
      'the same local charge',
      { ...listed, ...besides({ amount: chf(9_500) }) },
      besides({ amount: chf(9_500) }, { amount: chf(100), mandatory: false }),
    ],
    ['a lower charge', { ...listed, ...besides({}) }, besides({ amount: usd(299) })],
    [
      'terms where none were shown',
      sampleOffer,
      { cancellation, distancePolicy: shown.distancePolicy, deposit: { amount: usd(1) } },
    ],
  ])('are not worse: %s', (_what, before, changes) => {
    expect(worse(before, changes)).toEqual([]);
  });

  it.each<[string, string, string, number, string | undefined]>([
    ['a third of a higher total', '30.00 USD', '40.00 USD', 13_333, undefined],
    ['the total and a fixed amount', '300.00 USD', '340.00 USD', 14_000, undefined],
    ['125 % of a total, rounded', '125.00 USD', '166.66 USD', 13_333, undefined],
    ['a share in another currency', '27.77 EUR', '30.55 EUR', 11_000, undefined],
    ['more than the total rose', '30.00 USD', '40.01 USD', 11_000, 'the deposit is 40.01 USD'],
    ['a greater share in another currency', '27.77 EUR', '30.57 EUR', 11_000, 'the deposit is 30.57 EUR'],
    ['more, though the total fell', '30.00 USD', '30.01 USD', 9_000, 'the deposit is 30.01 USD'],
  ])('have a deposit of %s', (_what, before, now, total, text) => {
    const price = { ...sampleOffer.price, total: usd(total) };
    const changes = { price, deposit: depositOf(now) };
    expect(worse({ ...sampleOffer, deposit: depositOf(before) }, changes, other)).toEqual(
      text === undefined ? [] : [text],
    );
  });

  it('have a deposit of estimated charges, of which some are paid besides the total', () => {
    const before = { ...listed, deposit: { amount: usd(30_000) } };
    expect(worse(before, { ...besides({ kind: 'fee' }), deposit: { amount: usd(30_300) } }, same)).toEqual([
      '3.00 USD must be paid besides the total',
    ]);
  });

  it.each<[string, ShownTerms, Partial<SupplierOffer>, ComparedChoices, readonly string[]]>([
    ['all', { payment: 'pay_partial', dueNow: 1_000 }, prepaid('pay_now', 1_000), same, []],
    ['all, with other choices', { payment: 'pay_partial', dueNow: 1_000 }, prepaid('pay_now', 1_000), other, []],
    [
      'more',
      { payment: 'pay_partial', dueNow: 999 },
      prepaid('pay_now', 1_000),
      other,
      [nowAll, '10.00 USD is due now'],
    ],
    [
      ...(['in another currency', { payment: 'pay_partial', dueNow: 1_000 }, prepaid('pay_now', 1_000)] as const),
      ...([{ ...other, total: chf(10_000) }, [nowAll]] as const),
    ],
    [
      ...(['a part', { payment: 'pay_now' }, prepaid('pay_partial', 1_000), same] as const),
      ['the payment is pay_partial instead of pay_now'],
    ],
  ])('have another payment only if more is due now: %s', (_what, terms, changes, choices, texts) => {
    expect(worseTerms(terms, { ...sampleOffer, ...changes }, choices)).toEqual(texts);
  });

  it.each<[string, SupplierOffer, Partial<SupplierOffer>, ComparedChoices, readonly string[]]>([
    [
      'a coverage that was included as chosen',
      covered,
      { coverages: covers('other', 'TP 1') },
      { ...other, before: chosen(['TP 1']) },
      [],
    ],
    [
      'a coverage that is chosen now',
      covered,
      { coverages: covers('other', 'TP 1') },
      { ...other, now: chosen(['TP 1']) },
      [],
    ],
    [
      'one that the chosen replaces',
      covered,
      { coverages: covers('cdw', 'TP 1', 'PAI') },
      { ...other, now: chosen(['PAI']) },
      [],
    ],
    [
      'one that a better one replaces',
      covered,
      { coverages: [...covers('theft_protection', 'TP 1'), ...covers('super_theft_protection', 'PAI')] },
      { ...other, now: chosen(['PAI']) },
      [],
    ],
    [
      'one that a package replaces',
      covered,
      { coverages: [...covers('theft_protection', 'TP 1'), ...covers('protection_package', 'PAI')] },
      { ...other, now: chosen(['PAI']) },
      [],
    ],
    ...(['additional_driver', 'equipment', 'tax', 'fee', 'other', 'young_driver'] as const).map(
      (kind): [string, SupplierOffer, Partial<SupplierOffer>, ComparedChoices, readonly string[]] => [
        `a charge of the kind ${kind}, which may be for what is chosen`,
        ...([listed, besides({ kind }), other, []] as const),
      ],
    ),
    ['a new charge', listed, besides({ kind: 'airport' }), other, ['3.00 USD must be paid besides the total']],
  ])('are compared for other choices: %s', (_what, before, changes, choices, texts) => {
    expect(worse(before, changes, choices)).toEqual(texts);
  });

  const paid = (minor: number, changes: Partial<PriceItem> = {}) => ({
    ...listed,
    ...besides({ amount: usd(minor), ...changes }),
  });
  const local = (minor: number, ...more: Partial<PriceItem>[]) => ({
    ...listed,
    ...besides({ amount: chf(minor) }, ...more),
  });
  const tax = (...more: Partial<PriceItem>[]) => besides({ kind: 'tax', amount: chf(500) }, ...more);
  const totalling = (minor: number, { price: { items } }: Pick<SupplierOffer, 'price'>) => ({
    price: { ...sampleOffer.price, total: usd(minor), items },
  });
  const adding = (...codes: string[]): ComparedChoices => ({ ...other, now: chosen([], ...codes) });
  const priced = (code: string, price: Partial<Extra>) => ({
    extras: [{ code, type: 'other', name: code, maxQuantity: 9, mandatory: false, ...price }],
  });
  it.each<[string, SupplierOffer, Partial<SupplierOffer>, ComparedChoices, string | undefined]>([
    ['by what was added', paid(300), paid(2_300), other, undefined],
    ['by more', paid(300), paid(2_304), other, '23.04 USD'],
    ['by nothing that was chosen before', paid(300), paid(2_300), { ...other, before: other.now }, '23.00 USD'],
    ['if less is chosen', paid(300), paid(400), { ...same, isSamePrice: false, before: other.now }, '4.00 USD'],
    [
      ...(['by one piece more', paid(300), paid(4_400)] as const),
      ...([
        { ...other, before: other.now, now: { ...other.now, extras: [{ code: 'CSI', quantity: 2 }] } },
        '44.00 USD',
      ] as const),
    ],
    [
      'by a price per day',
      paid(0),
      { ...paid(2_101), ...priced('X', { pricePerDay: usd(700) }) },
      adding('X'),
      '21.01 USD',
    ],
    [
      'by a price per day × days',
      paid(0),
      { ...paid(2_100), ...priced('X', { pricePerDay: usd(700) }) },
      adding('X'),
      undefined,
    ],
    ['by an unknown price', paid(300), paid(90_000), adding('SNO'), undefined],
    ['by the price of a coverage', paid(0), paid(1_501), { ...other, now: chosen(['PAI']) }, '15.01 USD'],
    ['by an included coverage', paid(0), paid(1), { ...other, now: chosen(['CDW']) }, '0.01 USD'],
    ['by an option sold in another currency', paid(0), paid(901), adding('GPS'), '9.01 USD'],
    ['as much as the total', paid(300), totalling(15_000, paid(5_400)), other, undefined],
    ['by more than the total', paid(300), totalling(15_000, paid(5_500)), other, '55.00 USD'],
    ['without limit for another age', paid(300), paid(90_000), { ...other, isSameAge: false }, undefined],
    ['in proportion, for one way', paid(5_000), totalling(11_000, paid(5_555, { kind: 'one_way' })), other, undefined],
    ['more than that', paid(5_000), totalling(11_000, paid(5_556, { kind: 'one_way' })), other, '55.56 USD'],
    [
      ...(['for one way and another age', paid(5_000), paid(50_000, { kind: 'one_way' })] as const),
      ...([{ ...other, isSameAge: false }, '500.00 USD'] as const),
    ],
    ['in another currency, in proportion', local(10_000), totalling(12_000, local(12_000)), other, undefined],
    ['in another currency, more than that', local(10_000), totalling(12_000, local(12_200)), other, '122.00 CHF'],
    [
      ...(['by a local option', local(10_000)] as const),
      {
        ...local(10_000, { kind: 'equipment', code: 'X', amount: chf(7_000) }),
        ...priced('X', { priceTotal: chf(7_000) }),
      },
      ...([adding('X'), undefined] as const),
    ],
    ['by a local tax of what was added', paid(0), tax(), converted, undefined],
    ['by a local tax and a fee', paid(0), tax({ amount: chf(1) }), converted, '5.01 CHF'],
    ['by a local tax beside others', local(400), tax(), converted, '5.00 CHF'],
    ['by a local tax as high as its price', paid(0), tax({ kind: 'tax', amount: chf(1_100) }), converted, undefined],
    ['by a higher local tax', paid(0), tax({ kind: 'tax', amount: chf(1_101) }), converted, '16.01 CHF'],
    ['by a local tax without an exchange rate', paid(0), tax(), other, '5.00 CHF'],
    ['by a local tax of an unknown price', paid(0), tax(), { ...converted, now: chosen([], 'SNO') }, undefined],
    ['by a local tax of an included coverage', paid(0), tax(), { ...converted, now: chosen(['CDW']) }, '5.00 CHF'],
    [
      ...(['by a local option and its tax', paid(0)] as const),
      {
        ...tax({ kind: 'equipment', code: 'X', amount: chf(7_000) }),
        ...priced('X', { priceTotal: chf(7_000) }),
      },
      ...([adding('X'), undefined] as const),
    ],
    ['by a tax in the currency of the total', paid(0), paid(2_001, { kind: 'tax' }), other, '20.01 USD'],
    ['by a local tax of nothing', paid(0), tax(), { ...same, isSamePrice: false }, '5.00 CHF'],
    ['to a currency that appears', paid(5_000), local(5_000), other, '50.00 CHF'],
  ])('may rise with other choices: %s', (_what, before, changes, choices, text) => {
    expect(worse(before, changes, choices)).toEqual(
      text === undefined ? [] : [`${text} must be paid besides the total`],
    );
  });

  it('are compared with charges besides the total, even if the only ones listed', () => {
    const coverage = { ...onlyRental.price, items: [{ ...charge, kind: 'coverage' as const }] };
    expect(worse({ ...sampleOffer, price: coverage }, besides({}, {}))).toEqual([
      '6.00 USD must be paid besides the total',
    ]);
  });
});
