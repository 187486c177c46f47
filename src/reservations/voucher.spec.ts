import { createHash } from 'node:crypto';
import { describe, expect, it, test } from '@jest/globals';
import { LANGUAGES } from '../config/languages.js';
import { supplierConfigSchema } from '../config/supplier-config.schema.js';
import { wordsIn } from '../representations/words/words-in.js';
import { ApiError } from '../status/api-error.js';
import { SupplierConnection } from '../suppliers/supplier-connection.js';
import { reservationIn, sampleView } from './fixtures/sample-reservation.js';
import type { Reservation } from './reservation.js';
import { STATES } from './states.js';
import { voucherView } from './voucher.js';
import { voucherWire } from './voucher.wire.js';
import { VOUCHER_HEADERS, voucherPage } from './voucher-page.js';

const config = supplierConfigSchema.parse({
  id: 'uno',
  name: 'Uno Cars',
  adapter: 'fake',
  brands: ['Uno'],
  content: { supportPhone: '+16175550100' },
});
const connection = new SupplierConnection(config, { brandsPerCall: 'many' }, 'http://127.0.0.1:9');
const supplier = { id: 'uno', name: 'Uno Cars', config, connection };
const confirmed = (changes: Partial<Reservation> = {}): Reservation =>
  reservationIn('confirmed', { confirmationNumber: 'CN-4711', ...changes });

describe('a voucher', () => {
  it.each(STATES.filter((state) => state !== 'confirmed'))('is refused while the reservation is %s', (state) => {
    const refused = (): unknown => voucherView(reservationIn(state), supplier);
    expect(refused).toThrow(ApiError);
    expect(refused).toThrow(`resource_failure: The reservation is "${state}"`);
  });

  it('has what the counter needs, and nothing of the driver but the name', () => {
    const voucher = voucherView(confirmed(), supplier);
    expect(voucherWire.parse(JSON.parse(JSON.stringify(voucher)))).toMatchObject({
      confirmation_number: 'CN-4711',
      driver: { first_name: 'Ada', last_name: 'Sample' },
      supplier: { supplier: 'uno', name: 'Uno Cars', support_phone: '+16175550100' },
      total: { currency: 'USD' },
    });
    for (const trace of ['ada.sample@example.com', '617 555', '1990-05-31', 'LICENCE77', 'LOYAL55', 'Remarkable'])
      expect(JSON.stringify(voucher)).not.toContain(trace);
  });

  it('has no names once they were erased', () => {
    const { personal: _erased, ...erased } = confirmed();
    const voucher = voucherView(erased, supplier);
    expect([voucher.driver, voucher.additional_drivers, voucher.arrival]).toEqual([null, undefined, undefined]);
    expect(voucherPage(voucher, 'de')).toContain('Die Daten des Fahrers wurden gelöscht.');
    expect(voucherPage(voucher, 'en')).not.toContain('Sample');
  });

  it('shows what was paid at booking, if a change has left another amount due', () => {
    const paid = { amountMinor: 20_000, currency: 'USD' };
    const voucher = voucherView(confirmed({ payment: { type: 'card', lastFour: '1111', paid } }), supplier);
    expect(voucher.payment.paid).toEqual({ amount: '200.00', currency: 'USD' });
    expect(voucherPage(voucher, 'de')).toMatch(/Bei Buchung mit Karte bezahlt: <\/span>200.00 USD/);
  });

  it('shows the total that the supplier booked, and no parts of another one', () => {
    const accepted = { amountMinor: 10_000, currency: 'USD' };
    const priceDrift = { accepted, actual: { amountMinor: 12_345, currency: 'USD' } };
    const voucher = voucherView(confirmed({ priceDrift }), supplier);
    expect([voucher.total, voucher.due_now, voucher.due_at_counter]).toEqual([
      { amount: '123.45', currency: 'USD' },
      undefined,
      undefined,
    ]);
  });

  it.each([
    ['voucher', '90.00', [undefined, undefined]],
    ['voucher', '0.00', ['10.00', '0.00']],
    ['counter', '90.00', ['10.00', '90.00']],
  ] as const)('paid with %s, with %s at the counter in its rate, asks the renter for %j', (type, counter, parts) => {
    const { view } = confirmed();
    const price = { ...view.price, due_at_counter: { amount: counter, currency: 'USD' } };
    const voucher = voucherView(confirmed({ payment: { type }, view: { ...view, price } }), supplier);
    expect([voucher.due_now?.amount, voucher.due_at_counter?.amount]).toEqual(parts);
    expect(voucher.total).toEqual(view.price.total);
    const text = voucherPage(voucher, 'en').replace(/<[^>]+>/g, '');
    expect(text.includes('Due at the counter: ')).toBe(parts[1] !== undefined);
    expect(text.includes('Payment: Voucher')).toBe(type === 'voucher');
  });

  it('lists what must be paid besides the total', () => {
    const charge = (description: string, amount: string, changes: object = {}) => ({
      ...{ kind: 'fee', description, amount: { amount, currency: 'USD' }, unit: 'rental' as const, quantity: 1 },
      ...{ mandatory: true, included_in_total: false, payable: 'counter' as const, code: undefined, ...changes },
    });
    const items = [
      charge('Airport fee', '75.00'),
      charge('Roof box', '40.00', { mandatory: false }),
      charge('Tax', '10.00', { included_in_total: true }),
      charge('Seat', '20.00', { mandatory: false, code: 'csi' }),
      charge('Accidents', '30.00', { mandatory: false, code: 'PAI' }),
      charge('Theft', '50.00', { mandatory: false, code: 'TP' }),
    ];
    const { view } = confirmed();
    const voucher = voucherView(confirmed({ view: { ...view, price: { ...view.price, items } } }), supplier);
    expect(voucher.local_charges?.map(({ description }) => description)).toEqual(['Airport fee', 'Seat', 'Accidents']);
    const text = voucherPage(voucher, 'en').replace(/<[^>]+>/g, '');
    expect(text).toContain('Also due at the counter: Airport fee, 75.00 USD');
    expect(text).not.toMatch(/Roof box|Tax,|Theft,/);
    expect(voucherView(confirmed(), supplier).local_charges).toBeUndefined();
  });

  it('is available if the supplier is not configured any more', () => {
    const { supplier: shown } = voucherView(confirmed(), undefined);
    expect(shown).toMatchObject({ supplier: 'uno', name: 'Uno', support_phone: undefined });
  });
});

describe('the printable page', () => {
  const page = voucherPage(voucherView(confirmed(), supplier), 'en');

  it('allows only its own style', () => {
    const style = /<style>([\s\S]*?)<\/style>/.exec(page)?.[1] ?? '';
    const digest = createHash('sha256').update(style).digest('base64');
    expect(VOUCHER_HEADERS['content-security-policy']).toContain(`style-src 'sha256-${digest}'`);
    expect(VOUCHER_HEADERS['content-security-policy']).toMatch(/^default-src 'none'/);
    expect(page).not.toMatch(
      /<script|<link|<img|<iframe| style=|url\(|@import|https?:\/\/(?!www\.w3\.org\/2000\/svg")/,
    );
  });

  it('escapes every text of the supplier and of the renter', () => {
    const evil = `<script>alert(1)</script>"'><svg onload=x>`;
    const view = {
      ...sampleView,
      vehicle: { ...sampleView.vehicle, name: evil },
      terms: [{ kind: 'policy', text: evil, url: undefined }],
      included_coverages: [],
      pickup: { ...sampleView.pickup, location: { ...sampleView.pickup.location, name: evil, phone: evil } },
    };
    const { personal, clientReference: _none, ...rest } = confirmed({ view, confirmationNumber: evil });
    const driver = { ...personal?.driver, firstName: evil } as NonNullable<typeof personal>['driver'];
    const hostile = voucherView({ ...rest, personal: { additionalDrivers: [], driver } }, supplier);
    const html = voucherPage(hostile, 'en');
    expect(html).not.toMatch(/<script|<svg onload/);
    expect(html.split('&lt;script>').length - 1).toBe(7);
  });

  it('shows what the supplier booked otherwise than accepted', () => {
    const booked_differently = {
      sipp_code: 'MBMR',
      pickup_code: 'LAX',
      dropoff_code: '<b>',
      dropoff_date: '2027-05-06T18:30:00',
      missing_extras: ['GPS'],
      unconfirmed_extras: ['CSI', 'SKI'],
      other_extras: [{ extra_id: 'SNO', name: 'Snow <chains>', quantity: 2 }, { extra_id: 'TOLL' }],
    };
    const html = voucherPage(voucherView(confirmed({ view: { ...sampleView, booked_differently } }), supplier), 'en');
    const part = /<h2>Booked differently<\/h2>(.*?)<\/section>/.exec(html)?.[1]?.replace(/<[^>]*>/g, '|');
    expect(part?.split('|').filter(Boolean)).toEqual([
      'Vehicle: ',
      'Mini · 2–3 doors · MBMR',
      'Pickup: ',
      'LAX',
      'Return: ',
      '2027-05-06 18:30 · &lt;b>',
      'Not booked: ',
      'GPS',
      'Not confirmed yet: ',
      'Infant seat, SKI',
      'Booked: ',
      '2 × Snow &lt;chains>, TOLL',
    ]);
    expect(page).not.toContain('Booked differently');
  });

  test.each(LANGUAGES)('in %s has its language and labels', (language) => {
    const html = voucherPage(voucherView(confirmed(), supplier), language);
    expect(html).toContain(`<html lang="${language}">`);
    expect(html).not.toContain('undefined');
  });
});

test('every state of a reservation has a name in every language', () => {
  for (const language of LANGUAGES) expect(Object.keys(wordsIn(language).state).sort()).toEqual([...STATES].sort());
});
