import { describe, expect, it } from '@jest/globals';
import type { BookRequest, ModifyRequest } from '../../model/bookings.js';
import { createOtaXmlAdapter } from './adapter.js';
import { answering, failureOf, key, request } from './fixtures/booking.js';
import { settings } from './fixtures/setting.js';

type Sent = NonNullable<Parameters<typeof answering>[1]>;

const HEAD =
  'xmlns="http://www.opentravel.org/OTA/2003/05" EchoToken="req_1" TimeStamp="2026-02-01T08:00:00.000Z" Target="Test" Version="2.001" PrimaryLangID="en"';
const POS = '<POS><Source ISOCountry="DE"><RequestorID Type="4" ID="FORECOURT"/></Source></POS>';
const BARE_POS = '<POS><Source><RequestorID Type="4" ID="FORECOURT"/></Source></POS>';
const RENTAL =
  '<VehRentalCore PickUpDateTime="2026-03-29T01:30:00" ReturnDateTime="2026-04-05T09:00:00"><PickUpLocation LocationCode="GVA" CodeContext="IATA"/><ReturnLocation LocationCode="ZRH" CodeContext="IATA"/></VehRentalCore>';
const NAME = '<PersonName><GivenName>Ada</GivenName><Surname>Sample &amp; Söhne</Surname></PersonName>';
const CUSTOMER =
  `<Customer><Primary BirthDate="1990-01-02">${NAME}<Telephone PhoneTechType="1" PhoneNumber="+41 22 555 01 00"/><Email>ada@example.com</Email>` +
  '<Address><AddressLine>Rue 1</AddressLine><AddressLine>Floor 2</AddressLine><CityName>Genève</CityName><PostalCode>1200</PostalCode><StateProv>GE</StateProv><CountryName Code="CH"/></Address>' +
  '<CitizenCountryName Code="DE"/><Document DocType="4" DocID="L-9" DocIssueCountry="CH" DocIssueStateProv="GE"/><CustLoyalty ProgramID="GOLD" MembershipID="4711" RPH="1"/></Primary>' +
  '<Additional><PersonName><GivenName>Ben</GivenName><Surname>Sample</Surname></PersonName></Additional></Customer>';
const RATE = '<RateQualifier RateCategory="12" RateQualifier="W7" VendorRateID="VR-88"/>';
const EQUIPMENT = '<SpecialEquipPrefs><SpecialEquipPref EquipType="8" Quantity="2"/></SpecialEquipPrefs>';
const COVERAGES = '<CoveragePrefs><CoveragePref CoverageType="32"/></CoveragePrefs>';
const QUOTE = '<Reference Type="16" ID="Q-7781" ID_Context="AL"/>';
const CORE = `${RENTAL}${CUSTOMER}<VendorPref Code="AL"/><VehPref Code="IWAD" CodeContext="SIPP" VendorCarType="F2"/><DriverType Age="35"/>${RATE}${EQUIPMENT}<TotalCharge EstimatedTotalAmount="530.80" CurrencyCode="CHF"/>`;
const INFO =
  `<SpecialReqPref>The renter collects after the booked pickup time</SpecialReqPref>${COVERAGES}` +
  '<ArrivalDetails TransportationCode="14" Number="1234" ArrivalDateTime="2026-03-29T00:45:00"><OperatingCompany Code="LX"/></ArrivalDetails>' +
  '<RentalPaymentPref><PaymentCard CardType="1" CardCode="VI" CardNumber="4111111111111111" ExpireDate="0729"><CardHolderName>Ada Sample</CardHolderName></PaymentCard></RentalPaymentPref>' +
  `${QUOTE}<WrittenConfInst ConfirmInd="true"><Email>ada@example.com</Email></WrittenConfInst><Remark><Text>Ring &lt;twice&gt;</Text></Remark>`;
const change: ModifyRequest = { ...request, confirmationNumber: 'AL1', changes: ['remark'] };

/** Everything that an operation sends to a supplier with a useless answer. */
async function sentBy(
  operation: 'priceCheck' | 'book' | 'modify' | 'cancel' | 'retrieve',
  asked: object,
  options: Record<string, unknown> = {},
) {
  const sent: Sent = [];
  const adapter = createOtaXmlAdapter({ ...settings, options: { ...settings.options, ...options } });
  const run = adapter[operation] as (asked: object, context: ReturnType<typeof answering>) => Promise<unknown>;
  await failureOf(run(asked, answering(['<nothing/>'], sent)));
  return sent.map(({ call, repeatable }) => ({
    body: call.body?.replace('<?xml version="1.0" encoding="UTF-8"?>', ''),
    repeatable,
  }));
}

async function bookingBody(own: Partial<BookRequest>, options: Record<string, unknown> = {}): Promise<string> {
  const [sent] = await sentBy('book', { ...request, ...own }, options);
  return sent?.body ?? '';
}

describe('messages about bookings', () => {
  it('call a booking by the type of its number, if that is one of the supplier', async () => {
    const typeIn = async (numberType: string) => {
      const ref = { ...key.ref, numberType };
      const sent = [
        ...(await sentBy('modify', { ...change, before: { ...change, ref } })),
        ...(await sentBy('cancel', { ...key, ref, confirmationNumber: 'AL1' })),
        ...(await sentBy('retrieve', { ...key, ref, confirmationNumber: 'AL1' })),
      ];
      return sent.map(({ body }) => /UniqueID Type="(\w+)" ID="AL1"/.exec(body ?? '')?.[1]);
    };
    for (const type of ['14', '40', '8']) expect(await typeIn(type)).toEqual(['14', '14', '14']);
    expect(await typeIn('Supplier')).toEqual(['Supplier', 'Supplier', 'Supplier']);
  });

  it('request a price with all chosen options', async () => {
    expect(await sentBy('priceCheck', request)).toEqual([
      {
        body: `<OTA_VehRateRuleRQ ${HEAD} Code="AL">${POS}${QUOTE}<RentalInfo>${RENTAL}<VehicleInfo Code="IWAD" CodeContext="SIPP" VendorCarType="F2"/><DriverType Age="35"/>${EQUIPMENT}${RATE}${COVERAGES}</RentalInfo></OTA_VehRateRuleRQ>`,
        repeatable: true,
      },
    ]);
  });

  it("book once, with our reference, the accepted total and all of the renter's data", async () => {
    expect(await sentBy('book', request)).toEqual([
      {
        body: `<OTA_VehResRQ ${HEAD} TransactionIdentifier="FC_0001">${POS}<VehResRQCore Status="Available"><UniqueID Type="16" ID="FC_0001"/>${CORE}</VehResRQCore><VehResRQInfo>${INFO}</VehResRQInfo></OTA_VehResRQ>`,
        repeatable: false,
      },
    ]);
  });

  it('change the complete reservation, once', async () => {
    expect(await sentBy('modify', change)).toEqual([
      {
        body: `<OTA_VehModifyRQ ${HEAD} TransactionIdentifier="FC_0001">${POS}<VehModifyRQCore Status="Available" ModifyType="Modify"><UniqueID Type="14" ID="AL1"/><UniqueID Type="16" ID="FC_0001"/>${CORE}</VehModifyRQCore><VehModifyRQInfo>${INFO}</VehModifyRQInfo></OTA_VehModifyRQ>`,
        repeatable: false,
      },
    ]);
  });

  it('cancel by number and name, once', async () => {
    expect(await sentBy('cancel', { ...key, confirmationNumber: 'AL1' })).toEqual([
      {
        body: `<OTA_VehCancelRQ ${HEAD} TransactionIdentifier="FC_0001">${BARE_POS}<VehCancelRQCore CancelType="Book"><UniqueID Type="14" ID="AL1"/>${NAME}</VehCancelRQCore><VehCancelRQInfo><Vendor Code="AL"/></VehCancelRQInfo></OTA_VehCancelRQ>`,
        repeatable: false,
      },
    ]);
  });

  it('find by number, or by renter, place and time', async () => {
    const byNumber = `<VehRetResRQCore><UniqueID Type="14" ID="AL1"/>${NAME}</VehRetResRQCore><VehRetResRQInfo><Vendor Code="AL"/></VehRetResRQInfo>`;
    const byRenter = `<VehRetResRQCore>${NAME}</VehRetResRQCore><VehRetResRQInfo PickUpDateTime="2026-03-29T01:30:00"><PickUpLocation LocationCode="GVA" CodeContext="IATA"/><Vendor Code="AL"/></VehRetResRQInfo>`;
    const wrapped = (content: string) => ({
      body: `<OTA_VehRetResRQ ${HEAD}>${BARE_POS}${content}</OTA_VehRetResRQ>`,
      repeatable: true,
    });
    expect(await sentBy('retrieve', { ...key, confirmationNumber: 'AL1' })).toEqual([wrapped(byNumber)]);
    expect(await sentBy('retrieve', key)).toEqual([wrapped(byRenter)]);
  });

  it('follow the settings: envelope, reference, codes, times, words, path', async () => {
    const options = {
      envelope: 'soap11',
      ownReference: 'reference',
      dateSuffix: 'Z',
      cancelType: 'Commit',
      locationCode: { context: 'OAG', template: '{iata}T01' },
      vendorCodes: {},
      paths: { bookings: '/book' },
    };
    const body = await bookingBody({ ref: { vehicleCode: 'F 2', rateQualifier: 'W7' }, status: 'on_request' }, options);
    expect(body).toContain('<soap:Body><OTA_VehResRQ ');
    expect(body).toContain('<VehResRQCore Status="OnRequest"><VehRentalCore PickUpDateTime="2026-03-29T01:30:00Z"');
    expect(body).toContain('<PickUpLocation LocationCode="GVAT01" CodeContext="OAG"/>');
    expect(body).toContain('<VendorPref CompanyShortName="Alpine"/><VehPref Code="F 2"/>');
    expect(body).toContain('<Reference Type="16" ID="FC_0001"/><WrittenConfInst');
    expect((await sentBy('cancel', { ...key, confirmationNumber: 'AL1' }, options))[0]?.body).toContain(
      'CancelType="Commit"',
    );
    const sent: Sent = [];
    await failureOf(createOtaXmlAdapter({ ...settings, options }).book?.(request, answering([''], sent)));
    expect(sent[0]?.call.path).toBe('/book');
  });

  it('leave out missing values', async () => {
    const body = await bookingBody({
      driver: { firstName: 'Ada', lastName: 'Sample', email: 'ada@example.com', loyalty: [] },
      additionalDrivers: [],
      arrival: undefined,
      payment: { type: 'counter' },
      extras: [],
      coverages: [],
      remark: undefined,
      pickupLater: false,
      notifyCustomer: false,
    });
    expect(body).toContain(
      '<Customer><Primary><PersonName><GivenName>Ada</GivenName><Surname>Sample</Surname></PersonName><Email>ada@example.com</Email><CitizenCountryName Code="DE"/></Primary></Customer>',
    );
    expect(body).toContain(`<VehResRQInfo>${QUOTE}</VehResRQInfo>`);
    expect(body).not.toMatch(/Equip|Coverage|Arrival|Payment|Remark|WrittenConf|SpecialReq|Retransmission/);
  });

  it('send a voucher as a Voucher', async () => {
    expect(await bookingBody({ payment: { type: 'voucher', voucher: 'V<1' } })).toContain(
      '<RentalPaymentPref><Voucher SeriesCode="V&lt;1"/></RentalPaymentPref>',
    );
  });

  it.each([
    ['4111111111111111', 'VI'],
    ['5500005555555559', 'MC'],
    ['2223003122003222', 'MC'],
    ['340000000000009', 'AX'],
    ['30000000000004', 'DN'],
    ['38000000000006', 'DN'],
    ['3530111333300000', 'JC'],
    ['6011000000000004', 'DS'],
    ['6200000000000005', 'CU'],
    ['9000000000000001', undefined],
  ])('name the brand of card %s as %s', async (number, code) => {
    const body = await bookingBody({
      payment: { type: 'card', card: { number, expiryMonth: 12, expiryYear: 2030, holder: 'Ada' } },
    });
    expect(/CardCode="(\w+)"/.exec(body)?.[1]).toBe(code);
    expect(body).toContain(`CardNumber="${number}" ExpireDate="1230"`);
  });
});

describe('an impossible request', () => {
  it.each<[string, Partial<BookRequest>, string]>([
    [
      'an extra that the supplier listed without a code',
      { extras: [{ code: 'other', quantity: 1 }] },
      'rejected extra_not_available',
    ],
    ['a coverage that the supplier listed without a code', { coverages: ['other'] }, 'rejected extra_not_available'],
    ['a place without a known code', { ref: {}, pickup: { countryCode: 'CH' } }, 'rejected invalid_location'],
  ])('is rejected before anything is sent: %s', async (_name, own, failure) => {
    const sent: Sent = [];
    const { book, cancel } = createOtaXmlAdapter(settings);
    expect(await failureOf(book?.({ ...request, ...own }, answering([''], sent)))).toBe(failure);
    expect(await failureOf(cancel?.(key, answering([''], sent)))).toBe('rejected');
    expect(sent).toEqual([]);
  });
});
