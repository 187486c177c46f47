import { describe, expect, it } from '@jest/globals';
import type { RentalRequest } from '../../model/bookings.js';
import type { SupplierOffer, VehicleSearch } from '../../model/offers.js';
import type { SupplierHttpCall } from '../../model/supplier.js';
import { oneWarning } from '../../model/warnings.js';
import { createOtaXmlAdapter } from './adapter.js';
import { request } from './fixtures/booking.js';
import { contextWith, fixture, search, settings } from './fixtures/setting.js';

/*
 * Answers in every shape that OpenTravel 2011B documents for availability. Amounts in minor units; each expected figure
 * is worked out beside it.
 */

const adapter = createOtaXmlAdapter(settings);
const chf = (amountMinor: number) => ({ amountMinor, currency: 'CHF' });
const eur = (amountMinor: number) => ({ amountMinor, currency: 'EUR' });

async function avails(file: string, asked: Partial<VehicleSearch>) {
  const body = fixture(`2011b/${file}`);
  return (await adapter.searchVehicles?.({ ...search, ...asked }, contextWith([body]))) ?? { items: [], warnings: [] };
}

/** The price check request for an offer, as sent. */
async function checkOf({ supplierRef }: SupplierOffer, asked: Partial<RentalRequest>): Promise<string> {
  const calls: SupplierHttpCall[] = [];
  const rental = { ...request, extras: [], coverages: [], ...asked, ref: supplierRef };
  await adapter.priceCheck?.(rental, contextWith([fixture('2011b/rule-3.xml')], calls));
  return calls[0]?.body ?? '';
}

const geneva = { iataCode: 'GVA', countryCode: 'CH' };
const zurich = { iataCode: 'ZRH', countryCode: 'CH', name: 'Zürich' };
const basel = { iataCode: 'BSL', countryCode: 'CH' };

describe('a week and a day with a deposit rule and a text about prepayment (avail-1)', () => {
  const asked = {
    pickup: geneva,
    dropoff: geneva,
    pickupDate: '2027-03-01T10:30:00',
    dropoffDate: '2027-03-09T10:00:00',
  };

  it('the code list decides: the amount is a deposit, and the contradiction is a warning', async () => {
    const { items, warnings } = await avails('avail-1.xml', asked);
    const [offer] = items;
    // 210.00 for the week + 40.00 for the day = 250.00; 8 % of it are 20.00; two fees of 15.00 + 35.00 = 50.00.
    expect(offer?.price).toMatchObject({
      total: chf(25_000 + 2_000 + 5_000),
      base: chf(25_000),
      taxes: chf(2_000),
      fees: chf(5_000),
      dueNow: chf(0),
      dueAtCounter: chf(32_000),
      unitemised: undefined,
    });
    expect(offer).toMatchObject({
      rate: { payment: 'pay_later' },
      deposit: { amount: chf(32_000) },
      rentalDays: 7 + 1,
    });
    // 28.00 for the week + 6.00 for the day + 8 % tax of 2.72.
    expect(offer?.extras[0]?.priceTotal).toEqual(chf(2_800 + 600 + 272));
    expect(offer?.terms).toEqual([{ kind: 'special_instructions', text: 'PREPAY THIS RATE ONLINE' }]);
    expect(warnings).toEqual(
      oneWarning('contradiction', 'a text says prepaid, the payment rules do not: read as pay_later'),
    );
  });
});

describe('rates for a tour, for members and for everyone (avail-2)', () => {
  const dates = { pickupDate: '2027-12-16T09:00:00', dropoffDate: '2027-12-17T10:00:00' };
  const asked = { pickup: zurich, dropoff: zurich, ...dates };

  it('each rate has its own ref and price, and no ref has a membership number', async () => {
    const { items, warnings } = await avails('avail-2.xml', asked);
    expect(items.map(({ price }) => [price.total, price.base, price.unitemised])).toEqual([
      [eur(2_510), eur(2_240), eur(2_510 - 2_240)],
      [eur(2_580), eur(2_300), eur(2_580 - 2_300)],
      [eur(2_690), eur(2_410), eur(2_690 - 2_410)],
      [eur(2_800), eur(2_600), eur(2_800 - 2_600)],
    ]);
    expect(items.map(({ rate }) => rate.discountsApplied)).toEqual([['EW4410'], ['SN'], ['SNOW27', 'CL'], ['ACME9']]);
    const refs = items.map(({ supplierRef }) => supplierRef);
    expect(refs).toMatchObject([
      { tourNumber: 'EW4410', ratePeriod: 'Daily', vendorRateId: 'V9ZH' },
      { loyaltyPrograms: 'SN' },
      { loyaltyPrograms: 'CL', promotionCode: 'SNOW27' },
      { corporateDiscount: 'ACME9' },
    ]);
    expect(new Set(refs.map((ref) => JSON.stringify(ref))).size).toBe(4);
    expect(JSON.stringify(refs)).not.toContain('M0000000');
    expect(warnings).toEqual([]);
  });

  it('codes go back as they came: extended location code, contexts, tour and program', async () => {
    const [tour, member] = (await avails('avail-2.xml', asked)).items;
    if (!tour || !member) throw new Error('no offers');
    const sent = await checkOf(tour, asked);
    const place = 'LocationCode="ZRH" CodeContext="IATA" ExtendedLocationCode="ZRHT01"';
    expect(sent).toContain(`<PickUpLocation ${place}/><ReturnLocation ${place}/>`);
    expect(sent).toContain('<VehicleInfo Code="MCMR" CodeContext="ACRISS"/>');
    expect(sent).toContain('<RateQualifier RateQualifier="CITY" RatePeriod="Daily" VendorRateID="V9ZH"/>');
    expect(sent).toContain('<TourInfo TourNumber="EW4410"/>');
    expect(await checkOf(member, asked)).toContain('<CustLoyalty ProgramID="SN"/>');
  });

  it('hours of a location without a code belong to the place of the rental', async () => {
    const [offer] = (await avails('avail-2.xml', asked)).items;
    expect(offer?.pickup).toMatchObject({ code: 'ZRHT01', codeContext: 'oag', iataCode: 'ZRH', name: 'ZRHT01' });
    expect(offer?.pickup.openingHours).toHaveLength(7);
    expect(offer?.pickup.openingHours[0]).toEqual({ day: 'mon', open: '06:30', close: '23:00' });
  });

  it('a rate for something that the answer does not name is left out', async () => {
    const body = fixture('2011b/avail-2.xml').toString().replace('<TourInfo TourNumber="EW4410" RPH="1"/>', '');
    const answer = await adapter.searchVehicles?.({ ...search, ...asked }, contextWith([Buffer.from(body)]));
    expect(answer?.items).toHaveLength(3);
    expect(answer?.warnings).toEqual(
      oneWarning('row_dropped', 'MCMR at a rate for a tour or program that the answer does not name left out'),
    );
  });

  it('a rate for members is refused, unsent, for a driver who is not one, even for a change', async () => {
    const [, member] = (await avails('avail-2.xml', asked)).items;
    const calls: SupplierHttpCall[] = [];
    const booking = { ...request, ref: member?.supplierRef ?? {} };
    const context = contextWith([fixture('2011b/res-1.xml')], calls);
    const change = { ...booking, confirmationNumber: '1', changes: ['rental'] as const };
    for (const refused of [adapter.book?.(booking, context), adapter.modify?.(change, context)])
      await expect(refused).rejects.toMatchObject({ fault: 'rejected', refusal: 'not_eligible', sent: false });
    expect(calls).toEqual([]);
    const driver = { ...request.driver, loyalty: [{ program: 'sn', number: '000111' }] };
    await adapter.book?.({ ...booking, driver }, context);
    // The answer is to a booking.
    await expect(adapter.modify?.({ ...change, driver }, context)).rejects.toMatchObject({ fault: 'bad_payload' });
    expect(calls).toHaveLength(2);
    for (const { body } of calls) expect(body).toContain('<CustLoyalty ProgramID="sn" MembershipID="000111" RPH="1"/>');
  });
});

describe('a week with two additional days and a no-show fee (avail-3)', () => {
  const asked = {
    pickup: basel,
    dropoff: basel,
    pickupDate: '2027-07-18T12:00:00',
    dropoffDate: '2027-07-26T15:00:00',
  };

  it('additional days are part of the rental, its days and its base', async () => {
    const [offer] = (await avails('avail-3.xml', asked)).items;
    // 301.00 + 2 × 43.00 = 387.00; 7 % = 27.09, 8 % = 30.96, 11.1 % = 42.957; together 488.01.
    expect(offer?.price).toMatchObject({
      total: chf(38_700 + 2_709 + 3_096 + 4_296),
      base: chf(30_100 + 2 * 4_300),
      taxes: chf(2_709 + 3_096 + 4_296),
      unitemised: undefined,
    });
    expect(offer?.price.items.slice(0, 2)).toMatchObject([
      { kind: 'rental', description: 'Weekly Rate', mandatory: true, includedInTotal: true },
      { kind: 'rental', description: 'Extra Day Rate', mandatory: true, includedInTotal: true, quantity: 2 },
    ]);
    expect(offer).toMatchObject({ rentalDays: 7 + 2, rate: { payment: 'pay_later' } });
    expect(offer?.cancellation).toEqual({ rules: [], source: 'unknown' });
  });

  it('the no-show rule has its fee and deadline, and the rate needs a guarantee', async () => {
    const [, offer] = (await avails('avail-3.xml', asked)).items;
    // 315.00 + 2 × 45.00 = 405.00; 28.35 + 32.40 + 44.955; together 510.71.
    expect(offer?.price.total).toEqual(chf(40_500 + 2_835 + 3_240 + 4_496));
    expect(offer?.cancellation).toEqual({
      rules: [],
      source: 'unknown',
      noShowFee: chf(3_000),
      // 24 hours before the pickup.
      noShow: { cancelBy: '2027-07-17T12:00:00' },
    });
    expect(offer).toMatchObject({ rate: { payment: 'guarantee' }, requirements: { creditCardRequired: true } });
  });

  it('the quote of a rate is kept and sent back instead of the reference of its car', async () => {
    const [plain, quoted] = (await avails('avail-3.xml', asked)).items;
    if (!plain || !quoted) throw new Error('no offers');
    expect(quoted.supplierRef).toMatchObject({ quoteId: '7700123', referenceId: '880101', pickupContext: 'AL' });
    expect(await checkOf(quoted, asked)).toContain('<Reference Type="16" ID="7700123"/>');
    expect(await checkOf(quoted, asked)).toContain('<PickUpLocation LocationCode="BSL" CodeContext="AL"/>');
    expect(await checkOf(plain, asked)).toContain('<Reference Type="16" ID="880100"/>');
  });
});
