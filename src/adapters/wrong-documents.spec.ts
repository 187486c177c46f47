import { describe, expect, it } from '@jest/globals';
import type { VehicleSearch } from '../model/offers.js';
import { type SupplierAdapter, SupplierError } from '../model/supplier.js';
import { boundedAdapter } from '../suppliers/answers/bounded-adapter.js';
import { adapter as abg } from './abg/fixtures/setting.js';
import { createOtaXmlAdapter } from './ota-xml/adapter.js';
import { settings } from './ota-xml/fixtures/setting.js';
import { createRestAdapter } from './rest/adapter.js';
import { shippedAdapter, shippedSettings } from './rest/fixtures/shipped.js';

/*
 * Wrong answers to an availability search for three days in Geneva. Each document has two cars of 255.00, and is wrong in
 * one way. None may pass in silence: it fails, the wrong car is left out, or a warning says what is odd (ruling 30).
 */

/** `fails fault`, or the number of offers and the kinds of warnings: `1 amount_rejected`. */
type Result = string;
/** What is wrong, the wrong document, and what becomes of it. */
type Row = readonly [what: string, document: string | Buffer, result: Result];

const place = { iataCode: 'GVA', countryCode: 'CH', latitude: 46.24, longitude: 6.11 };
const search: VehicleSearch = {
  pickup: place,
  dropoff: place,
  pickupDate: '2031-05-06T10:00:00',
  dropoffDate: '2031-05-09T10:00:00',
  countryCode: 'CH',
  age: 35,
  brands: [],
  sippCodes: [],
  discountCodes: [],
  loyalty: [],
  additionalDrivers: 0,
};

async function resultOf(
  adapter: SupplierAdapter,
  brand: string,
  document: string | Buffer,
  asked: object = {},
): Promise<Result> {
  const kinds: string[] = [];
  const context = {
    http: { send: async () => ({ status: 200, headers: {}, body: Buffer.from(document) }) },
    requestId: 'req_1',
    environment: 'sandbox' as const,
    now: Date.parse('2031-01-01T00:00:00Z'),
    warned: (found: readonly { readonly kind: string }[]) => kinds.push(...found.map(({ kind }) => kind)),
  };
  try {
    const answer = await boundedAdapter(adapter).searchVehicles?.({ ...search, brands: [brand], ...asked }, context);
    return [String(answer?.items.length), ...new Set(kinds)].join(' ');
  } catch (error) {
    if (error instanceof SupplierError) return `fails ${error.fault}`;
    throw error;
  }
}

/** The text with its last occurrence of `from` replaced, so that the second car is wrong; throws if there is none. */
function wrong(text: string, from: string, to: string): string {
  const at = text.lastIndexOf(from);
  if (at < 0) throw new Error(`the document has no ${from}`);
  return text.slice(0, at) + to + text.slice(at + from.length);
}

/** The text with every occurrence replaced; throws if there is none. */
function allWrong(text: string, from: string, to: string): string {
  if (!text.includes(from)) throw new Error(`the document has no ${from}`);
  return text.replaceAll(from, to);
}

const HTML = '<!doctype html><html><body>Down for maintenance</body></html>';
const utf16 = (text: string): Buffer => Buffer.from(text, 'utf16le');
const cut = (text: string): string => text.slice(0, Math.floor(text.length * 0.7));

describe('abg', () => {
  const car = (code: string) => ({
    category: { name: `Car ${code}`, sipp_code: code },
    rate_totals: {
      rate: {
        currency: 'CHF',
        rate_code: 'R1',
        days: 3,
        taxes_fees: { taxes: [{ type: 'VAT', amount: '15.00', included_in_total: true }] },
      },
      pay_later: { vehicle_total: '240.00', taxes_total: '15.00', reservation_total: '255.00' },
    },
  });
  const at = { location: { code: 'GVA', name: 'Geneva' }, address: { country_code: 'CH' } };
  const good = JSON.stringify({
    reservation: { pickup_location: at, dropoff_location: at },
    vehicles: [car('ECMR'), car('CDMR')],
  });

  it.each<Row>([
    ['no fault', good, '2'],
    ['a dot for thousands', wrong(good, '"255.00"', '"1.255"'), '1 amount_rejected'],
    ['a comma for decimals', wrong(good, '"255.00"', '"255,00"'), '1 amount_rejected'],
    ['both separators', wrong(good, '"255.00"', '"1.255,00"'), '1 amount_rejected'],
    ['more decimals than the currency has', wrong(good, '"255.00"', '255.001'), '1 amount_rejected'],
    ['an exponent', wrong(good, '"255.00"', '"2.55e2"'), '1 amount_rejected'],
    ['NaN', wrong(good, '"255.00"', '"NaN"'), '1 row_dropped'],
    ['Infinity', wrong(good, '"255.00"', '"Infinity"'), '1 row_dropped'],
    ['a number beyond all numbers', wrong(good, '"255.00"', '1e999'), '1 amount_rejected'],
    ['a currency sign', wrong(good, '"255.00"', '"CHF 255.00"'), '1 amount_rejected'],
    ['a negative total', wrong(good, '"255.00"', '"-255.00"'), '1 row_dropped'],
    ['a total of zero', wrong(good, '"255.00"', '0'), '1 row_dropped'],
    ['no total', wrong(good, ',"reservation_total":"255.00"', ''), '1 row_dropped'],
    ['an unknown currency', wrong(good, '"CHF"', '"SFR"'), '1 row_dropped'],
    ['no currency', wrong(good, '"currency":"CHF",', ''), '1 row_dropped'],
    ['a total without tax', wrong(good, '"255.00"', '"240.00"'), '2 contradiction'],
    ['a tax counted twice', wrong(good, '"taxes_total":"15.00"', '"taxes_total":"30.00"'), '2 contradiction'],
    ['thirty days', wrong(good, '"days":3', '"days":30'), '1 contradiction'],
    ['one day', wrong(good, '"days":3', '"days":1'), '1 contradiction'],
    ['a weekly rate', wrong(good, '"days":3', '"days":7'), '2'],
    ['a weekend at the price of two days', wrong(good, '"days":3', '"days":2'), '2'],
    [
      'another country',
      allWrong(
        good,
        '"GVA","name":"Geneva"},"address":{"country_code":"CH"',
        '"X1","name":"Rome"},"address":{"country_code":"IT"',
      ),
      'fails bad_payload',
    ],
    ['a code that is another airport', allWrong(good, '"code":"GVA"', '"code":"FCO"'), 'fails bad_payload'],
    ['a code of its own', allWrong(good, '"code":"GVA"', '"code":"XQZ"'), '2'],
    ['a truncated document', cut(good), 'fails bad_payload'],
    ['a web page', HTML, 'fails bad_payload'],
    ['another encoding', utf16(good), 'fails bad_payload'],
    ['nothing at all', '', 'fails bad_payload'],
    ['an empty success', '{}', 'fails bad_payload'],
    ['a list in place of the answer', '[]', 'fails bad_payload'],
    [
      'success with errors',
      wrong(good, '{"reservation"', '{"status":{"errors":[{"code":"500708","message":"m"}]},"reservation"'),
      '2 notice',
    ],
  ])('%s', async (_what, document, result) => {
    expect(await resultOf(abg, 'Avis', document)).toBe(result);
  });

  it("a supplier's own code that is also an airport's, as asked for", async () => {
    const own = { ...place, supplierCode: 'FCO' };
    const document = allWrong(good, '"code":"GVA"', '"code":"FCO"');
    expect(await resultOf(abg, 'Avis', document, { pickup: own, dropoff: own })).toBe('2');
  });
});

describe('ota-xml', () => {
  const adapter = createOtaXmlAdapter(settings);
  const car = (code: string) => `<VehAvail><VehAvailCore Status="Available">
    <Vehicle Code="${code}" CodeContext="SIPP"><VehMakeModel Name="Car ${code}"/></Vehicle>
    <RentalRate><VehicleCharges>
      <VehicleCharge Amount="240.00" CurrencyCode="CHF" Purpose="1"><Calculation UnitCharge="80.00" UnitName="Day" Quantity="3"/></VehicleCharge>
    </VehicleCharges><RateQualifier RateQualifier="R1"/></RentalRate>
    <Fees><Fee Amount="15.00" CurrencyCode="CHF" Purpose="7" IncludedInEstTotalInd="true"/></Fees>
    <TotalCharge RateTotalAmount="240.00" EstimatedTotalAmount="255.00" CurrencyCode="CHF"/>
  </VehAvailCore></VehAvail>`;
  const good = `<?xml version="1.0" encoding="UTF-8"?>
<OTA_VehAvailRateRS xmlns="http://www.opentravel.org/OTA/2003/05" Version="2.001"><Success/><VehAvailRSCore>
  <VehRentalCore PickUpDateTime="2031-05-06T10:00:00" ReturnDateTime="2031-05-09T10:00:00">
    <PickUpLocation LocationCode="GVA"/><ReturnLocation LocationCode="GVA"/></VehRentalCore>
  <VehVendorAvails><VehVendorAvail><Vendor Code="AL"/><VehAvails>${car('ECMR')}${car('CDMR')}</VehAvails></VehVendorAvail></VehVendorAvails>
</VehAvailRSCore></OTA_VehAvailRateRS>`;
  const total = (to: string) => wrong(good, 'EstimatedTotalAmount="255.00"', `EstimatedTotalAmount="${to}"`);

  it.each<Row>([
    ['no fault', good, '2'],
    ['a dot for thousands', total('1.255'), '1 amount_rejected'],
    ['a comma for decimals', total('255,00'), '1 amount_rejected'],
    ['both separators', total('1.255,00'), '1 amount_rejected'],
    ['an exponent', total('2.55E2'), '1 amount_rejected'],
    ['NaN', total('NaN'), '1 amount_rejected'],
    ['Infinity', total('INF'), '1 amount_rejected'],
    ['a negative total', total('-255.00'), '1 amount_rejected'],
    ['a total of zero', total('0.00'), '2 incomplete'],
    ['a total without its fees', total('240.00'), '2 contradiction'],
    ['an unknown currency', wrong(good, '"255.00" CurrencyCode="CHF"', '"255.00" CurrencyCode="SFR"'), '1 row_dropped'],
    [
      'a total in another currency than its charges',
      wrong(good, '"255.00" CurrencyCode="CHF"', '"255.00" CurrencyCode="JPY"'),
      '1 amount_rejected',
    ],
    ['another year', allWrong(good, '2031-', '2009-'), 'fails bad_payload'],
    ['the day before the month', allWrong(good, '2031-05-06', '2031-06-05'), 'fails bad_payload'],
    ['another return', wrong(good, '2031-05-09', '2031-05-10'), 'fails bad_payload'],
    ['a clock in another time zone', allWrong(good, 'T10:00:00', 'T01:00:00-09:00'), 'fails bad_payload'],
    ['thirty days charged for the requested dates', wrong(good, 'Quantity="3"', 'Quantity="30"'), '2 contradiction'],
    [
      'a weekly rate for the requested dates',
      wrong(good, 'UnitName="Day" Quantity="3"', 'UnitName="Week" Quantity="1"'),
      '2',
    ],
    [
      'the terms of 60,000 characters that both cars share',
      wrong(
        good,
        '<VehAvails>',
        `<Info><VendorMessages><VendorMessage><SubSection><Paragraph><Text>${'x'.repeat(60_000)}</Text></Paragraph></SubSection></VendorMessage></VendorMessages></Info><VehAvails>`,
      ),
      '2 incomplete',
    ],
    ['a name of 1,000 characters', wrong(good, 'Car CDMR', 'x'.repeat(1_000)), '2 incomplete'],
    [
      'an extra without a maximum, and a distance without an end',
      wrong(
        wrong(
          good,
          '<Fees>',
          '<PricedEquips><PricedEquip><Equipment EquipType="7" Quantity="2147483647"/></PricedEquip></PricedEquips><Fees>',
        ),
        '<VehicleCharges>',
        '<RateDistance Quantity="9999999" DistUnitName="Km"/><VehicleCharges>',
      ),
      '2 incomplete',
    ],
    [
      'thirty days, and no dates',
      wrong(good.replace(/ (PickUp|Return)DateTime="[^"]*"/g, ''), 'Quantity="3"', 'Quantity="30"'),
      '1 contradiction',
    ],
    [
      'another airport',
      allWrong(good, 'LocationCode="GVA"', 'CodeContext="IATA" LocationCode="FCO"'),
      'fails bad_payload',
    ],
    ['a code that is another airport', allWrong(good, 'LocationCode="GVA"', 'LocationCode="FCO"'), 'fails bad_payload'],
    ['a code that may be its own', allWrong(good, 'LocationCode="GVA"', 'LocationCode="XQZ"'), '2 contradiction'],
    ['a code of its own', allWrong(good, 'LocationCode="GVA"', 'CodeContext="AL" LocationCode="FCO"'), '2'],
    ['a truncated document', cut(good), 'fails bad_payload'],
    ['a web page', HTML, 'fails bad_payload'],
    ['JSON', '{"vehicles":[]}', 'fails bad_payload'],
    ['another encoding than it states, read correctly', utf16(good), '2'],
    ['nothing at all', '', 'fails bad_payload'],
    ['another message', allWrong(good, 'VehAvailRate', 'VehRes'), 'fails bad_payload'],
    ['another namespace', allWrong(good, 'OTA/2003/05', 'OTA/2010B'), '2 contradiction'],
    [
      'no namespace, which some suppliers use',
      allWrong(good, ' xmlns="http://www.opentravel.org/OTA/2003/05"', ''),
      '2',
    ],
    ['errors beside the cars', wrong(good, '<Success/>', '<Errors><Error Type="3" Code="95"/></Errors>'), '2 notice'],
    [
      'neither success nor cars',
      '<OTA_VehAvailRateRS xmlns="http://www.opentravel.org/OTA/2003/05"/>',
      'fails bad_payload',
    ],
  ])('%s', async (_what, document, result) => {
    expect(await resultOf(adapter, 'Alpine', document)).toBe(result);
  });

  it("a supplier's own code that is also an airport's, as asked for", async () => {
    const own = { ...place, supplierCode: 'FCO' };
    const document = allWrong(good, 'LocationCode="GVA"', 'LocationCode="FCO"');
    expect(await resultOf(adapter, 'Alpine', document, { pickup: own, dropoff: own })).toBe('2');
  });
});

describe('rest, decimal amounts', () => {
  const adapter = shippedAdapter('dune');
  const car = (rateId: string) => ({
    rateId,
    onRequest: false,
    sipp: 'ECMR',
    name: `Car ${rateId}`,
    payment: 'at_desk',
    price: {
      total: '255.00',
      base: '240.00',
      charges: [{ code: 'TAX', name: 'VAT', amount: '15.00', inTotal: true }],
    },
  });
  const at = { code: 'GVA', iata: 'GVA', name: 'Geneva', type: 'airport', address: { lines: [], country: 'CH' } };
  const good = JSON.stringify({
    currency: 'CHF',
    days: 3,
    from: search.pickupDate,
    to: search.dropoffDate,
    pickup: at,
    dropoff: at,
    extras: [],
    terms: [],
    vehicles: [car('r1'), car('r2')],
  });
  const total = (to: string) => wrong(good, '"total":"255.00"', `"total":${to}`);

  it.each<Row>([
    ['no fault', good, '2'],
    ['a dot for thousands', total('"1.255"'), '1 amount_rejected'],
    ['a comma for decimals', total('"255,00"'), '1 amount_rejected'],
    ['more decimals than the currency has', total('255.001'), '1 amount_rejected'],
    ['an exponent', total('"2.55e2"'), '1 amount_rejected'],
    ['NaN', total('"NaN"'), '1 row_dropped'],
    ['a number beyond all numbers', total('1e999'), '1 amount_rejected'],
    ['a list in place of an amount', total('["255.00"]'), '1 amount_rejected'],
    ['a negative total', total('"-255.00"'), '1 row_dropped'],
    ['a total of zero', total('"0.00"'), '1 row_dropped'],
    ['a total without tax', total('"240.00"'), '2 contradiction'],
    ['a tax counted twice', wrong(good, '"amount":"15.00"', '"amount":"30.00"'), '2 contradiction'],
    ['an unknown currency', wrong(good, '"CHF"', '"SFR"'), 'fails bad_payload'],
    ['decimals in a currency without', wrong(good, '"CHF"', '"JPY"').replaceAll('.00"', '.50"'), 'fails bad_payload'],
    ['thirty days charged for the requested dates', wrong(good, '"days":3', '"days":30'), '2 contradiction'],
    ['a weekly rate for the requested dates', wrong(good, '"days":3', '"days":7'), '2'],
    ['another airport', allWrong(good, '"GVA"', '"FCO"'), 'fails bad_payload'],
    ['only a code of another airport', allWrong(good, '"GVA","iata":"GVA"', '"FCO"'), 'fails bad_payload'],
    ['another country', allWrong(good, '"country":"CH"', '"country":"IT"'), '2 contradiction'],
    ['another year', allWrong(good, '"2031-', '"2009-'), 'fails bad_payload'],
    ['the day before the month', wrong(good, '2031-05-06', '2031-06-05'), 'fails bad_payload'],
    ['another return', wrong(good, '2031-05-09', '2031-05-10'), 'fails bad_payload'],
    ['a day that does not exist', wrong(good, '2031-05-09', '2031-05-32'), 'fails bad_payload'],
    ['a truncated document', cut(good), 'fails bad_payload'],
    ['a web page', HTML, 'fails bad_payload'],
    ['another encoding', utf16(good), 'fails bad_payload'],
    ['nothing at all', '', 'fails bad_payload'],
    ['an empty success', '{}', 'fails bad_payload'],
    ['null', 'null', 'fails bad_payload'],
  ])('%s', async (_what, document, result) => {
    expect(await resultOf(adapter, 'Dune', document)).toBe(result);
  });

  it("a code that is also an airport's, from a supplier with codes of its own", async () => {
    const { options, ...own } = shippedSettings('dune');
    const location = { ...(options.location as object), ownCodes: true };
    const withOwnCodes = createRestAdapter({ ...own, options: { ...options, location } });
    const coded = allWrong(good, '"GVA","iata":"GVA"', '"FCO"');
    expect(await resultOf(withOwnCodes, 'Dune', coded)).toBe('2');
    expect(await resultOf(withOwnCodes, 'Dune', allWrong(good, '"GVA"', '"FCO"'))).toBe('fails bad_payload');
    expect(await resultOf(withOwnCodes, 'Dune', allWrong(coded, '"country":"CH"', '"country":"IT"'))).toBe(
      'fails bad_payload',
    );
  });
});

describe('rest, minor units', () => {
  const adapter = shippedAdapter('ember');
  // Epoch seconds of the search: Geneva is two hours ahead of UTC in May.
  const FROM = Date.parse(`${search.pickupDate}+02:00`) / 1_000;
  const TO = Date.parse(`${search.dropoffDate}+02:00`) / 1_000;
  const depot = { id: 11, iata: 'GVA', title: 'Geneva', kind: 1, cc: 'CH', tz: 'Europe/Zurich', open: [] };
  const car = (grp: number) => ({
    grp,
    acriss: 'ECMR',
    brand: 'Talon',
    type: '500',
    pay: 2,
    ask: 0,
    total_cents: 25_500,
    base_cents: 24_000,
    tax_cents: 1_500,
  });
  const good = JSON.stringify({
    ok: 1,
    cur: 'CHF',
    days: 3,
    from: 11,
    to: 11,
    from_ts: FROM,
    to_ts: TO,
    depots: [depot],
    cars: [car(1), car(2)],
  });
  const total = (to: string) => wrong(good, '"total_cents":25500', `"total_cents":${to}`);

  it.each<Row>([
    ['no fault', good, '2'],
    ['major units in place of minor ones', total('255.5'), '1 amount_rejected'],
    ['major units as text', total('"255.00"'), '1 amount_rejected'],
    ['an exponent', total('"2e4"'), '1 amount_rejected'],
    ['a negative total', total('-25500'), '1 row_dropped'],
    ['a total in major units, items in minor ones', total('255'), '2 contradiction'],
    ['thirty days charged for the requested dates', wrong(good, '"days":3', '"days":30'), '2 contradiction'],
    ['a weekly rate for the requested dates', wrong(good, '"days":3', '"days":7'), '2'],
    ['another country', wrong(good, '"cc":"CH"', '"cc":"IT"'), '2 contradiction'],
    ['another year', wrong(good, String(FROM), String(FROM - 22 * 365 * 86_400)), 'fails bad_payload'],
    ['another return', wrong(good, String(TO), String(TO + 86_400)), 'fails bad_payload'],
    ['milliseconds in place of seconds', wrong(good, String(TO), `${TO}000`), 'fails bad_payload'],
    [
      'wall clocks two hours off, as if they were UTC',
      wrong(good, String(TO), String(TO + 7_200)),
      'fails bad_payload',
    ],
    ['a refusal with success', wrong(good, '"ok":1', '"ok":0'), 'fails bad_payload'],
    ['an empty success', '{"ok":1}', 'fails bad_payload'],
    ['a truncated document', cut(good), 'fails bad_payload'],
  ])('%s', async (_what, document, result) => {
    expect(await resultOf(adapter, 'Ember', document)).toBe(result);
  });
});
