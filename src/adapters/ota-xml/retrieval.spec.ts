import { describe, expect, it } from '@jest/globals';
import { createOtaXmlAdapter } from './adapter.js';
import { answering, failureOf, key, request } from './fixtures/booking.js';
import { settings } from './fixtures/setting.js';

const { retrieve } = createOtaXmlAdapter(settings);
const known = { ...key, confirmationNumber: 'AL1' };

const rs = (content: string) => `<OTA_VehRetResRS>${content}</OTA_VehRetResRS>`;
const core = (content: string) => rs(`<Success/><VehRetResRSCore>${content}</VehRetResRSCore>`);
const ids = (number: string, reference?: string) =>
  `<ConfID Type="14" ID="${number}"/>${reference === undefined ? '' : `<ConfID Type="16" ID="${reference}"/>`}`;
const full = (number: string, reference?: string, status = 'Reserved') =>
  `<VehReservation ReservationStatus="${status}"><VehSegmentCore>${ids(number, reference)}</VehSegmentCore></VehReservation>`;
const summary = (number: string, reference?: string, status?: string) =>
  `<VehResSummary${status === undefined ? '' : ` ReservationStatus="${status}"`}>${ids(number, reference)}</VehResSummary>`;
const summaries = (...list: string[]) => core(`<VehResSummaries>${list.join('')}</VehResSummaries>`);
const error = (type: number, code: number) => `<Error Type="${type}" Code="${code}" ShortText="Ada Sample"/>`;

const EMPTY = '<VehRetResRSCore><VehResSummaries/></VehRetResRSCore>';
/** What an honest supplier quotes of the request. */
const ECHO = 'Reservation AL1 (FC_0001) not found';
const renamed = core(full('AL1', 'FC_0001')).replaceAll('VehReservation', 'VehReservationDetails');

const stateless = full('AL1').replace(' ReservationStatus="Reserved"', '');
const numbered = (type: string, number: string) =>
  stateless.replace('/></Veh', `/><ConfID Type="${type}" ID="${number}"/></Veh`);
const numberless =
  '<VehReservation><VehSegmentCore><VehRentalCore PickUpDateTime="2026-03-29T01:30:00"/></VehSegmentCore></VehReservation>';
/** What a supplier is known to answer for a cancelled booking. */
const hollow = '<VehReservation><VehSegmentCore><ConfID ID="" Type="14"/></VehSegmentCore></VehReservation>';
const beside = (type: number, code: number, content: string) =>
  `<Success/><Warnings><Warning Type="${type}" Code="${code}" Status="NotProcessed">Ada</Warning></Warnings><VehRetResRSCore>${content}</VehRetResRSCore>`;

/** The result as "status number", or the failure. */
async function outcomeOf(asked: typeof key, answers: readonly string[]): Promise<readonly string[] | string> {
  let found: readonly string[] = [];
  const failure = await failureOf(
    retrieve?.(asked, answering(answers)).then(({ items }) => {
      found = items.map(({ status, confirmationNumber, reference }) =>
        [status, confirmationNumber, reference].join(' ').trim(),
      );
    }),
  );
  return failure === 'none' ? found : failure;
}

describe('by number', () => {
  it.each<[string, string, readonly string[] | string]>([
    ['the booking', core(full('AL1', 'FC_0001')), ['confirmed AL1 FC_0001']],
    ['a booking without status', core(full('AL1').replace(' ReservationStatus="Reserved"', '')), ['confirmed AL1']],
    ['a number in different case', core(full('al1')), ['confirmed AL1']],
    ['a booking that repeats no number', core(numberless), ['confirmed AL1']],
    ['a reservation that states nothing', core(hollow), 'bad_payload'],
    ['one that states nothing, beside a warning that it is cancelled', rs(beside(3, 95, hollow)), ['cancelled AL1']],
    ['one without a number, beside a warning that it is cancelled', rs(beside(3, 95, numberless)), ['cancelled AL1']],
    ['one without a status, beside a warning that it is cancelled', rs(beside(3, 95, stateless)), ['cancelled AL1']],
    ['one without a status, beside advice that it is cancelled', rs(beside(11, 95, stateless)), ['cancelled AL1']],
    ['one with a status, beside a warning that it is cancelled', rs(beside(3, 95, full('AL1'))), 'bad_payload'],
    ['a cancelled one, beside that warning', rs(beside(3, 95, full('AL1', undefined, 'Cancelled'))), ['cancelled AL1']],
    ['a warning that it is cancelled', rs(beside(3, 95, '')), ['cancelled AL1']],
    ['an error that it is cancelled', rs(`<Errors>${error(3, 95)}</Errors>`), ['cancelled AL1']],
    [
      'an error that it is cancelled, and a busy system',
      rs(`<Errors>${error(3, 95)}${error(12, 191)}</Errors>`),
      'unavailable',
    ],
    [
      'an error that it is cancelled together with a booking in elements of another version',
      renamed.replace('<Success/>', `<Errors>${error(3, 95)}</Errors>`),
      'bad_payload',
    ],
    ['one that states nothing, beside a warning that there is none', rs(beside(3, 97, hollow)), []],
    ['one that states nothing, beside a failure', rs(beside(3, 88, hollow)), 'rejected'],
    ['one that states nothing, beside an unknown warning', rs(beside(3, 4711, hollow)), 'bad_payload'],
    ['one without a number, beside an unknown warning', rs(beside(3, 4711, numberless)), 'bad_payload'],
    ['one without a status, beside an unknown warning', rs(beside(3, 4711, stateless)), ['confirmed AL1']],
    [
      'one without a status, beside a warning that its rate has expired',
      rs(beside(3, 659, stateless)),
      ['confirmed AL1'],
    ],
    ['one without a status, beside a warning about its card', rs(beside(3, 240, stateless)), ['confirmed AL1']],
    ['one without a status, beside a warning that there is none', rs(beside(3, 97, stateless)), 'bad_payload'],
    ['one without a number, beside a warning that its rate has expired', rs(beside(3, 659, numberless)), 'bad_payload'],
    ['one without a number, beside a warning that there is no car', rs(beside(3, 263, numberless)), 'bad_payload'],
    ['a cancelled booking', core(full('AL1', undefined, 'Cancelled')), ['cancelled AL1']],
    ['one without a status, with the number of a cancellation', core(numbered('15', 'X1')), ['cancelled AL1']],
    [
      'an active one with the number of a cancellation',
      core(numbered('15', 'X1').replace('>', ' ReservationStatus="Reserved">')),
      ['confirmed AL1'],
    ],
    ['a number of a type of the supplier', core(stateless.replace('"14"', '"Supplier"')), ['confirmed AL1']],
    ['one whose own number has that type, too', core(numbered('15', 'al1')), ['confirmed AL1']],
    [
      'one with that type for another number of its own',
      core(numbered('15', 'S9').replace('/></Veh', '/><ConfID Type="8" ID="S9"/></Veh')),
      ['confirmed AL1'],
    ],
    ['one whose own number has that type only', core(stateless.replace('"14"', '"15"')), ['confirmed AL1']],
    ['a denied request', core(full('AL1', undefined, 'RequestDenied')), ['rejected AL1']],
    ['a pending request', core(full('AL1', undefined, 'Pending')), ['on_request AL1']],
    ['an unknown number', rs(`<Errors>${error(3, 97)}</Errors>`), []],
    ['no matching booking', rs(`<Errors>${error(3, 194)}</Errors>`), []],
    ['a warning that there is none', rs('<Success/><Warnings><Warning Type="3" Code="284"/></Warnings>'), []],
    ['a bare Success', rs('<Success/>'), []],
    ['an empty core', core(''), []],
    ['an empty list', core('<VehResSummaries/>'), []],
    ['a bare extension', rs('<Success/><VehRetResRSInfo><TPA_Extensions/></VehRetResRSInfo>'), []],
    ['an unknown number and its text', rs(`<Errors><Error Type="3" Code="97">${ECHO}</Error></Errors>`), []],
    [
      'an unknown number in an attribute',
      rs(`<Errors><Error Type="3" Code="97" ShortText="${ECHO}" RecordID="AL1"/></Errors>`),
      [],
    ],
    ['an unknown number without a container', rs(`<Error Type="3" Code="97" ShortText="${ECHO}"/>`), []],
    ['an unknown number with empty lists', rs(`<Errors>${error(3, 97)}</Errors>${EMPTY}`), []],
    ['a warning with empty lists', rs(`<Success/><Warnings><Warning Type="3" Code="284"/></Warnings>${EMPTY}`), []],
    ['a booking in elements of another version', renamed, 'bad_payload'],
    ['a booking outside its element', rs(`<Success/>${full('AL1')}`), 'bad_payload'],
    ['a Success of an unknown version', rs('<Success/>').replace('RS>', 'RS xmlns="urn:other">'), 'bad_payload'],
    [
      'an unknown number together with a booking in elements of another version',
      renamed.replace('<Success/>', `<Errors>${error(3, 97)}</Errors>`),
      'bad_payload',
    ],
    [
      'a warning that there is none together with a booking in elements of another version',
      renamed.replace('<Success/>', '<Success/><Warnings><Warning Type="3" Code="284"/></Warnings>'),
      'bad_payload',
    ],
    ['a different booking', core(full('AL2')), 'bad_payload'],
    ['a cancellation that is not finished', core(full('AL1', undefined, 'PendingCancellation')), 'unavailable'],
    ['an unknown status', core(full('AL1', undefined, 'Whatever')), 'bad_payload'],
    [
      'a booking together with Errors',
      rs(`<Errors>${error(3, 97)}</Errors><VehRetResRSCore>${full('AL1')}</VehRetResRSCore>`),
      'bad_payload',
    ],
    ['an unknown number and a busy system', rs(`<Errors>${error(3, 97)}${error(12, 191)}</Errors>`), 'unavailable'],
    ['an unknown number and a wrong date', rs(`<Errors>${error(3, 97)}${error(3, 136)}</Errors>`), 'rejected'],
    ['no car', rs(`<Errors>${error(3, 221)}</Errors>`), 'rejected'],
    [
      'a Success with an unknown warning',
      rs('<Success/><Warnings><Warning Type="3" Code="4711"/></Warnings>'),
      'bad_payload',
    ],
    ['an empty message', rs(''), 'bad_payload'],
    ['half an answer', '<OTA_VehRetResRS><Success/>', 'bad_payload'],
  ])('reads %s', async (_name, answer, outcome) => {
    expect(await outcomeOf(known, [answer])).toEqual(outcome);
  });
});

it('by number, reads no reservation with more identifiers than a list may have', async () => {
  const many = (count: number) => {
    const others = Array.from({ length: count - 1 }, (_, index) => `<ConfID Type="15" ID="C${index}"/>`);
    return core(full('AL1').replace('/></Veh', `/>${others.join('')}</Veh`));
  };
  expect(await outcomeOf(known, [many(300)])).toEqual(['confirmed AL1']);
  expect(await outcomeOf(known, [many(301)])).toBe('bad_payload');
});

it('by number, reads the number that has replaced it, if the type of number is known', async () => {
  const replaced = core(full('NEW').replace('/></Veh', '/><ConfID Type="40" ID="AL1"/></Veh'));
  const typed = { ...known, ref: { ...known.ref, numberType: '14' } };
  expect(await outcomeOf(typed, [replaced])).toEqual(['confirmed NEW']);
  expect(await outcomeOf(known, [replaced])).toEqual(['confirmed AL1']);
  const cancelled = replaced.replace('Reserved', 'Cancelled');
  expect(await outcomeOf(typed, [cancelled])).toEqual(['cancelled NEW']);
});

it('by number, never reads a booking as cancelled because it names the one that it has replaced', async () => {
  const found = async (asked: typeof key, body: string) =>
    (await retrieve?.(asked, answering([core(body)])))?.items.map(({ status, confirmationNumber, ref }) => ({
      status,
      confirmationNumber,
      ref,
    }))[0];
  const cancelled = (number: string) => `/><ConfID Type="15" ID="${number}"/></Veh`;
  const second = stateless.replace('AL1', 'AL2').replace('/></Veh', cancelled('AL1'));
  const typed = { ...known, ref: { ...known.ref, numberType: '14' } };
  const replaced = {
    status: 'confirmed',
    confirmationNumber: 'AL2',
    ref: { numberType: '14', replacedNumbers: 'AL1' },
  };
  expect([await found(known, second), await found(typed, second)]).toEqual([replaced, replaced]);
  const later = { ...typed, confirmationNumber: 'AL2', ref: { ...typed.ref, ...replaced.ref } };
  expect(await found(later, second)).toEqual(replaced);
  const third = second.replace('AL2', 'AL3').replace('/></Veh', cancelled('AL2'));
  expect(await found(later, third)).toEqual({
    status: 'confirmed',
    confirmationNumber: 'AL3',
    ref: { numberType: '14', replacedNumbers: 'AL1|AL2' },
  });
  expect(await found(later, second.replace('AL1', 'X1'))).toMatchObject({ status: 'cancelled' });
});

it('by number, knows all numbers that a booking had', async () => {
  let asked = known;
  for (let at = 2; at <= 100; at++) {
    const cancelled = Array.from({ length: at - 1 }, (_, before) => `<ConfID Type="15" ID="AL${before + 1}"/>`).join(
      '',
    );
    const content = stateless.replace('AL1', `AL${at}`).replace('</VehSeg', `${cancelled}</VehSeg`);
    const [found] = (await retrieve?.(asked, answering([core(content)])))?.items ?? [];
    expect([found?.status, found?.confirmationNumber]).toEqual(['confirmed', `AL${at}`]);
    asked = { ...asked, confirmationNumber: `AL${at}`, ref: { ...asked.ref, ...found?.ref } };
  }
});

it('by number, forgets the first of many long numbers, because an answer with too many would be refused', async () => {
  const numbers = Array.from({ length: 99 }, (_, at) => `${at}`.padStart(36, 'a'));
  const asked = { ...known, ref: { ...known.ref, replacedNumbers: numbers.join('|') } };
  const [found] = (await retrieve?.(asked, answering([core(full('AL1'))])))?.items ?? [];
  const kept = String(found?.ref.replacedNumbers).split('|');
  expect([JSON.stringify(found?.ref).length < 3_000, kept.length > 60, kept]).toEqual([
    true,
    true,
    numbers.slice(-kept.length),
  ]);
});

it('by number, warns of the number of a cancellation beside the word that a booking is active, as a booking does', async () => {
  const content = numbered('15', 'PIN99').replace('>', ' ReservationStatus="Reserved">');
  const found = await retrieve?.(known, answering([core(content)]));
  const warning = {
    kind: 'contradiction',
    text: 'the number of a cancellation beside a word that the booking is active: read as the word says',
    times: 1,
  };
  expect([found?.warnings, found?.items[0]?.mayBeCancelled]).toEqual([[warning], true]);
  const made = `<OTA_VehResRS><Success/><VehResRSCore>${content}</VehResRSCore></OTA_VehResRS>`;
  const booked = await createOtaXmlAdapter(settings).book?.(request, answering([made]));
  expect([booked?.status, booked?.warnings]).toEqual(['confirmed', [warning]]);
});

it.each<[string, string]>([
  [
    'several of its own type',
    '<ConfID Type="16" ID="AL1"/><ConfID Type="4" ID="HERTZ"/><ConfID Type="4" ID="BROKER"/>',
  ],
  [
    'a code, and itself with an unknown type, also as a reference',
    '<ConfID Type="4" ID="HERTZ"/><ConfID Type="24" ID="AL1"/><ConfID Type="16" ID="AL1"/>',
  ],
  ['the code of its company', '<ConfID Type="4" ID="AL"/><ConfID Type="16" ID="AL1"/>'],
  ['a code, and itself with an unknown type', '<ConfID Type="4" ID="HERTZ"/><ConfID Type="24" ID="AL1"/>'],
  [
    'a code, and one of an unknown type',
    '<ConfID Type="4" ID="HERTZ"/><ConfID Type="24" ID="X1"/><ConfID Type="16" ID="AL1"/>',
  ],
])('by number, keeps it if it is not clear what has replaced it: %s', async (_what, others) => {
  const several = stateless.replace('<ConfID Type="14" ID="AL1"/>', others);
  expect(several).toContain(others);
  expect(await outcomeOf({ ...known, ref: { ...known.ref, numberType: '4' } }, [core(several)])).toEqual([
    expect.stringMatching('^confirmed AL1'),
  ]);
});

describe('by renter', () => {
  const OTHER = 'res_aaaaaaaaaaaaaaaaaaaa';

  it.each<[string, readonly string[], readonly string[] | string]>([
    ['the one with our reference', [core(full('AL1', 'FC_0001'))], ['confirmed AL1 FC_0001']],
    ['nothing: one with a different reference', [core(full('AL1', 'FC_0002'))], []],
    [
      'nothing: one whose different reference has another type as well',
      [core(full('AL1', 'FC_0002').replace('</Veh', '<ConfID Type="Client" ID="FC_0002"/></Veh'))],
      [],
    ],
    ['nothing: one whose number is the id of another reservation', [core(full(OTHER, OTHER))], []],
    [
      'one whose reference is another number of it, not ours for certain',
      [core(full('AL1', 'C40').replace('</Veh', '<ConfID Type="40" ID="C40"/></Veh'))],
      'bad_payload',
    ],
    ['one whose reference is its own number, not ours for certain', [core(full('AL1', 'al1'))], 'bad_payload'],
    [
      'ours beside its own number',
      [core(full('AL1', 'AL1').replace('</Veh', '<ConfID Type="16" ID="FC_0001"/></Veh'))],
      ['confirmed AL1 FC_0001'],
    ],
    [
      'one whose only number is the code of its company',
      [core(full('AL1', 'FC_0001').replace('Type="14" ID="AL1"', 'Type="4" ID="AL"'))],
      'bad_payload',
    ],
    ['nothing: a bare Success', [rs('<Success/>')], []],
    [
      'no matching booking, although the text quotes the reference',
      [rs(`<Errors><Error Type="3" Code="97">No FC_0001</Error></Errors>`)],
      [],
    ],
    ['one in elements of another version', [renamed], 'bad_payload'],
    ['a summary whose details are of another version', [summaries(summary('AL1', 'FC_0001')), renamed], 'bad_payload'],
    [
      'the one with our reference among several',
      [core(full('AL1', 'FC_0002') + full('AL2', 'FC_0001'))],
      ['confirmed AL2 FC_0001'],
    ],
    [
      'the one with our reference, not one without',
      [core(full('AL1') + full('AL2', 'FC_0001'))],
      ['confirmed AL2 FC_0001'],
    ],
    [
      'the active one of two',
      [core(full('AL1', 'FC_0001', 'Cancelled') + full('AL2', 'FC_0001'))],
      ['confirmed AL2 FC_0001'],
    ],
    [
      'both of a doubled booking',
      [core(full('AL1', 'FC_0001') + full('AL2', 'FC_0001'))],
      ['confirmed AL1 FC_0001', 'confirmed AL2 FC_0001'],
    ],
    [
      'the active one of two, by the number of a cancellation',
      [
        core(
          numbered('15', 'X1').replace('/></Veh', '/><ConfID Type="16" ID="FC_0001"/></Veh') + full('AL2', 'FC_0001'),
        ),
      ],
      ['confirmed AL2 FC_0001'],
    ],
    ['the cancelled one if there is no other', [core(full('AL1', 'FC_0001', 'Cancelled'))], ['cancelled AL1 FC_0001']],
    ['one without reference, not ours for certain', [core(full('AL1'))], 'bad_payload'],
    [
      'an active one among cancelled ones without reference',
      [core(full('AL1', undefined, 'Cancelled') + full('AL2'))],
      'bad_payload',
    ],
    ['one without reference among foreign ones', [core(full('AL1', 'FC_0002') + full('AL2'))], 'bad_payload'],
    ['nothing: several with different references', [core(full('AL1', 'FC_0002') + full('AL2', 'FC_0003'))], []],
    ['nothing: cancelled ones without reference', [core(full('AL1', undefined, 'Cancelled'))], []],
    ['several without reference: ambiguous', [core(full('AL1') + full('AL2'))], 'bad_payload'],
    [
      'details of a summary',
      [summaries(summary('AL1', 'FC_0001'), summary('AL2', 'FC_0002')), core(full('AL1'))],
      ['confirmed AL1 FC_0001'],
    ],
    [
      'a summary whose reference is in its details',
      [summaries(summary('AL1'), summary('AL2')), core(full('AL1', 'FC_0002')), core(full('AL2', 'FC_0001'))],
      ['confirmed AL2 FC_0001'],
    ],
    [
      'summaries that are cancelled according to their details',
      [
        summaries(summary('AL1'), summary('AL2')),
        core(full('AL1', undefined, 'Cancelled')),
        core(full('AL2', 'FC_0001')),
      ],
      ['confirmed AL2 FC_0001'],
    ],
    [
      'summaries without container',
      [core(summary('AL1', 'FC_0001') + summary('AL2', 'FC_0002')), core(full('AL1'))],
      ['confirmed AL1 FC_0001'],
    ],
    [
      'a foreign one with an unknown status',
      [core(full('AL1', 'FC_0002', 'Whatever') + full('AL2', 'FC_0001'))],
      ['confirmed AL2 FC_0001'],
    ],
    [
      'ours with a status in a list of which one is cancelled',
      [rs(beside(3, 95, stateless + full('AL2', 'FC_0001')))],
      ['confirmed AL2 FC_0001'],
    ],
    [
      'none in a list of which one is cancelled, perhaps ours',
      [rs(beside(3, 95, full('AL1', 'FC_0001').replace(' ReservationStatus="Reserved"', '') + full('AL2', 'FC_2')))],
      'bad_payload',
    ],
    ['none if a warning says that there is only a cancelled one', [rs(beside(3, 95, hollow))], 'rejected'],
    ['ours among others, in different case', [core(full('AL1') + full('AL2', 'fc_0001'))], ['confirmed AL2 FC_0001']],
    ['a summary that cannot be read', [summaries(summary('AL1', 'FC_0001')), rs('<Success/>')], 'bad_payload'],
    ['a summary without number', [core('<VehResSummary/>')], 'bad_payload'],
    ['too many to read', [summaries(...Array.from({ length: 11 }, (_, at) => summary(`AL${at}`)))], 'bad_payload'],
    [
      'ours without a number',
      [core('<VehReservation><VehSegmentCore><ConfID Type="16" ID="FC_0001"/></VehSegmentCore></VehReservation>')],
      'bad_payload',
    ],
    ['a busy system', [rs(`<Errors>${error(3, 187)}</Errors>`)], 'unavailable'],
  ])('finds %s', async (_name, answers, outcome) => {
    expect(await outcomeOf(key, answers)).toEqual(outcome);
  });

  it('never reads a booking as cancelled because it names the one that it has replaced', async () => {
    const ours = '/><ConfID Type="16" ID="FC_0001"/></Veh';
    const second = (cancelled: string) =>
      stateless
        .replace('AL1', 'AL2')
        .replace('/></Veh', `/><ConfID Type="15" ID="${cancelled}"/></Veh`)
        .replace('/></Veh', ours);
    const found = async (asked: typeof key, ...answers: string[]) =>
      (await retrieve?.(asked, answering(answers)))?.items.map(({ status, ref }) => [status, ref.replacedNumbers]);
    const changed = { ...key, formerNumber: 'AL1' };
    expect(await found(changed, core(second('AL1')))).toEqual([['confirmed', 'AL1']]);
    expect(await found(changed, summaries(summary('AL2', 'FC_0001')), core(second('AL1')))).toEqual([
      ['confirmed', 'AL1'],
    ]);
    expect(await found(changed, core(full('AL1', 'FC_0001', 'Cancelled') + second('AL1')))).toEqual([
      ['confirmed', 'AL1'],
    ]);
    const again = { ...key, formerNumber: 'AL2', ref: { ...key.ref, replacedNumbers: 'AL1' } };
    expect(await found(again, core(second('AL1')))).toEqual([['confirmed', 'AL1']]);
    expect(await found(again, core(second('AL2').replace('14" ID="AL2', '14" ID="AL3')))).toEqual([
      ['confirmed', 'AL1|AL2'],
    ]);
    expect(await found(changed, core(second('X1')))).toEqual([['cancelled', 'AL1']]);
    expect(await found(key, core(second('X1')))).toEqual([['cancelled', undefined]]);
  });

  it('is not tried if the supplier does not return references; by number, its own are ignored', async () => {
    const own = createOtaXmlAdapter({ ...settings, options: { ...settings.options, repeatsReference: false } });
    expect([own.booking?.findsByReference, createOtaXmlAdapter(settings).booking?.findsByReference]).toEqual([
      false,
      true,
    ]);
    const sent: NonNullable<Parameters<typeof answering>[1]> = [];
    expect(await failureOf(own.retrieve?.(key, answering([core(full('AL1', 'X-1'))], sent)))).toBe('rejected');
    expect(sent).toEqual([]);
    const [booking] = (await own.retrieve?.(known, answering([core(full('AL1', 'X-1'))])))?.items ?? [];
    expect([booking?.status, booking?.confirmationNumber, booking?.reference]).toEqual(['confirmed', 'AL1', undefined]);
  });

  it('warns of a bare Success', async () => {
    for (const asked of [key, known])
      expect((await retrieve?.(asked, answering([rs('<Success/>')])))?.warnings).toEqual([
        { kind: 'incomplete', text: 'OTA_VehRetResRS has Success and nothing else, taken as empty', times: 1 },
      ]);
    expect((await retrieve?.(known, answering([rs(`<Success/>${EMPTY}`)])))?.warnings).toEqual([]);
  });

  it('requests details only for summaries that may be the gateway’s', async () => {
    const sent: NonNullable<Parameters<typeof answering>[1]> = [];
    const listed = summaries(summary('AL1', 'FC_0002'), summary('AL2', 'FC_0001'), summary('AL3', 'FC_0003'));
    await retrieve?.(key, answering([listed, core(full('AL2', 'FC_0001'))], sent));
    expect(sent.map(({ call }) => /UniqueID Type="14" ID="(\w+)"/.exec(call.body ?? '')?.[1])).toEqual([
      undefined,
      'AL2',
    ]);
  });
});
