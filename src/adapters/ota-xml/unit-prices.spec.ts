import { describe, expect, it } from '@jest/globals';
import type { Money } from '../../model/money.js';
import { formatAmount, UnreadableAmountError } from '../../model/money.js';
import { createOtaXmlAdapter } from './adapter.js';
import { answering, request } from './fixtures/booking.js';
import { settings } from './fixtures/setting.js';

/*
 * Options whose only price is a Calculation. A direct supplier quotes "17.49 a day" as UnitCharge="17.49" UnitName="Day" Quantity="1" beside
 * a rental of several days, whose own Calculation states them. The total is 100.00 without options.
 */

const PICKUP = '2027-05-10T10:00:00';
/** Rentals of complete days, or of one day and five hours. */
const returnAfter = (days: number, hour = 10) => `2027-05-${10 + days}T${hour}:00:00`;

interface Case {
  readonly dropoffDate?: string;
  /** Calculation of the rental, which is 100.00. */
  readonly rental?: string;
  readonly amount?: string;
  readonly charge: string;
  readonly options?: Record<string, unknown>;
}

/** The price check of a case with these coverages, and its warnings. */
async function check(
  { dropoffDate = returnAfter(3), rental = '', amount = '', charge, options }: Case,
  coverages: readonly string[],
) {
  const body =
    `<OTA_VehRateRuleRS><Success/><VehRentalCore PickUpDateTime="${PICKUP}" ReturnDateTime="${dropoffDate}"/>` +
    `<RentalRate><VehicleCharges><VehicleCharge Purpose="1" Amount="100.00">${rental}</VehicleCharge></VehicleCharges></RentalRate>` +
    '<TotalCharge EstimatedTotalAmount="100.00" CurrencyCode="EUR"/>' +
    `<PricedCoverages><PricedCoverage><Coverage CoverageType="59"/><Charge ${amount && `Amount="${amount}"`}>${charge}</Charge></PricedCoverage></PricedCoverages></OTA_VehRateRuleRS>`;
  const adapter = createOtaXmlAdapter({
    ...settings,
    options: { ...settings.options, chosenInTotal: false, ...options },
  });
  const asked = { ...request, pickupDate: PICKUP, dropoffDate, extras: [], coverages };
  const answer = await adapter.priceCheck?.(asked, answering([body]));
  return { offer: answer?.items[0], warnings: answer?.warnings.map(({ text }) => text) };
}

/** What the option costs per day, for the rental, and what the total is if it is chosen besides the supplier's; and the warnings. */
async function priced(asked: Case) {
  const { offer, warnings } = await check(asked, []);
  const [coverage] = offer?.coverages ?? [];
  const text = (money: Money | undefined) => (money ? formatAmount(money) : '-');
  const total = await check(asked, ['59']).then(
    (chosen) => text(chosen.offer?.price.total),
    (error: unknown) => {
      if (error instanceof UnreadableAmountError) return 'refused';
      throw error;
    },
  );
  return { read: `${text(coverage?.pricePerDay)} ${text(coverage?.priceTotal)} ${total}`, warnings };
}

const daily = (quantity: string, more = '') =>
  `<Calculation UnitCharge="17.49" UnitName="Day" Quantity="${quantity}" ${more}/>`;
const weekly = (quantity: string) => `<Calculation UnitCharge="70.00" UnitName="Week" Quantity="${quantity}"/>`;
const rental = (days: number) => `<Calculation UnitCharge="1.00" UnitName="Day" Quantity="${days}"/>`;
/** What a unit of the rental costs, whatever the number of units. */
const unitOfRental = (unitCharge: string, unit = 'Day') =>
  `<Calculation UnitCharge="${unitCharge}" UnitName="${unit}" Quantity="1"/>`;
const UNCLEAR = 'Charge: for the units of its Calculation, or a price for one? Set fewerUnits: left out';
const charged = { options: { fewerUnits: 'charged' } };
const price = { options: { fewerUnits: 'price' } };

describe('the price of an option by its Calculation', () => {
  it.each<[string, Case, string]>([
    ['all days', { charge: daily('3') }, '17.49 52.47 152.47'],
    ['more than the days', { charge: daily('4') }, '17.49 69.96 169.96'],
    ['a day of one', { charge: daily('1'), dropoffDate: returnAfter(1) }, '17.49 17.49 117.49'],
    ['a day of some hours', { charge: daily('1'), dropoffDate: returnAfter(0, 15) }, '17.49 17.49 117.49'],
    ['a day of several', { charge: daily('1') }, '17.49 - 152.47'],
    ['a day of those charged', { charge: daily('1'), rental: rental(3) }, '17.49 - 152.47'],
    [
      'a day of two charged',
      { charge: daily('1'), rental: rental(2), dropoffDate: returnAfter(1, 15) },
      '17.49 - 134.98',
    ],
    ['the complete days', { charge: daily('3'), dropoffDate: returnAfter(3, 12) }, '17.49 52.47 152.47'],
    [
      'the started days',
      { charge: daily('4'), rental: rental(5), dropoffDate: returnAfter(3, 12) },
      '17.49 69.96 169.96',
    ],
    [
      'the days of the car',
      { charge: daily('6'), rental: rental(6), dropoffDate: returnAfter(7) },
      '17.49 104.94 204.94',
    ],
    [
      'the days of a week',
      { charge: daily('5'), rental: rental(7), dropoffDate: returnAfter(5) },
      '17.49 87.45 187.45',
    ],
    ['a sum', { charge: daily('1', 'Total="30.00"') }, '17.49 30.00 130.00'],
    ['nothing', { charge: '<Calculation UnitCharge="0.00" UnitName="Day" Quantity="1"/>' }, '0.00 0.00 100.00'],
    ['all hours', { charge: '<Calculation UnitCharge="1.00" UnitName="Hour" Quantity="72"/>' }, '- 72.00 172.00'],
    ['a week for less', { charge: weekly('1') }, '- 70.00 170.00'],
    ['a week of its days and some hours', { charge: weekly('1'), dropoffDate: returnAfter(7, 15) }, '- 70.00 170.00'],
    ['a limit', { charge: `<MinMax MaxCharge="30.00"/>${daily('1')}` }, '17.49 - refused'],
    ['once', { charge: '<Calculation UnitCharge="39.00" UnitName="RentalPeriod" Quantity="1"/>' }, '- 39.00 139.00'],
  ])('%s', async (_what, asked, read) => {
    expect(await priced(asked)).toEqual({ read, warnings: [] });
  });

  it.each<[string, Case]>([
    ['two days of three', { charge: daily('2') }],
    ['seven days of eight charged', { charge: daily('7'), rental: rental(8), dropoffDate: returnAfter(8) }],
    ['a day of one and some hours', { charge: daily('1'), dropoffDate: returnAfter(1, 15) }],
  ])('is unclear for %s, and the setting says which', async (_what, asked) => {
    expect(await priced(asked)).toEqual({ read: '17.49 - refused', warnings: [UNCLEAR] });
    expect((await priced({ ...asked, ...charged })).read).toMatch(/^17\.49 \d/);
    expect((await priced({ ...asked, ...price })).read).toMatch(/^17\.49 - \d/);
  });

  it.each<[string, Case, string]>([
    ['a week of ten days', { charge: weekly('1'), dropoffDate: returnAfter(10) }, '- 70.00 170.00'],
    ['an hour', { charge: '<Calculation UnitCharge="1.00" UnitName="Hour" Quantity="1"/>' }, '- 1.00 101.00'],
    [
      'an hour of five',
      {
        charge: '<Calculation UnitCharge="1.00" UnitName="Hour" Quantity="1"/>',
        dropoffDate: returnAfter(0, 15),
      },
      '- 1.00 101.00',
    ],
  ])('is unclear for %s, for which the model has no price of one', async (_what, asked, read) => {
    expect(await priced(asked)).toEqual({ read: '- - refused', warnings: [UNCLEAR] });
    expect(await priced({ ...asked, ...charged })).toEqual({ read, warnings: [] });
    expect((await priced({ ...asked, ...price })).read).toBe('- - refused');
  });

  it('for the complete days of a rental is in no doubt, whatever the setting', async () => {
    const complete = { charge: daily('3'), dropoffDate: returnAfter(3, 15) };
    expect((await priced({ ...complete, ...price })).read).toBe('17.49 52.47 152.47');
    expect((await priced({ ...complete, ...charged })).read).toBe('17.49 52.47 152.47');
  });

  it('for as many days as are charged at most is complete', async () => {
    const five = { charge: daily('5', 'MaxQuantity="5"'), dropoffDate: returnAfter(7) };
    const units = { maxQuantity: 'units' };
    expect(await priced({ ...five, options: units })).toEqual({ read: '17.49 87.45 187.45', warnings: [] });
    expect((await priced({ ...five, options: { ...units, fewerUnits: 'price' } })).read).toBe('17.49 87.45 187.45');
    expect((await priced({ ...five, charge: daily('4', 'MaxQuantity="5"'), options: units })).warnings).toEqual([
      UNCLEAR,
    ]);
    expect((await priced({ ...five, options: { maxQuantity: 'pieces' } })).warnings).toEqual([UNCLEAR]);
    expect((await priced({ ...five, charge: daily('1', 'MaxQuantity="1"'), options: units })).read).toBe(
      '17.49 - 117.49',
    );
  });

  it.each([
    ['Day', 'Daily', '17.49 - 152.47'],
    ['Day', 'DAY', '17.49 - 152.47'],
    ['Day', 'Extra day', '17.49 - 152.47'],
    ['Day', 'Block', '- 17.49 117.49'],
  ])('is for the unit %s in other words: %s', async (unit, word, read) => {
    expect((await priced({ charge: daily('1').replace(unit, word) })).read).toBe(read);
  });

  it.each(['Hour', 'Hourly', 'Extra hour', 'ExtraHour'])(
    'has the days of a rental that is charged by days and hours: %s',
    async (word) => {
      const hours = `<Calculation UnitCharge="1.00" UnitName="${word}" Quantity="2"/>`;
      const asked = { charge: daily('1'), rental: rental(3) + hours, dropoffDate: returnAfter(3, 12) };
      expect((await priced(asked)).read).toBe('17.49 - 152.47');
    },
  );

  it.each<[string, string, string, string, number]>([
    ['a day of several', unitOfRental('33.34'), returnAfter(3), '17.49 - 152.47', 3],
    ['a day of several in other words', unitOfRental('30.00', 'Daily'), returnAfter(3), '17.49 - 152.47', 3],
    ['a week of more days', unitOfRental('70.00', 'Week'), returnAfter(10), '17.49 - 274.90', 10],
    ['a week of fewer days', unitOfRental('110.00', 'Week'), returnAfter(5), '17.49 - 187.45', 7],
    ['a day, without taxes', unitOfRental('90.00'), returnAfter(1, 12), '17.49 17.49 117.49', 1],
    ['a day that is all that is charged', unitOfRental('100.00'), returnAfter(1, 12), '17.49 17.49 117.49', 1],
    [
      'a week and a day, without taxes',
      `${unitOfRental('80.00', 'Week')}</VehicleCharge><VehicleCharge Purpose="1" Amount="15.00">${unitOfRental('12.00')}`,
      returnAfter(8),
      '17.49 - 239.92',
      8,
    ],
  ])('has the days of a rental that states the price of %s', async (_what, unit, dropoffDate, read, days) => {
    const asked = { charge: daily('1'), rental: unit, dropoffDate };
    expect([(await priced(asked)).read, (await check(asked, [])).offer?.rentalDays]).toEqual([read, days]);
  });

  it.each(['Weekly', 'Hourly', 'Extra hour'])('is unclear for a unit of another word: %s', async (word) => {
    expect(await priced({ charge: weekly('1').replace('Week', word), dropoffDate: returnAfter(10) })).toEqual({
      read: '- - refused',
      warnings: [UNCLEAR],
    });
  });

  it('that an Amount repeats for one day of several is unclear', async () => {
    const repeated = { amount: '17.49', charge: daily('1') };
    expect(await priced(repeated)).toEqual({ read: '17.49 - refused', warnings: [UNCLEAR] });
    expect((await priced({ ...repeated, ...charged })).read).toBe('17.49 17.49 117.49');
    expect((await priced({ ...repeated, ...price })).read).toBe('17.49 - 152.47');
  });

  it.each<[string, Case, string]>([
    ['another one', { amount: '52.47', charge: daily('1') }, '17.49 52.47 152.47'],
    ['that of several days', { amount: '34.98', charge: daily('2') }, '17.49 34.98 134.98'],
    ['that of several days as a price', { amount: '34.98', charge: daily('2'), ...price }, '17.49 34.98 134.98'],
    [
      'that of a week as a price',
      { amount: '70.00', charge: weekly('1'), dropoffDate: returnAfter(10), ...price },
      '- 70.00 170.00',
    ],
    [
      'that of the only day',
      { amount: '17.49', charge: daily('1'), dropoffDate: returnAfter(1) },
      '17.49 17.49 117.49',
    ],
    [
      'that of a started day',
      { amount: '17.49', charge: daily('1'), dropoffDate: returnAfter(1, 15) },
      '17.49 17.49 117.49',
    ],
  ])('with an Amount is that for the rental: %s', async (_what, asked, read) => {
    expect(await priced(asked)).toEqual({ read, warnings: [] });
  });

  it('for one day of several is for the rental if the file of the supplier says so', async () => {
    expect((await priced({ charge: daily('1'), ...charged })).read).toBe('17.49 17.49 117.49');
  });

  it('for one day of several has the limit of its days', async () => {
    const limited = { charge: daily('1', 'MaxQuantity="2"') };
    expect((await priced(limited)).read).toBe('17.49 - refused');
    expect((await priced({ ...limited, options: { maxQuantity: 'units' } })).read).toBe('17.49 - 134.98');
    expect((await priced({ ...limited, options: { maxQuantity: 'pieces' } })).read).toBe('17.49 - 152.47');
  });
});
