import { describe, expect, it } from '@jest/globals';
import { mapTaxesAndFees } from './abg/price-mapping.js';
import { createOtaXmlAdapter } from './ota-xml/adapter.js';
import { contextWith, fixture, search, settings } from './ota-xml/fixtures/setting.js';
import { flagOf } from './words/flag-words.js';

/* Whether a charge counts is read in every way that suppliers write it, or not at all (ruling 30). */

it.each(['true', 'True', 'TRUE', '1', 'Y', 'y', 'Yes', 'yes', 't', ' True '])('%j is true', (word) => {
  expect(flagOf(word)).toBe(true);
});

it.each(['false', 'False', 'FALSE', '0', 'N', 'n', 'No', 'no', 'F', ' No'])('%j is false', (word) => {
  expect(flagOf(word)).toBe(false);
});

it.each(['', ' ', 'excluded', 'NA', '2', 'constructor', '__proto__'])('%j is neither', (word) => {
  expect(flagOf(word)).toBeUndefined();
});

describe('abg', () => {
  const fees = (included: unknown) =>
    mapTaxesAndFees({ fees: [{ name: 'Airport fee', amount: '75.00', included_in_total: included }] }, 'USD', false);

  it.each([
    ['True', true],
    ['1', true],
    [1, true],
    ['No', false],
    [0, false],
    [undefined, false],
    ['NA', false],
    ['', false],
  ])('reads %j as %s', (included, expected) => {
    expect(fees(included)[0]?.included).toBe(expected);
  });

  it('refuses a fee of which it is unclear whether it is in the total', () => {
    expect(() => fees('partly')).toThrow('the amount "75.00" has included_in_total "partly"');
  });
});

describe('ota-xml', () => {
  const adapter = createOtaXmlAdapter(settings);
  const asked = {
    ...search,
    ...{ dropoff: search.pickup, pickupDate: '2027-03-01T10:30:00', dropoffDate: '2027-03-09T10:00:00' },
  };
  /** The items of a car of which a fee states a flag. */
  async function items(flag: string) {
    const recorded = fixture('2011b/avail-1.xml').toString();
    const fee = '<Fee Amount="15.00" CurrencyCode="CHF"';
    expect(recorded).toContain(fee);
    const body = Buffer.from(recorded.replace(`${fee} TaxInclusive="false"`, `${fee} ${flag}`));
    const answer = await adapter.searchVehicles?.(asked, contextWith([body]));
    return answer?.items[0]?.price.items.filter(({ amount }) => amount.amountMinor === 1_500);
  }

  it.each([
    ['True', true],
    ['YES', true],
    ['No', false],
    ['fALSE', false],
  ])('reads %s as %s', async (word, includedInTotal) => {
    expect(await items(`IncludedInEstTotalInd="${word}"`)).toMatchObject([{ includedInTotal }]);
    expect(await items(`RequiredInd="${word}"`)).toMatchObject([{ mandatory: includedInTotal }]);
  });

  it.each(['RequiredInd', 'IncludedInEstTotalInd', 'IncludedInRate', 'TaxInclusive'])(
    'refuses a car with a charge whose %s is unclear',
    async (name) => {
      await expect(items(`${name}="partly"`)).rejects.toThrow('no car of the answer could be read');
    },
  );
});
