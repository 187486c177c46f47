import { describe, expect, it } from '@jest/globals';
import { createOtaXmlAdapter } from './adapter.js';
import { errorReason } from './errors.js';
import { answering, key, request } from './fixtures/booking.js';
import { contextWith, fixture, search, settings } from './fixtures/setting.js';
import { codeAttribute, listCode } from './table.js';

/* OTA_CodeType: a code, perhaps with the name of its list, perhaps with the sign of a supplier's own code. */

describe('a code of a list', () => {
  it.each([
    ['22', '22'],
    ['022', '22'],
    ['022.VCP', '22'],
    ['22.VCP', '22'],
    ['0.VCP', '0'],
    ['022.VCP.X', '022.VCP.X'],
    ['22.EQP', '22.EQP'],
    ['0022.vcp', '0022.vcp'],
    ['YDF', 'YDF'],
    ['1 day', '1 day'],
    [undefined, undefined],
  ])('%s is %s', (stated, code) => {
    expect(listCode('VCP', stated)).toBe(code);
  });
});

/** The attributes with codes, and their lists. */
const LISTS = {
  Purpose: 'VCP',
  RuleType: 'RUL',
  PaymentType: 'PMT',
  EquipType: 'EQP',
  CoverageType: 'VCT',
  RateCategory: 'RTC',
  Size: 'SIZ',
  VehicleCategory: 'VEC',
  InfoType: 'INF',
} as const;

/** An answer that writes its codes with zeros in front and the names of their lists. */
function inFull(file: string): Buffer {
  const attributes = new RegExp(` (${Object.keys(LISTS).join('|')})="(\\d+)"`, 'g');
  return Buffer.from(
    fixture(file)
      .toString()
      .replaceAll(attributes, (_all, name: keyof typeof LISTS, code: string) => {
        return ` ${name}="${code.padStart(3, '0')}.${LISTS[name]}"`;
      }),
  );
}

/** Codes that callers see, and that go back to the supplier, stay as written. */
const plain = (offers: unknown) =>
  JSON.parse(JSON.stringify(offers), (_name, value: unknown) =>
    typeof value === 'string' ? value.replace(/^0*(\d+)\.[A-Z]{3}$/, '$1') : value,
  ) as unknown;

it('cars of an answer with codes in full are read as with plain codes', async () => {
  const read = (body: Buffer) => createOtaXmlAdapter(settings).searchVehicles?.(search, contextWith([body]));
  const expected = await read(fixture('vehicles.xml'));
  expect(expected?.items).toHaveLength(1);
  expect(plain(await read(inFull('vehicles.xml')))).toEqual(plain(expected));
});

it('rules of a rate with codes in full are read as with plain codes', async () => {
  for (const file of ['rate-rule.xml', '2011b/rule-1.xml', '2011b/rule-2.xml', '2011b/rule-3.xml']) {
    const read = (body: Buffer) =>
      createOtaXmlAdapter(settings).priceCheck?.(
        { ...request, extras: [], coverages: [] },
        answering([body.toString()]),
      );
    expect(plain(await read(inFull(file)))).toEqual(plain(await read(fixture(file))));
  }
});

describe('a split of the total', () => {
  const rated = (charges: string) =>
    '<OTA_VehRateRuleRS><Success/><RentalRate><VehicleCharges><VehicleCharge Amount="200.00" Purpose="001.VCP"/></VehicleCharges></RentalRate>' +
    `<TotalCharge RateTotalAmount="200.00" CurrencyCode="EUR"/><Fees>${charges}</Fees></OTA_VehRateRuleRS>`;
  const paid = async (charges: string, purposeKinds = {}) => {
    const adapter = createOtaXmlAdapter({ ...settings, options: { ...settings.options, purposeKinds } });
    const rental = { ...request, extras: [], coverages: [] };
    const [offer] = (await adapter.priceCheck?.(rental, answering([rated(charges)])))?.items ?? [];
    const { price, rate } = offer ?? {};
    const amounts = [price?.total, price?.dueNow, price?.dueAtCounter].map((money) => money?.amountMinor);
    return [...amounts, price?.items.length, rate?.payment].join(' ');
  };
  const fee = (purpose: string, amount: string) => `<Fee Purpose="${purpose}" Amount="${amount}"/>`;

  it('may be written with the name of its list', async () => {
    expect(await paid(fee('022.VCP', '20.00') + fee('23.VCP', '180.00'))).toBe('20000 2000 18000 1 pay_partial');
    expect(await paid(fee('022.VCP', '200.00'))).toBe('20000 20000 0 1 pay_now');
    expect(await paid(fee('027.VCP', '200.00'))).toBe('20000 0 20000 1 pay_later');
  });

  it('may have words that the file of the supplier explains, by the text as written first', async () => {
    const words = { PREPAY: 'prepaid', ARRIVAL: 'on_arrival' };
    expect(await paid(fee('PREPAY', '20.00') + fee('ARRIVAL', '180.00'), words)).toBe('20000 2000 18000 1 pay_partial');
    expect(await paid(fee('ARRIVAL', '180.00'), words)).toBe('20000 2000 18000 1 pay_partial');
    expect(await paid(fee('022.VCP', '20.00'), { 22: 'fee' })).toBe('22000 0 22000 2 pay_later');
    expect(await paid(fee('022.VCP', '20.00'), { '022.VCP': 'none', 22: 'fee' })).toBe('20000 0 20000 1 pay_later');
    expect(await paid(fee('22.VCP.X', '20.00'), { '22.VCP.X': 'fee', 22: 'none' })).toBe('22000 0 22000 2 pay_later');
  });

  it('may have several words for the same, of which one has an amount', async () => {
    const words = { CAR: 'prepaid', COVER: 'prepaid' };
    const expected = '20000 2000 18000 1 pay_partial';
    expect(await paid(fee('CAR', '20.00') + fee('COVER', '0.00'), words)).toBe(expected);
    expect(await paid(fee('CAR', '0.00') + fee('COVER', '20.00'), words)).toBe(expected);
    expect(await paid(fee('CAR', '0.00') + fee('COVER', '0.00'), words)).toBe('20000 0 20000 1 pay_later');
    const both = fee('CAR', '20.00') + fee('COVER', '15.00');
    await expect(paid(both, words)).rejects.toThrow('differs from one before it: which is due? Set purposeKinds');
    expect(await paid(both, { ...words, COVER: 'none' })).toBe(expected);
  });
});

it('the number of a booking and errors may be written with the names of their lists', async () => {
  const adapter = createOtaXmlAdapter(settings);
  const node = { name: 'ConfID', attributes: { Type: '014.UIT' }, children: [], text: '' };
  expect(codeAttribute(node, 'Type', 'UIT')).toBe('14');
  const body =
    '<OTA_VehResRS><Success/><VehResRSCore><VehReservation ReservationStatus="Reserved"><VehSegmentCore><ConfID Type="014.UIT" ID="AL1"/></VehSegmentCore></VehReservation></VehResRSCore></OTA_VehResRS>';
  expect(await adapter.book?.(request, answering([body]))).toMatchObject({ confirmationNumber: 'AL1' });
  const cancelled =
    '<OTA_VehCancelRS><Success/><VehCancelRSCore CancelStatus="Cancelled"><UniqueID Type="15.UIT" ID="C7"/></VehCancelRSCore></OTA_VehCancelRS>';
  const answer = await adapter.cancel?.({ ...key, confirmationNumber: 'AL1' }, answering([cancelled]));
  expect(answer).toMatchObject({ cancellationNumber: 'C7' });
  expect(errorReason('3.EWT', '301.ERR', {})).toBe('no_results');
  expect(errorReason('004.EWT', '301', {})).toBe('auth');
  expect(errorReason('3', '301.ERR', { 301: 'rejected' })).toBe('rejected');
});
