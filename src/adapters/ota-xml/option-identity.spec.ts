import { describe, expect, it } from '@jest/globals';
import type { RentalRequest } from '../../model/bookings.js';
import { createOtaXmlAdapter } from './adapter.js';
import { answering, request } from './fixtures/booking.js';
import { fixture, settings } from './fixtures/setting.js';

const whole = fixture('rate-rule.xml').toString();
const adapter = createOtaXmlAdapter(settings);
const OUTSIDE = 'CurrencyCode="CHF" TaxInclusive="true" IncludedInEstTotalInd="false"';
const cover = (name: string, amount: string, flags = OUTSIDE) =>
  `<PricedCoverage><Coverage CoverageType="40"><Description>${name}</Description></Coverage><Charge Amount="${amount}" ${flags}/></PricedCoverage>`;
const seat = (name: string, amount: string, code = '9') =>
  `<PricedEquip><Equipment EquipType="${code}"><Description>${name}</Description></Equipment><Charge Amount="${amount}" ${OUTSIDE}/></PricedEquip>`;

async function priced(rows: string, chosen: Partial<RentalRequest>) {
  const container = rows.startsWith('<PricedEquip>') ? '</PricedEquips>' : '</PricedCoverages>';
  const body = whole.replace(container, `${rows}${container}`);
  const answer = await adapter.priceCheck?.({ ...request, extras: [], coverages: [], ...chosen }, answering([body]));
  const offer = answer?.items[0];
  const added = [...(offer?.coverages ?? []).slice(2), ...(offer?.extras ?? []).slice(2)];
  return {
    total: offer?.price.total.amountMinor,
    codes: added.map(({ code, name }) => `${code}: ${name}`),
    warnings: answer?.warnings.map(({ text }) => text),
    times: answer?.warnings.map(({ times }) => times),
  };
}

const superCover = { coverages: ['40'] };
const twoSeats = { extras: [{ code: '9', quantity: 2 }] };

describe('options with the same code', () => {
  it.each<[string, string, Partial<RentalRequest>, readonly string[], string]>([
    ['coverages', cover('A', '30.00') + cover('B', '75.00'), superCover, ['other: A', 'other: B'], 'PricedCoverage'],
    [
      'a coverage that is included, and a better one',
      cover('A', '0.00', 'IncludedInRate="true"') + cover('B', '75.00'),
      ...([superCover, ['other: A', 'other: B'], 'PricedCoverage'] as const),
    ],
    ['extras', seat('A', '10.00') + seat('B', '25.00'), twoSeats, ['other: A', 'other: B'], 'PricedEquip'],
  ])('can’t be chosen, nor are they charged: %s', async (_what, rows, chosen, codes, name) => {
    const { total, codes: listed, warnings } = await priced(rows, chosen);
    expect([total, listed]).toEqual([60_000, codes]);
    const code = name === 'PricedEquip' ? 9 : 40;
    expect(warnings).toEqual([`${name}: several options have the code ${code}: they can't be chosen`]);
  });

  it.each<[string, string, Partial<RentalRequest>, readonly string[], number]>([
    ['a coverage', cover('A', '30.00') + cover('A', '30.00'), superCover, ['40: A'], 63_000],
    ['an extra for each piece', seat('A', '10.00') + seat('A', '10.00'), twoSeats, ['9: A'], 62_000],
  ])('are one if they are repeated: %s', async (_what, rows, chosen, codes, total) => {
    expect(await priced(rows, chosen)).toMatchObject({ total, codes, warnings: [] });
  });

  it('are called by what it means', async () => {
    const unnamed = (amount: string) => cover('', amount).replace(/<Description>.*<.Description>/, '');
    const { codes } = await priced(unnamed('30.00') + unnamed('75.00'), {});
    expect(codes).toEqual(['other: Super collision damage waiver', 'other: Super collision damage waiver']);
  });

  const IN_RATE = 'IncludedInRate="true"';
  const IN_TOTAL = 'CurrencyCode="CHF" IncludedInEstTotalInd="true"';

  it.each([
    ['in the rate', IN_RATE, IN_RATE],
    ['in the total', IN_TOTAL, IN_TOTAL],
    ['in either', IN_TOTAL, IN_RATE],
  ])('keep it if they are included: %s', async (_where, one, other) => {
    const rows = cover('A', '0.00', one) + cover('B', '0.00', other);
    expect(await priced(rows, {})).toMatchObject({ total: 60_000, codes: ['40: A', '40: B'], warnings: [] });
  });

  it('are read once', async () => {
    const counted = (row: string) =>
      row.replace(/\/><\/PricedCoverage>/, '><Calculation UnitName="Day" Quantity="4"/></Charge></PricedCoverage>');
    const rows = counted(cover('A', '15.00', IN_TOTAL)) + cover('B', '0.00', IN_TOTAL);
    const { codes, warnings, times } = await priced(rows, {});
    expect(codes).toEqual(['other: A', 'other: B']);
    expect(warnings).toHaveLength(2);
    expect(times).toEqual([1, 1]);
  });

  it('are different kinds of options if they are in different lists', async () => {
    expect(await priced(seat('A', '10.00', '32'), { extras: [{ code: '32', quantity: 1 }] })).toMatchObject({
      ...{ total: 61_000, codes: ['32: A'], warnings: [] },
    });
  });
});
