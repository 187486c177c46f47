import { describe, expect, it } from '@jest/globals';
import type { ModifyRequest } from '../../model/bookings.js';
import { createOtaXmlAdapter } from './adapter.js';
import { answering, key, request } from './fixtures/booking.js';
import { settings } from './fixtures/setting.js';

const adapter = createOtaXmlAdapter(settings);
const change: ModifyRequest = { ...request, confirmationNumber: 'AL1', changes: ['remark'] };
const { pickupDate, dropoffDate, extras } = request;
/** A change of dates and extras. */
const rental: ModifyRequest = {
  ...change,
  changes: ['rental'],
  before: { pickupDate: '2026-03-20T10:00:00', dropoffDate: '2026-03-22T10:00:00', extras: [] },
};
const known = { ...key, confirmationNumber: 'AL1' };

const rs = (name: 'Res' | 'Modify' | 'Cancel', content: string) => `<OTA_Veh${name}RS>${content}</OTA_Veh${name}RS>`;
const errors = (...codes: number[]) =>
  `<Errors>${codes.map((code) => `<Error Type="3" Code="${code}" ShortText="no"/>`).join('')}</Errors>`;
const WARNED = '<Success/><Warnings><Warning Type="3" Code="309">changed</Warning></Warnings>';
const reservation = (ids: string, status = '') =>
  `<VehReservation${status && ` ReservationStatus="${status}"`}><VehSegmentCore>${ids}</VehSegmentCore></VehReservation>`;
const id = (type: string, value = 'AL1') => `<ConfID Type="${type}" ID="${value}"/>`;
const core = (content: string, status?: string) =>
  `<VehResRSCore${status === undefined ? '' : ` ReservationStatus="${status}"`}>${content}</VehResRSCore>`;

/** The outcome of an operation: its fault and refusal, or the status of the booking. */
async function outcome(work: Promise<unknown> | undefined): Promise<string> {
  try {
    return (((await work) as { status?: string }).status ?? 'done') as string;
  } catch (error) {
    const { fault, refusal } = error as { fault?: string; refusal?: string };
    if (fault === undefined) throw error;
    return refusal === undefined ? fault : `${fault} ${refusal}`;
  }
}
const http = (status: number, body: string) => ({ status, body: Buffer.from(body) });
const book = (content: string) => outcome(adapter.book?.(request, answering([rs('Res', content)])));
const modify = (content: string, asked = change) =>
  outcome(adapter.modify?.(asked, answering([rs('Modify', content)])));
const cancel = (content: string, asked = known) => outcome(adapter.cancel?.(asked, answering([rs('Cancel', content)])));

describe('a booking is in doubt', () => {
  it.each(['4', '16', '22', ''])('if a failure has a reservation with an identifier of type "%s"', async (type) => {
    for (const failure of [WARNED, errors(309), errors(999)])
      for (const status of ['Reserved', 'Pending', undefined])
        expect(await book(`${failure}${core(reservation(id(type)), status)}`)).toBe('bad_payload');
  });

  it('if a failure has a reservation that was made, without any identifier', async () => {
    for (const failure of [WARNED, errors(309), errors(999)])
      expect(await book(`${failure}${core(reservation('', 'Reserved'))}`)).toBe('bad_payload');
  });

  it.each(['Res', 'Modify', 'Cancel'] as const)(
    'if OTA_Veh%sRS refuses it, with more identifiers than are read',
    async (name) => {
      const many = reservation(id('14').repeat(301));
      const content = `${errors(309)}<Veh${name}RSCore>${many}</Veh${name}RSCore><VehCancelRSInfo>${many}</VehCancelRSInfo>`;
      const result = { Res: book, Modify: modify, Cancel: cancel }[name](content);
      expect(await result).toBe('bad_payload');
    },
  );

  it('if two words for its status, or two numbers, disagree', async () => {
    expect(await book(`<Success/>${core(reservation(id('14'), 'Cancelled'), 'Reserved')}`)).toBe('bad_payload');
    expect(await book(`<Success/>${core(reservation(id('14'), 'Reserved'), 'RequestDenied')}`)).toBe('bad_payload');
    expect(await book(`<Success/>${core(reservation(id('14') + id('14', 'AL2')), 'Reserved')}`)).toBe('bad_payload');
    const two = reservation(id('14')) + reservation(id('14', 'AL2'));
    expect(await book(`<Success/>${core(two, 'Reserved')}`)).toBe('bad_payload');
  });
});

describe('a booking is not in doubt', () => {
  it('not if a failure only repeats our reference', async () => {
    const refused = await book(errors(309));
    expect(await book(`${errors(309)}${core(reservation(id('16', request.reference)))}`)).toBe(refused);
  });

  it('if a failure has no reservation, an empty one, or one that was denied', async () => {
    for (const failure of [WARNED, errors(309)]) {
      expect(await book(failure)).toBe('rejected price_changed');
      expect(await book(`${failure}${core('')}`)).toBe('rejected price_changed');
      expect(await book(`${failure}${core(reservation(''))}`)).toBe('rejected price_changed');
      expect(await book(`${failure}${core(reservation(id('16'), 'RequestDenied'))}`)).toBe('rejected price_changed');
    }
  });

  it('if the words for its status agree, or the number is repeated', async () => {
    expect(await book(`<Success/>${core(reservation(id('14') + id('14'), 'Confirmed'), 'Reserved')}`)).toBe(
      'confirmed',
    );
    expect(await book(`${WARNED}${core(reservation(id('14')), 'Reserved')}`)).toBe('confirmed');
  });
});

it('a booking refused by its HTTP status is in doubt if the answer has one', async () => {
  for (const [status, refusal] of [
    [401, 'auth'],
    [403, 'auth'],
    [429, 'throttled'],
    [400, 'rejected sold_out'],
  ] as const) {
    const answered = (content: string) =>
      outcome(adapter.book?.(request, answering([http(status, rs('Res', errors(301) + content))])));
    expect(await answered(core(reservation(id('14')), 'Reserved'))).toBe('bad_payload');
    expect(await answered('')).toBe(refusal);
    expect(await answered(core(reservation(id('16')), 'RequestDenied'))).toBe(refusal);
  }
  for (const body of ['', 'slow down', '<OTA_VehResRS><VehResRSCore ReservationStatus="Reserved">'])
    expect(await outcome(adapter.book?.(request, answering([http(429, body)])))).toBe('throttled');
});

describe('a refused change', () => {
  const answer = (content: string, word?: string) =>
    `<VehModifyRSCore${word === undefined ? '' : ` ModifyStatus="${word}"`}>${content}</VehModifyRSCore>`;
  const dated = (ids: string, from: string, to: string, more = '') =>
    `<VehReservation ReservationStatus="Reserved"><VehSegmentCore>${ids}<VehRentalCore PickUpDateTime="${from}" ReturnDateTime="${to}"/>${more}</VehSegmentCore></VehReservation>`;
  const before = dated(id('14'), '2026-03-20T10:00:00', '2026-03-22T10:00:00', '<PricedEquips/>');

  it('is in doubt if the answer has the changed reservation, with or without its number', async () => {
    for (const [ids, refusal] of [
      [id('14'), errors(88)],
      ['', errors(88)],
      ['', WARNED],
    ] as const)
      for (const [from, to] of [
        [pickupDate, '2026-03-22T10:00:00'],
        ['2026-03-20T10:00:00', dropoffDate],
      ] as const)
        expect(await modify(refusal + answer(dated(ids, from, to)), rental)).toBe('bad_payload');
    const [{ code, quantity } = { code: '', quantity: 0 }] = extras;
    const equipment = `<PricedEquips><PricedEquip><Equipment EquipType="${code}" Quantity="${quantity}"/></PricedEquip></PricedEquips>`;
    const withExtras = dated(id('14'), '2026-03-20T10:00:00', '2026-03-22T10:00:00', equipment);
    expect(await modify(errors(88) + answer(withExtras), rental)).toBe('bad_payload');
    expect(await modify(answer(dated(id('14'), pickupDate, dropoffDate), 'RequestDenied'), rental)).toBe('bad_payload');
  });

  it('is in doubt if the answer says that the change was made, or has another reservation', async () => {
    expect(await modify(errors(88) + answer('', 'Modified'))).toBe('bad_payload');
    expect(await modify(errors(88) + answer(before, 'Modified'), rental)).toBe('bad_payload');
    expect(await modify(errors(88) + answer(reservation(id('14', 'AL2'))))).toBe('bad_payload');
    const throttled = http(429, rs('Modify', answer(before, 'Modified')));
    expect(await outcome(adapter.modify?.(rental, answering([throttled])))).toBe('bad_payload');
  });

  it('is not in doubt if the answer repeats the reservation as it was, or the request as denied', async () => {
    for (const word of [undefined, 'Reserved', 'Unsuccessful', 'Unchanged'])
      for (const asked of [rental, change]) {
        expect(await modify(errors(88) + answer(before, word), asked)).toBe('rejected not_changeable');
        expect(await modify(errors(88) + answer(reservation(id('16'), 'Modified'), word), asked)).toBe(
          'rejected not_changeable',
        );
      }
    expect(await modify(answer(before, 'RequestDenied'), rental)).toBe('rejected not_changeable');
    const called = (word: string) =>
      dated(id('14'), pickupDate, dropoffDate).replace('ReservationStatus="Reserved"', word);
    const denied = called('ReservationStatus="RequestDenied"');
    for (const content of [errors(88) + answer(denied), answer(denied, 'RequestDenied')])
      expect(await modify(content, rental)).toBe('rejected not_changeable');
    for (const content of [called(''), called('Status="Cancelled"'), denied.replace('AL1', 'AL2')])
      for (const refusal of [errors(88) + answer(content), answer(content, 'RequestDenied')])
        expect(await modify(refusal, rental)).toBe('bad_payload');
    // Only the car is changed, so the dates are the requested ones in any case.
    const car = { ...rental, before: { pickupDate, dropoffDate, extras } };
    expect(await modify(errors(88) + answer(dated(id('14'), pickupDate, dropoffDate)), car)).toBe(
      'rejected not_changeable',
    );
  });
});

it('a change keeps the number, however it is written, and one of another booking is in doubt', async () => {
  const answer = (ids: string) =>
    `<Success/><VehModifyRSCore ModifyStatus="Modified">${reservation(ids)}</VehModifyRSCore>`;
  for (const ids of [id('14', 'al1'), id('40'), id('14', 'X9') + id('40')])
    expect(await adapter.modify?.(change, answering([rs('Modify', answer(ids))]))).toMatchObject({
      status: 'confirmed',
      confirmationNumber: 'AL1',
    });
  for (const type of ['14', '40', '8']) expect(await modify(answer(id(type, 'AL2')))).toBe('bad_payload');
});

it.each<[string, string, string | undefined, string]>([
  ['another one of its type, beside the old one', id('14', 'NEW') + id('40'), '14', 'NEW'],
  ['the same one, beside an older one', id('14') + id('14', 'al1') + id('40', 'OLD'), '14', 'AL1'],
  ['another one, beside the old one as a reference', id('14', 'NEW') + id('16'), '14', 'NEW'],
  ['one of a type that it had not', id('14', 'NEW') + id('40'), '40', 'AL1'],
  ['none of its type', id('40'), '14', 'AL1'],
  ['a single one of its own type', id('Supplier', 'NEW') + id('16'), 'Supplier', 'NEW'],
  ["one of its own type, beside the old one with a type of OpenTravel's", id('4', 'HERTZ') + id('14'), '4', 'AL1'],
  ['a code, beside the old one with a type of the supplier', id('4', 'HERTZ') + id('Supplier'), '4', 'AL1'],
  ['a single one of a company', id('4', 'NEW') + id('16'), '4', 'NEW'],
  ['one of its own type, beside the old one as that of a company', id('Supplier', 'NEW') + id('4'), 'Supplier', 'AL1'],
  // Stored by an earlier version, without the type.
  ['the number with one of the types of numbers', id('14', 'NEW') + id('40'), undefined, 'AL1'],
  ['the number with no such type, and another one', id('14', 'NEW') + id('16'), undefined, 'NEW'],
])('a change that gives the booking %s', async (_what, ids, numberType, number) => {
  const content = `<Success/><VehModifyRSCore ModifyStatus="Modified">${reservation(ids)}</VehModifyRSCore>`;
  const ref: Record<string, string> = numberType === undefined ? {} : { numberType };
  const asked = { ...change, before: { pickupDate, dropoffDate, extras, ref } };
  const answer = await adapter.modify?.(asked, answering([rs('Modify', content)]));
  expect(answer).toMatchObject({ status: 'confirmed', confirmationNumber: number });
  // From then on, the type is known.
  expect(answer?.ref.numberType).toBe(numberType ?? (number === 'NEW' ? '14' : '40'));
});

it('a change without a word for the status may name the booking that it has replaced as cancelled', async () => {
  const changed = (number: string, ref?: Record<string, string>) => {
    const content = `<Success/><VehModifyRSCore>${reservation(id('14', 'AL2') + id('15', number))}</VehModifyRSCore>`;
    const before = { pickupDate, dropoffDate, extras, ref: { numberType: '14', ...ref } };
    const confirmationNumber = ref ? 'AL2' : 'AL1';
    return adapter.modify?.({ ...change, confirmationNumber, before }, answering([rs('Modify', content)]));
  };
  const ref = { numberType: '14', replacedNumbers: 'AL1' };
  for (const known of [undefined, ref])
    expect(await changed('AL1', known)).toMatchObject({ status: 'confirmed', confirmationNumber: 'AL2', ref });
  expect(await outcome(changed('X1', ref))).toBe('bad_payload');
});

describe('a cancellation', () => {
  it('is a success if all errors say that it was cancelled before, and only then', async () => {
    expect(await cancel(errors(95))).toBe('done');
    for (const code of [88, 258, 97, 309]) expect(await cancel(errors(95, code))).toMatch(/^rejected/);
  });

  it.each(['14', '40', '8'])('about another booking with a number of type %s is in doubt', async (type) => {
    const answer = (number: string) =>
      `<Success/><VehCancelRSCore CancelStatus="Cancelled"><UniqueID Type="${type}" ID="${number}"/></VehCancelRSCore>`;
    expect([await cancel(answer('al1')), await cancel(answer('OTHER'))]).toEqual(['done', 'bad_payload']);
  });

  it('that is refused is in doubt if the answer shows that it was made', async () => {
    const answer = (status: string, content = '', info = '') =>
      `${errors(88)}<VehCancelRSCore CancelStatus="${status}">${content}</VehCancelRSCore>${info && `<VehCancelRSInfo>${info}</VehCancelRSInfo>`}`;
    for (const contradiction of [
      answer('Cancelled'),
      answer('Cancelled', '<UniqueID Type="14" ID="AL1"/>'),
      answer('PendingCancellation'),
      answer('Unsuccessful', '<UniqueID Type="15" ID="X1"/>'),
      answer('Unsuccessful', '', reservation(id('14'), 'Cancelled')),
    ])
      expect(await cancel(contradiction)).toBe('bad_payload');
    expect(await outcome(adapter.cancel?.(known, answering([http(403, rs('Cancel', answer('Cancelled')))])))).toBe(
      'bad_payload',
    );
  });

  it('that is refused is not in doubt if the answer shows the reservation as active', async () => {
    const info = `<VehCancelRSInfo>${reservation(id('14'), 'Reserved')}</VehCancelRSInfo>`;
    for (const word of ['Unsuccessful', 'Unchanged', 'Reserved'])
      expect(await cancel(`${errors(88)}<VehCancelRSCore CancelStatus="${word}"/>${info}`)).toBe(
        'rejected not_changeable',
      );
    expect(await cancel(errors(88) + info)).toBe('rejected not_changeable');
    // OpenTravel's own example has the number of the booking with type 15.
    const echoed = '<VehCancelRSCore CancelStatus="Unsuccessful"><UniqueID Type="15" ID="al1"/></VehCancelRSCore>';
    expect(await cancel(errors(88) + echoed)).toBe('rejected not_changeable');
    expect(await cancel(`<Success/><VehCancelRSCore CancelStatus="RequestDenied"/>${info}`)).toBe(
      'rejected not_changeable',
    );
  });

  it('is not shown by the number that the booking has replaced', async () => {
    const asked = { ...known, confirmationNumber: 'AL2', ref: { ...known.ref, replacedNumbers: 'AL1' } };
    const shown = (cancelled: string) =>
      `<VehCancelRSInfo>${reservation(id('14', 'AL2') + id('15', cancelled))}</VehCancelRSInfo>`;
    const refusal = `${errors(88)}<VehCancelRSCore CancelStatus="Unsuccessful"/>`;
    const outcomes = async (info: string) => [
      await cancel(refusal + info, asked),
      await cancel(`<Success/><VehCancelRSCore/>${info}`, asked),
    ];
    expect(await outcomes(shown('al1'))).toEqual(['rejected not_changeable', 'bad_payload']);
    expect(await outcomes(shown('X1'))).toEqual(['bad_payload', 'done']);
    const done = `<Success/><VehCancelRSCore CancelStatus="Cancelled"/>${shown('AL1')}`;
    expect(await adapter.cancel?.(asked, answering([rs('Cancel', done)]))).toEqual({});
    const both = done.replace('</VehSegmentCore>', `${id('15', 'X1')}</VehSegmentCore>`);
    expect(await adapter.cancel?.(asked, answering([rs('Cancel', both)]))).toEqual({ cancellationNumber: 'X1' });
  });

  it('of a reservation that is still active is in doubt', async () => {
    const info = (status: string) => `<VehCancelRSInfo>${reservation(id('14'), status)}</VehCancelRSInfo>`;
    const answer = (status: string) => `<Success/><VehCancelRSCore CancelStatus="Cancelled"/>${info(status)}`;
    expect([await cancel(answer('Reserved')), await cancel(answer('Cancelled'))]).toEqual(['bad_payload', 'done']);
  });
});
