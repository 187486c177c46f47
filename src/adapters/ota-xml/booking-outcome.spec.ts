import { describe, expect, it } from '@jest/globals';
import type { ModifyRequest, SupplierBooking } from '../../model/bookings.js';
import { oneWarning } from '../../model/warnings.js';
import { createOtaXmlAdapter } from './adapter.js';
import { answering, failureOf, key, request } from './fixtures/booking.js';
import { fixture, settings } from './fixtures/setting.js';

const adapter = createOtaXmlAdapter(settings);
const change: ModifyRequest = { ...request, confirmationNumber: 'AL1', changes: ['remark'] };
const known = { ...key, confirmationNumber: 'AL1' };

type Answer = Parameters<typeof answering>[0][number];

const http = (status: number, body = ''): Answer => ({ status, body: Buffer.from(body) });
const soap = (content: string) =>
  `<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>${content}</s:Body></s:Envelope>`;
const rs = (name: 'Res' | 'Modify' | 'Cancel', content: string) => `<OTA_Veh${name}RS>${content}</OTA_Veh${name}RS>`;
const error = (type: number | string, code: number | string, text = 'for Ada Sample, card 4111111111111111') =>
  `<Error Type="${type}" Code="${code}" ShortText="${text}">ada@example.com</Error>`;
const errors = (...list: string[]) => `<Errors>${list.join('')}</Errors>`;
const warning = (type: number, code: number | string, text = '') =>
  `<Warnings><Warning Type="${type}" Code="${code}">${text}</Warning></Warnings>`;
const reservation = (ids = '<ConfID Type="14" ID="AL1"/>', more = '') =>
  `<VehReservation${more}><VehSegmentCore>${ids}</VehSegmentCore></VehReservation>`;
const res = (content: string, status?: string) =>
  rs(
    'Res',
    `<Success/><VehResRSCore${status === undefined ? '' : ` ReservationStatus="${status}"`}>${content}</VehResRSCore>`,
  );

const bookFailure = (answer: Answer) => failureOf(adapter.book?.(request, answering([answer])));

describe('book', () => {
  it.each<[string, SupplierBooking['status']]>([
    ['Reserved', 'confirmed'],
    ['Committed', 'confirmed'],
    ['Confirmed', 'confirmed'],
    ['Modified', 'confirmed'],
    ['Pending', 'on_request'],
    ['Requested', 'on_request'],
    ['OnHold', 'on_request'],
    ['On Request', 'on_request'],
    ['RequestDenied', 'rejected'],
    ['Unsuccessful', 'rejected'],
    ['Ignored', 'rejected'],
    ['Cancelled', 'cancelled'],
  ])('maps %s to %s', async (word, status) => {
    expect(await adapter.book?.(request, answering([res(reservation(), word)]))).toMatchObject({
      status,
      confirmationNumber: 'AL1',
    });
    expect(
      await adapter.book?.(request, answering([soap(res(reservation(undefined, ` ReservationStatus="${word}"`)))])),
    ).toMatchObject({
      status,
    });
  });

  it.each([
    ['reservation first', '<ConfID Type="8" ID="C8"/><ConfID Type="40" ID="C40"/><ConfID Type="14" ID="C14"/>', 'C14'],
    ['confirmation number next', '<ConfID Type="8" ID="C8"/><ConfID Type="40" ID="C40"/>', 'C40'],
    [
      'by its own type if it has no other',
      '<ConfID Type="Supplier" ID="103501"/><ConfID Type="Client" ID="FC_0001"/>',
      '103501',
    ],
    ['that of a company if it has no other', '<ConfID Type="4" ID="ES289589400"/>', 'ES289589400'],
    [
      'of the supplier before that of a company, which may be a code',
      '<ConfID Type="4" ID="AUTOSTRAD"/><ConfID Type="Supplier" ID="103501"/>',
      '103501',
    ],
    [
      'of the supplier beside our reference as that of a company',
      '<ConfID Type="4" ID="FC_0001"/><ConfID Type="Supplier" ID="103501"/>',
      '103501',
    ],
    [
      'that of a company beside references',
      '<ConfID Type="4" ID="ES1"/><ConfID Type="16" ID="Q-7"/><ConfID Type="Client" ID="fc_0001"/>',
      'ES1',
    ],
    [
      'that of a company which it also calls its reference',
      '<ConfID Type="4" ID="ES1"/><ConfID Type="16" ID="es1"/>',
      'ES1',
    ],
    [
      'that of a company which it also calls that of a cancellation',
      '<ConfID Type="4" ID="ES1"/><ConfID Type="15" ID="ES1"/>',
      'ES1',
    ],
    [
      'that of a company beside a reference that has another type as well',
      '<ConfID Type="4" ID="ES1"/><ConfID Type="16" ID="Q-7"/><ConfID Type="Client" ID="Q-7"/>',
      'ES1',
    ],
    [
      'that of a company beside the number of a cancellation that has another type as well',
      '<ConfID Type="4" ID="ES1"/><ConfID Type="15" ID="C-7"/><ConfID Type="24" ID="C-7"/>',
      'ES1',
    ],
    ['that of a company beside the code of one', '<ConfID Type="4" ID="al"/><ConfID Type="4" ID="ES1"/>', 'ES1'],
    ['with the name of the list', '<ConfID Type="008.UIT" ID="C8"/><ConfID Type="14.UIT" ID="C14"/>', 'C14'],
    ['car rental last', '<ConfID Type="16" ID="FC_0001"/><ConfID Type="8" ID="C8"/>', 'C8'],
  ])('selects the number by its type, %s', async (_name, ids, number) => {
    expect(await adapter.book?.(request, answering([res(reservation(ids), 'RESERVED')]))).toMatchObject({
      status: 'confirmed',
      confirmationNumber: number,
    });
  });

  it('takes the number of a company for that of the booking if numberTypes begins with it', async () => {
    const { book } = createOtaXmlAdapter({ ...settings, options: { ...settings.options, numberTypes: ['4'] } });
    const ids = '<ConfID Type="4" ID="ES1"/><ConfID Type="24" ID="YGQE5U"/>';
    expect((await book?.(request, answering([res(reservation(ids), 'Reserved')])))?.confirmationNumber).toBe('ES1');
  });

  it.each([
    ['that was asked', '<ConfID Type="4" ID="AL"/>'],
    ['that was asked, as its name', '<ConfID Type="4" ID="ALPINE"/>'],
    ['in the answer', '<ConfID Type="4" ID="ZE"/><Vendor Code="ZE"/>'],
    ['in the answer, as its short name', '<ConfID Type="4" ID="HERTZ"/><Vendor Code="ZE" CompanyShortName="Hertz"/>'],
    ['in the answer, as its name', '<ConfID Type="4" ID="HERTZ"/><Vendor Code="ZE">Hertz</Vendor>'],
  ])('never takes the code of the company %s for the number, whatever else is there', async (_where, code) => {
    for (const others of ['', '<ConfID Type="24" ID="X1"/><ConfID Type="16" ID="X1"/>'])
      for (const options of [{}, { numberTypes: ['4'] }]) {
        const { book } = createOtaXmlAdapter({ ...settings, options: { ...settings.options, ...options } });
        const answer = res(reservation(others + code), 'Reserved');
        await expect(book?.(request, answering([answer]))).rejects.toThrow('see the option numberTypes');
      }
  });

  it('names the option for a reservation whose number is not clear', async () => {
    const made = (content: string) => adapter.book?.(request, answering([content]));
    const ids = '<ConfID Type="4" ID="ES1"/><ConfID Type="5" ID="T9"/>';
    const text = 'OTA_VehResRS without a confirmation number';
    await expect(made(res(reservation(ids), 'Reserved'))).rejects.toThrow(`${text}; see the option numberTypes`);
    await expect(made(rs('Res', '<Success/>'))).rejects.toThrow(new RegExp(`${text}$`));
  });

  it('has our reference only if the supplier returns it', async () => {
    const referenceOf = async (id: string) =>
      (
        await adapter.book?.(
          request,
          answering([res(reservation(`<ConfID Type="14" ID="AL1"/><ConfID Type="16" ID="${id}"/>`))]),
        )
      )?.reference;
    expect(await referenceOf('FC_0001')).toBe('FC_0001');
    expect(await referenceOf('Q-7781')).toBeUndefined();
  });

  it('returns the booking from a complete answer', async () => {
    expect(await adapter.book?.(request, answering([{ status: 200, body: fixture('reservation.xml') }]))).toEqual({
      status: 'confirmed',
      confirmationNumber: 'ALP-77120',
      reference: 'FC_0001',
      ref: { numberType: '14' },
      total: { amountMinor: 59_542, currency: 'CHF' },
      pickupDate: '2026-03-29T01:30:00',
      dropoffDate: '2026-04-05T09:00:00',
      sippCode: 'IWAD',
      pickup: expect.objectContaining({ code: 'GVA', iataCode: 'GVA', latitude: expect.closeTo(46.24, 1) }),
      dropoff: expect.objectContaining({ code: 'ZRH', iataCode: 'ZRH' }),
      extras: [{ code: '8', quantity: 2 }],
    });
  });

  it('has a total if options that it leaves out are paid in another currency', async () => {
    const { book } = createOtaXmlAdapter(settings);
    const bookedAt = async (currency: string) => {
      const charge = `<Charge Amount="64.62" CurrencyCode="${currency}" IncludedInEstTotalInd="false"`;
      const body = fixture('reservation.xml')
        .toString()
        .replace(/<Charge Amount="64.62" CurrencyCode="CHF"/, charge);
      expect(body).toContain(charge);
      return (await book?.(request, answering([body])))?.total;
    };
    expect(await bookedAt('CHF')).toBeUndefined();
    expect(await bookedAt('EUR')).toEqual({ amountMinor: 59_542, currency: 'CHF' });
  });

  it('has no total if the stated one leaves out the chosen options', async () => {
    const { book } = createOtaXmlAdapter({ ...settings, options: { ...settings.options, chosenInTotal: false } });
    const booking = await book?.(request, answering([{ status: 200, body: fixture('reservation.xml') }]));
    expect(booking).toMatchObject({ status: 'confirmed', confirmationNumber: 'ALP-77120' });
    expect(booking?.total).toBeUndefined();
  });

  it.each<[string, Answer, string]>([
    ['sold out', rs('Res', errors(error(3, 301))), 'rejected sold_out'],
    ['no such car at these dates', rs('Res', errors(error(3, 302))), 'rejected sold_out'],
    ['a changed price', rs('Res', errors(error(3, 309))), 'rejected price_changed'],
    ['an old quote', rs('Res', errors(error(3, 659))), 'rejected rate_expired'],
    ['an unknown quote', rs('Res', errors(error(3, 87))), 'rejected rate_expired'],
    ['an invalid rate', rs('Res', errors(error(3, 249))), 'rejected invalid_rate'],
    ['an invalid discount', rs('Res', errors(error(3, 261))), 'rejected invalid_discount'],
    ['a driver not entitled to the rate', rs('Res', errors(error(3, 595))), 'rejected not_eligible'],
    ['a driver on the do-not-rent list', rs('Res', errors(error(3, 729))), 'rejected not_eligible'],
    ['a declined card', rs('Res', errors(error(3, 167))), 'rejected card_declined'],
    ['a closed location', rs('Res', errors(error(3, 227))), 'rejected location_closed'],
    ['an unknown location', rs('Res', errors(error(3, 229))), 'rejected invalid_location'],
    ['an unavailable extra', rs('Res', errors(error(3, 308))), 'rejected extra_not_available'],
    ['a missing member', rs('Res', errors(error(10, 321))), 'rejected'],
    ['an unsupported operation', rs('Res', errors(error(2, 'X'))), 'rejected unsupported_by_supplier'],
    ['sold out and an unknown business rule', rs('Res', errors(error(3, 301), error(3, 4711))), 'rejected sold_out'],
    ['sold out and a closed location', rs('Res', errors(error(3, 301), error(3, 227))), 'rejected'],
    ['an unknown business rule', rs('Res', errors(error(3, 4711))), 'rejected'],
    ['a missing email address', rs('Res', errors(error(3, 689))), 'rejected'],
    ['a refusal in an OTA_ErrorRS', `<OTA_ErrorRS>${errors(error(3, 301))}</OTA_ErrorRS>`, 'rejected sold_out'],
    ['a refusal with HTTP 400', http(400, rs('Res', errors(error(3, 301)))), 'rejected sold_out'],
    ['wrong credentials by type', rs('Res', errors(error(4, 9))), 'auth'],
    ['wrong credentials by HTTP', http(401), 'auth'],
    ['HTTP 403', http(403), 'auth'],
    ['HTTP 429', http(429), 'throttled'],
    ['HTTP 404 without a message', http(404, '<html><body>gone</body></html>'), 'rejected'],
    ['HTTP 405 without a message', http(405, 'POST only'), 'rejected'],
    ['HTTP 415 without a message', http(415), 'rejected'],
    ['a warning that the car is gone', rs('Res', `<Success/>${warning(3, 301)}`), 'rejected sold_out'],
    [
      'a business rule whose text says that the price is gone',
      rs('Res', errors(error(3, '', 'Price no longer available'))),
      'rejected rate_expired',
    ],
    [
      'an old quote, and a text about it',
      rs('Res', errors(error(3, 659, 'The quote has expired'))),
      'rejected rate_expired',
    ],
  ])('is certainly not booked: %s', async (_name, answer, failure) => {
    expect(await bookFailure(answer)).toBe(failure);
  });

  it.each<[string, Answer, string]>([
    ['a bare Success', rs('Res', '<Success/>'), 'bad_payload'],
    ['a bare Success in SOAP', soap(rs('Res', '<Success/>')), 'bad_payload'],
    ['a status named like a member of every object', res(reservation(), 'constructor'), 'bad_payload'],
    ['a code named like one', rs('Res', errors(error(12, 'constructor'))), 'unavailable'],
    ['a type named like one', rs('Res', errors(error('toString', 'X'))), 'unavailable'],
    ['a Success with advice', rs('Res', `<Success/>${warning(11, 301)}`), 'bad_payload'],
    ['a Success with a warning nobody knows', rs('Res', `<Success/>${warning(3, 4711)}`), 'bad_payload'],
    ['a reservation without number', res(reservation('')), 'bad_payload'],
    [
      'a reservation with our reference only',
      res(reservation('<ConfID Type="16" ID="FC_0001"/>'), 'Reserved'),
      'bad_payload',
    ],
    [
      'a reservation with our reference as a number',
      res(reservation('<ConfID Type="4" ID="fc_0001"/>'), 'Reserved'),
      'bad_payload',
    ],
    [
      'a reservation with two numbers of its own type',
      res(reservation('<ConfID Type="Supplier" ID="1"/><ConfID Type="Supplier" ID="2"/>'), 'Reserved'),
      'bad_payload',
    ],
    [
      'a reservation with that of a company, which may be a code, and a number of an unknown type',
      res(reservation('<ConfID Type="4" ID="AVIS"/><ConfID Type="24" ID="YGQE5U"/>'), 'Reserved'),
      'bad_payload',
    ],
    [
      'a reservation with a number of an unknown type',
      res(reservation('<ConfID Type="24" ID="1"/>'), 'Reserved'),
      'bad_payload',
    ],
    ['an on-request booking without number', res(reservation(''), 'Pending'), 'bad_payload'],
    ['a number with an unknown status', res(reservation(), 'Whatever'), 'bad_payload'],
    [
      'a number together with Errors',
      rs('Res', `${errors(error(3, 301))}<VehResRSCore>${reservation()}</VehResRSCore>`),
      'bad_payload',
    ],
    ['a pending cancellation', res(reservation(), 'PendingCancellation'), 'unavailable'],
    ['nothing', '', 'bad_payload'],
    ['half an answer', '<OTA_VehResRS><Success/><VehResRSCore>', 'bad_payload'],
    ['a page', '<!DOCTYPE html><html><body>Ada Sample</body></html>', 'bad_payload'],
    ['another message', '<OTA_PingRS><Success/></OTA_PingRS>', 'bad_payload'],
    ['HTTP 204', http(204), 'bad_payload'],
    ['a busy system', rs('Res', errors(error(12, 191))), 'unavailable'],
    ['a booking that may have been made', rs('Res', errors(error(3, 303))), 'unavailable'],
    ['a failure of the application', rs('Res', errors(error(13, 'X9'))), 'unavailable'],
    ['an unknown error of unknown type', rs('Res', errors(error(1, 4711))), 'unavailable'],
    [
      'an error whose text also mentions a price that is gone',
      rs('Res', errors(error(1, '', 'Timeout while storing; the quoted rate is valid, session expired'))),
      'unavailable',
    ],
    [
      'an unknown error of unknown type whose text says that the price is gone',
      rs('Res', errors(error(1, 4711, 'Price no longer available'))),
      'unavailable',
    ],
    ...[1, 3].map((type): [string, Answer, string] => [
      `a Success with a warning of type ${type} whose text says that the price is gone`,
      rs('Res', `<Success/>${warning(type, '', 'Price no longer available')}<VehResRSCore/>`),
      'bad_payload',
    ]),
    ['our reference seen before', rs('Res', errors(error(3, 94))), 'unavailable'],
    ['on request, reported as an error', rs('Res', errors(error(3, 728))), 'unavailable'],
    ['an extra on request, reported as an error', rs('Res', errors(error(3, 464))), 'unavailable'],
    ['sold out and a busy system', rs('Res', errors(error(3, 301), error(3, 187))), 'unavailable'],
    ['a warning that the system is down', rs('Res', `<Success/>${warning(12, 187)}`), 'unavailable'],
    ['a SOAP fault', soap('<s:Fault><faultstring>Ada Sample</faultstring></s:Fault>'), 'unavailable'],
    ['HTTP 500 with a refusal', http(500, rs('Res', errors(error(3, 301)))), 'unavailable'],
    ['HTTP 502', http(502, '<html/>'), 'unavailable'],
    ['HTTP 303', http(303), 'unavailable'],
    ['HTTP 408', http(408), 'unavailable'],
    ['HTTP 409', http(409, 'conflict'), 'unavailable'],
    ['HTTP 400 with a reservation', http(400, res(reservation())), 'unavailable'],
    ['HTTP 400 with a SOAP fault', http(400, soap('<s:Fault><faultstring>x</faultstring></s:Fault>')), 'unavailable'],
  ])('is in doubt: %s', async (_name, answer, failure) => {
    expect(await bookFailure(answer)).toBe(failure);
  });

  /** A booking, a change and a look-up, if they don't agree. */
  type Outcomes = string | readonly [booked: string, changed: string, found: string];
  const CHANGE_DOUBTED = ['confirmed', 'bad_payload', 'confirmed'] as const;
  /** One that is retrieved by its number was booked, whatever is said about its price or the system. */
  const UNBOOKED = ['bad_payload', 'bad_payload', 'confirmed'] as const;

  it.each<[string, string, string | undefined, Outcomes]>([
    ['a vehicle on request', warning(3, 728), undefined, 'on_request'],
    ['a one-way rental on request', warning(3, 641), undefined, 'on_request'],
    ['one that is on request, with the word Reserved', warning(3, 728), 'Reserved', 'confirmed'],
    ['advice only', warning(11, 728), undefined, 'confirmed'],
    ['a child seat on request', warning(3, 464), undefined, 'confirmed'],
    ['special equipment on request', warning(3, 613), undefined, 'confirmed'],
    ['an extra and the vehicle on request', warning(3, 464) + warning(3, 728), undefined, 'on_request'],
    ['a discount that was not applied', warning(3, 261), undefined, 'confirmed'],
    ...[210, 214, 220, 258, 264, 309, 586, 607, 632, 689, 999].map((code): [string, string, undefined, Outcomes] => {
      const isAboutChanges = [210, 258, 264, 632].includes(code);
      return [`advice ${code}`, warning(3, code), undefined, isAboutChanges ? CHANGE_DOUBTED : 'confirmed'];
    }),
    ['trouble without a code', warning(12, ''), undefined, 'confirmed'],
    ['a failure with an unknown code', warning(13, 'X9'), undefined, 'confirmed'],
    ['failure 245', warning(3, 245), undefined, 'bad_payload'],
    ...([163, 263, 94, 187, 595, 659] as const).map((code): [string, string, undefined, Outcomes] => [
      `failure ${code}`,
      warning(3, code),
      undefined,
      UNBOOKED,
    ]),
    ['a cancelled booking', warning(3, 95), undefined, ['bad_payload', 'bad_payload', 'cancelled']],
    ['refused credentials', warning(4, ''), undefined, UNBOOKED],
    ['no rate, with the word Reserved', warning(3, 263), 'Reserved', 'confirmed'],
    [
      'a vehicle on request and a busy system',
      warning(3, 728) + warning(12, 187),
      undefined,
      ['bad_payload', 'bad_payload', 'on_request'],
    ],
  ])('reads a number beside a Warning: %s', async (_name, warnings, word, outcomes) => {
    const [ofBook, ofModify, ofRetrieve] = typeof outcomes === 'string' ? [outcomes, outcomes, outcomes] : outcomes;
    const content = (name: string, status: string) =>
      `<Success/>${warnings}<${name}${word === undefined ? '' : ` ${status}="${word}"`}>${reservation()}</${name}>`;
    const outcomeOf = async (booked: Promise<SupplierBooking> | undefined) => {
      const failure = await failureOf(booked);
      return failure === 'none' ? (await booked)?.status : failure;
    };
    const booked = adapter.book?.(request, answering([rs('Res', content('VehResRSCore', 'ReservationStatus'))]));
    expect(await outcomeOf(booked)).toBe(ofBook);
    const changed = adapter.modify?.(change, answering([rs('Modify', content('VehModifyRSCore', 'ModifyStatus'))]));
    expect(await outcomeOf(changed)).toBe(ofModify);
    const own = reservation(undefined, word && ` ReservationStatus="${word}"`);
    const found = adapter.retrieve?.(
      known,
      answering([`<OTA_VehRetResRS><Success/>${warnings}<VehRetResRSCore>${own}</VehRetResRSCore></OTA_VehRetResRS>`]),
    );
    expect(await outcomeOf(found?.then(({ items }) => items[0] as SupplierBooking))).toBe(ofRetrieve);
  });

  it.each<[string, readonly string[], unknown]>([
    ['with its number', ['EquipType="7" Quantity="2"'], [{ code: '7', quantity: 2 }]],
    ['without a number', ['EquipType="7"', 'EquipType="8" Quantity="x"'], [{ code: '7' }, { code: '8' }]],
    [
      'not if it is only offered',
      ['EquipType="7" Quantity="0"', 'EquipType="8" Quantity="1"'],
      [{ code: '8', quantity: 1 }],
    ],
    ['none if all are only offered', ['EquipType="7" Quantity="0"'], []],
  ])('reads a booked extra: %s', async (_what, equipment, extras) => {
    const priced = equipment.map((one) => `<PricedEquip><Equipment ${one}/></PricedEquip>`).join('');
    const content = reservation(`<ConfID Type="14" ID="AL1"/><PricedEquips>${priced}</PricedEquips>`);
    expect((await adapter.book?.(request, answering([res(content)])))?.extras).toEqual(extras);
  });

  it.each<[string, string, object | undefined]>([
    ['special equipment on request', warning(3, 613), { status: 'on_request' }],
    ['a child seat on request', warning(3, 464), { status: 'on_request', codes: ['7', '8', '9', '57'] }],
    ['an infant seat on request', warning(3, 554), { status: 'on_request', codes: ['7'] }],
    ['a booster seat on request, as advice', warning(11, 553), { status: 'on_request', codes: ['9', '57'] }],
    ['snow tires on request', warning(3, 704), { status: 'on_request', codes: ['14'] }],
    ['a left hand control on request', warning(3, 470), { status: 'on_request', codes: ['12'] }],
    ['a car or equipment that is not guaranteed', warning(3, 307), { status: 'on_request' }],
    ['special equipment that is not available', warning(3, 308), { status: 'not_booked' }],
    ['a child seat that the car can’t have', warning(3, 461), { status: 'not_booked', codes: ['7', '8', '9', '57'] }],
    ['a vehicle on request', warning(3, 728), undefined],
    ['nothing', '', undefined],
  ])('reports an extra that is not confirmed: %s', async (_what, warnings, notice) => {
    const content = (name: string) => `<Success/>${warnings}<${name}>${reservation()}</${name}>`;
    const booked = await adapter.book?.(request, answering([rs('Res', content('VehResRSCore'))]));
    const changed = await adapter.modify?.(change, answering([rs('Modify', content('VehModifyRSCore'))]));
    const found = await adapter.retrieve?.(
      known,
      answering([`<OTA_VehRetResRS>${content('VehRetResRSCore')}</OTA_VehRetResRS>`]),
    );
    for (const booking of [booked, changed, found?.items[0]]) {
      expect(booking?.extraNotices).toEqual(notice && [notice]);
      expect(booking?.warnings?.map(({ kind, times }) => [kind, times])).toEqual(notice && [['notice', 1]]);
    }
  });

  it('reports an extra by the codes of the supplier', async () => {
    const options = { ...settings.options, errorCodes: { 'SEAT-7': 'extra_on_request' } };
    const { book } = createOtaXmlAdapter({ ...settings, options });
    const content = `<Success/>${warning(3, 'SEAT-7')}<VehResRSCore>${reservation()}</VehResRSCore>`;
    expect((await book?.(request, answering([rs('Res', content)])))?.extraNotices).toEqual([{ status: 'on_request' }]);
  });

  it('gives precedence to the codes and words of the supplier', async () => {
    const options = {
      ...settings.options,
      errorCodes: { 'E-9': 'payment_failure' },
      statusWords: { CFA: 'confirmed' },
    };
    const { book } = createOtaXmlAdapter({ ...settings, options });
    expect(await failureOf(book?.(request, answering([rs('Res', errors(error(13, 'E-9')))])))).toBe(
      'rejected card_declined',
    );
    expect(await book?.(request, answering([res(reservation(), 'CFA')]))).toMatchObject({ status: 'confirmed' });
  });

  it('is in doubt with the number of a cancellation and no word for the status', async () => {
    const ids = '<ConfID Type="14" ID="AL1"/><ConfID Type="15" ID="X1"/>';
    expect(await bookFailure(res(reservation(ids)))).toBe('bad_payload');
    expect(await bookFailure(res(reservation(ids), 'Reserved'))).toBe('none');
    const modified = rs('Modify', `<Success/><VehModifyRSCore>${reservation(ids)}</VehModifyRSCore>`);
    expect(await failureOf(adapter.modify?.(change, answering([modified])))).toBe('bad_payload');
  });

  it('can be denied without a number or error', async () => {
    expect(await adapter.book?.(request, answering([res(reservation(''), 'RequestDenied')]))).toMatchObject({
      status: 'rejected',
    });
    expect(await adapter.book?.(request, answering([res('', 'RequestDenied')]))).toMatchObject({ status: 'rejected' });
  });
});

describe('modify', () => {
  const modified = (content: string, status?: string) =>
    rs(
      'Modify',
      `<Success/><VehModifyRSCore${status === undefined ? '' : ` ModifyStatus="${status}"`}>${content}</VehModifyRSCore>`,
    );
  const modifyFailure = (answer: Answer) => failureOf(adapter.modify?.(change, answering([answer])));

  it.each([
    ['Modified', 'confirmed'],
    ['Reserved', 'confirmed'],
    [undefined, 'confirmed'],
    ['Pending', 'on_request'],
  ])('maps %s to %s', async (word, status) => {
    expect(await adapter.modify?.(change, answering([modified(reservation(), word)]))).toMatchObject({
      status,
      confirmationNumber: 'AL1',
    });
  });

  it.each<[string, Answer, string]>([
    ['a denied change', modified('', 'RequestDenied'), 'rejected not_changeable'],
    ['a denied change that returns the booking', modified(reservation(), 'Unsuccessful'), 'rejected not_changeable'],
    ['nothing changed', modified(reservation(), 'Unchanged'), 'rejected not_changeable'],
    ['changes not permitted', rs('Modify', errors(error(3, 150))), 'rejected not_changeable'],
    ['an unknown booking', rs('Modify', errors(error(3, 97))), 'rejected not_found'],
    ['a cancelled booking', rs('Modify', errors(error(3, 95))), 'rejected not_changeable'],
    ['a changed price', rs('Modify', errors(error(3, 309))), 'rejected price_changed'],
    ['a change without number', modified('', 'Modified'), 'bad_payload'],
    ['a cancellation in answer to a change', modified(reservation(), 'Cancelled'), 'bad_payload'],
    ['a bare Success', rs('Modify', '<Success/>'), 'bad_payload'],
    [
      'a denial together with system Errors',
      rs('Modify', `${errors(error(3, 187))}<VehModifyRSCore ModifyStatus="Unchanged"/>`),
      'unavailable',
    ],
  ])('recognizes %s', async (_name, answer, failure) => {
    expect(await modifyFailure(answer)).toBe(failure);
  });
});

describe('cancel', () => {
  const cancelled = (content = '', status = 'Cancelled', info = '') =>
    rs('Cancel', `<Success/><VehCancelRSCore CancelStatus="${status}">${content}</VehCancelRSCore>${info}`);
  const cancelWith = (answer: Answer, own: object = {}) =>
    createOtaXmlAdapter({ ...settings, options: { ...settings.options, ...own } }).cancel?.(known, answering([answer]));

  it('succeeds with and without fee and number, and if already cancelled', async () => {
    const fee = { amountMinor: 8_000, currency: 'CHF' };
    const rule = '<CancelRules><CancelRule Amount="80.00" CurrencyCode="CHF"/></CancelRules>';
    expect(await cancelWith(cancelled())).toEqual({});
    expect(await cancelWith(cancelled('<UniqueID Type="14" ID="al1"/>'))).toEqual({});
    expect(await cancelWith(cancelled(`<UniqueID Type="15" ID="X1"/>${rule}`))).toEqual({
      fee,
      cancellationNumber: 'X1',
    });
    expect(await cancelWith(soap(cancelled(rule.replace(' CurrencyCode="CHF"', ''))), { currency: 'CHF' })).toEqual({
      fee,
    });
    expect(
      await cancelWith(
        cancelled('', 'Cancelled', `<VehCancelRSInfo>${reservation('<ConfID Type="15" ID="X2"/>')}</VehCancelRSInfo>`),
      ),
    ).toEqual({
      cancellationNumber: 'X2',
    });
    const halves = '<CancelRules><CancelRule/><CancelRule Amount="80.00" CurrencyCode="CHF"/></CancelRules>';
    expect((await cancelWith(cancelled(halves)))?.warnings?.[0]?.text).toBe(
      'the fee is stated by several rules: left out',
    );
    expect(await cancelWith(rs('Cancel', errors(error(3, 95))))).toEqual({});
    expect(await cancelWith(rs('Cancel', `<Success/>${warning(3, 95)}`))).toEqual({});
  });

  it.each<[string, Answer]>([
    ['the word Committed', cancelled('<UniqueID Type="15" ID="X1"/>', 'Committed')],
    ['a number alone', rs('Cancel', '<Success/><VehCancelRSCore><UniqueID Type="15" ID="X1"/></VehCancelRSCore>')],
    [
      'the word Committed beside a reservation that it cancelled',
      cancelled(
        '<UniqueID Type="15" ID="X1"/>',
        'Committed',
        `<VehCancelRSInfo>${reservation('', ' ReservationStatus="Cancelled"')}</VehCancelRSInfo>`,
      ),
    ],
  ])('succeeds by %s', async (_what, answer) => {
    expect(await cancelWith(answer, { statusWords: { Committed: 'confirmed' } })).toEqual({ cancellationNumber: 'X1' });
  });

  it.each([
    ['PendingCancellation', 'unavailable'],
    ['RequestDenied', 'bad_payload'],
    ['Unchanged', 'bad_payload'],
    ['Reserved', 'bad_payload'],
    ['Pending', 'bad_payload'],
    ['Whatever', 'bad_payload'],
    ['Cancelled', 'none'],
  ])('with the reservation called %s is never made by the word Committed or a number: %s', async (own, outcome) => {
    const beside = reservation(undefined, ` ReservationStatus="${own}"`);
    const number = '<UniqueID Type="15" ID="X1"/>';
    for (const [inCore, info] of [
      ['', `<VehCancelRSInfo>${beside}</VehCancelRSInfo>`],
      [beside, ''],
    ] as const)
      for (const answer of [
        cancelled(number + inCore, 'Committed', info),
        rs('Cancel', `<Success/><VehCancelRSCore>${number}${inCore}</VehCancelRSCore>${info}`),
      ])
        expect(await failureOf(cancelWith(answer))).toBe(outcome);
  });

  it('has no fee if several rules leave open which one was applied', async () => {
    const rules =
      '<CancelRules><CancelRule Amount="80.00" CurrencyCode="CHF"/><CancelRule Amount="0.00" CurrencyCode="CHF"/></CancelRules>';
    const answer = await cancelWith(cancelled(rules));
    expect([answer?.fee, answer?.warnings?.[0]?.kind]).toEqual([undefined, 'amount_rejected']);
  });

  // It is 2026-02-01T08:00Z, 09:00 in Geneva.
  it.each<[string, string, boolean | string]>([
    ['without a date', 'Amount="80.00"', true],
    ['from a time that has passed', 'Amount="80.00" CancelByDate="2026-02-01T09:00:00"', true],
    ['from a later time', 'Amount="80.00" CancelByDate="2026-02-01T09:00:01"', 'may be that of a later cancellation'],
    ['from a day that has passed', 'Amount="80.00" CancelByDate="2026-01-31"', true],
    ['from this day', 'Amount="80.00" CancelByDate="2026-02-01"', 'may be that of a later cancellation'],
    ['from an instant', 'Amount="80.00" CancelByDate="2026-02-01T09:00:00Z"', 'may be that of a later cancellation'],
    ['from an instant that has passed', 'Amount="80.00" CancelByDate="2026-02-01T09:00:00+01:00"', true],
    ['from an unreadable date', 'Amount="80.00" CancelByDate="soon"', 'may be that of a later cancellation'],
    ['charged', 'Amount="80.00" Type="Charge"', true],
    ['paid back', 'Amount="80.00" Type="Refund"', 'is stated as a refund'],
    ['in percent', 'Percent="100"', 'is stated as a percentage'],
    ['of nothing', 'Percent="0"', false],
  ])('has the fee of a rule only if it was applied: %s', async (_what, attributes, read) => {
    const answer = await cancelWith(
      cancelled(`<CancelRules><CancelRule ${attributes} CurrencyCode="CHF"/></CancelRules>`),
    );
    expect(answer?.fee).toEqual(read === true ? { amountMinor: 8_000, currency: 'CHF' } : undefined);
    expect(answer?.warnings).toEqual(
      typeof read === 'string' ? oneWarning('amount_rejected', `the fee ${read}: left out`) : undefined,
    );
  });

  it.each<[string, Answer, string]>([
    ['an unknown booking', rs('Cancel', errors(error(3, 97))), 'rejected not_found'],
    ['a different name', rs('Cancel', errors(error(3, 252))), 'rejected not_found'],
    ['a rental that has started', rs('Cancel', errors(error(3, 88))), 'rejected not_changeable'],
    ['a denial', cancelled('', 'RequestDenied'), 'rejected not_changeable'],
    ['nothing changed', cancelled('', 'Unchanged'), 'rejected not_changeable'],
    ['the answer to another cancellation', cancelled('<UniqueID Type="14" ID="AL2"/>'), 'bad_payload'],
    ['a pending cancellation', cancelled('', 'PendingCancellation'), 'unavailable'],
    ['a cancellation with status Pending', cancelled('', 'Pending'), 'unavailable'],
    ['a cancellation that failed partway', rs('Cancel', errors(error(3, 193))), 'unavailable'],
    ['already cancelled, and a busy system', rs('Cancel', errors(error(3, 95), error(3, 187))), 'unavailable'],
    ['an unknown status', cancelled('', 'Whatever'), 'bad_payload'],
    ['a booking that is still confirmed', cancelled('', 'Confirmed'), 'bad_payload'],
    ['Committed without a Success', cancelled('', 'Committed').replace('<Success/>', ''), 'bad_payload'],
    [
      'Committed beside a reservation that is active',
      cancelled('', 'Committed', `<VehCancelRSInfo>${reservation('', ' Status="Reserved"')}</VehCancelRSInfo>`),
      'bad_payload',
    ],
    [
      'Committed beside a Warning that it failed',
      cancelled('', 'Committed').replace('<Success/>', `<Success/>${warning(3, 88)}`),
      'bad_payload',
    ],
    [
      'Committed beside an Error that it failed',
      cancelled('', 'Committed').replace('<Success/>', errors(error(3, 88))),
      'bad_payload',
    ],
    [
      'the number of the booking alone',
      rs('Cancel', '<Success/><VehCancelRSCore><UniqueID Type="15" ID="al1"/></VehCancelRSCore>'),
      'bad_payload',
    ],
    ['a bare Success', rs('Cancel', '<Success/>'), 'bad_payload'],
    ['HTTP 500', http(500), 'unavailable'],
  ])('recognizes %s', async (_name, answer, failure) => {
    expect(await failureOf(cancelWith(answer))).toBe(failure);
  });
});
