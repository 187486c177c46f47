import { describe, expect, it } from '@jest/globals';
import { threadMs } from '../../../test/support/thread-time.js';
import { refuseAnother, refuseOverlooked } from './names-another.js';

const [OWN, OTHER] = ['res_Ab1_Ab1_Ab1_Ab1_Ab1_', 'res_q7Zq7Zq7Zq7Zq7Zq7Zq_'];
const check = (...bodies: readonly (string | undefined)[]) =>
  refuseAnother(
    bodies.map((body) => ({
      call: { method: 'POST', path: '/' },
      answer: body === undefined ? undefined : { status: 200, headers: {}, body: Buffer.from(body) },
    })),
    OWN,
  );

describe('an answer', () => {
  it.each([
    ['names the reservation', `<ConfID Type="16" ID="${OWN}"/>`],
    ['names it among others', `{"reference":"${OWN}","replaces":"${OTHER}"}`],
    ['names none', '{"number":"CN1","resolution":"res_short"}'],
    ['is empty', ''],
    ['has a member that looks like one', '{"RES_MODIFICATION_ALLOWED":true,"res_cancellation_allowed" : false}'],
    ['has a list of such names', '{"allowed":["RES_MODIFICATION_ALLOWED","Res_Confirmation_Numbers"]}'],
    ['has such an attribute', '<Rules res_line1_of_residence__ = "x" Name="res_cancellationAllowed_"/>'],
    ['has such an element', '<r:Res_1st_renters_contacts>x</r:Res_1st_renters_contacts><res_2nd_renters_contacts/>'],
  ])('is accepted if it %s', (_case, body) => {
    expect(() => check(body)).not.toThrow();
  });

  it('is refused if it names only another reservation, in any dialect', () => {
    for (const body of [
      `<ConfID Type="16" ID="${OTHER}"/>`,
      `{"reference":"${OTHER}"}`,
      `{"remark":"ref ${OTHER}, paid"}`,
    ])
      expect(() => check(body)).toThrow(expect.objectContaining({ fault: 'bad_payload' }));
  });

  it('is accepted if it repeats a reference that the call sent, and doesn’t name another', () => {
    const remark = `Second car of the family of ${OTHER}`;
    const repeated = (body: string) => () =>
      refuseAnother(
        [
          {
            call: { method: 'POST', path: '/', body: JSON.stringify({ reference: OWN, remark }) },
            answer: { status: 200, headers: {}, body: Buffer.from(body) },
          },
        ],
        OWN,
      );
    const third = 'res_kWvXkWvXkWvXkWvXkWvX';
    expect(repeated(JSON.stringify({ remark }))).not.toThrow();
    expect(repeated(JSON.stringify({ remark, reference: OWN }))).not.toThrow();
    expect(repeated(JSON.stringify({ remark, reference: third }))).toThrow();
    expect(repeated(JSON.stringify({ reference: third }))).toThrow();
  });

  it('is accepted if it repeats a reference in the remark of the renter, and doesn’t name another', () => {
    const answered = (body: object, renter?: object) => () =>
      refuseAnother(
        [
          {
            call: { method: 'DELETE', path: '/77' },
            answer: { status: 200, headers: {}, body: Buffer.from(JSON.stringify(body)) },
          },
        ],
        OWN,
        JSON.stringify(renter),
      );
    const remark = `Second car of the "family" of ${OTHER}`;
    expect(answered({ remark }, { remark })).not.toThrow();
    expect(answered({ remark })).toThrow();
    expect(answered({ remark, reference: 'res_kWvXkWvXkWvXkWvXkWvX' }, { remark })).toThrow();
  });

  it('names the reservation however it is written', () => {
    const named = [OWN.toUpperCase(), OWN.replaceAll('_', '\\u005F'), `\\n${OWN}`, OWN.replaceAll('_', '&#x5f;')];
    for (const reference of named) expect(() => check(`"${OTHER}" "${reference}"`)).not.toThrow();
    for (const reference of [OTHER.toUpperCase(), OTHER.replace('_', '\\u005f'), OTHER.replace('_', '&#095;')])
      expect(() => check(`{"reference":"${reference}"}`)).toThrow();
  });

  it('counts if it is the last one; without one, nothing is refused', () => {
    expect(() => check(`{"reference":"${OTHER}"}`, `{"reference":"${OWN}"}`)).not.toThrow();
    expect(() => check(`{"reference":"${OWN}"}`, `{"reference":"${OTHER}"}`)).toThrow();
    expect(() => check(undefined)).not.toThrow();
    expect(() => check()).not.toThrow();
  });
});

describe('a retrieval without a result', () => {
  const found =
    (body: string | Buffer, call: object = {}, items: readonly object[] = []) =>
    () =>
      refuseOverlooked(
        { items, warnings: [] },
        [
          {
            call: { method: 'POST', path: '/', body: '<RQ/>', ...call },
            answer: { status: 200, headers: {}, body: Buffer.from(body) },
          },
          { call: { method: 'POST', path: '/' }, answer: undefined },
        ],
        OWN,
      );
  const named = [
    `<ConfID Type="16" ID="${OWN}"/>`,
    `<ConfID ID = '${OWN}' />`,
    `<Reference> ${OWN}\n</Reference>`,
    `<Reference><![CDATA[${OWN}]]></Reference>`,
    `{"list":[],"others":[{"reference": "${OWN}"}]}`,
    `{"references":["X","${OWN}"]}`,
  ];

  it('is unclear if an answer has the reference as a value', () => {
    for (const body of named) expect(found(body)).toThrow(expect.objectContaining({ fault: 'bad_payload' }));
  });

  it('is unclear however the reference is written', () => {
    const escaped = OWN.replaceAll('_', '\\u005f').replace('A', '\\u0041');
    const inXml = OWN.replaceAll('_', '&#95;').replace('A', '&#x41;');
    for (const body of [
      `{"reference":"${escaped}"}`,
      `{"reference":" ${OWN}\\t\\u00A0"}`,
      `<ConfID Type="16" ID=" ${OWN}&#10;"/>`,
      `<ConfID Type="16" ID="${inXml}"/>`,
      `<Reference>\n<![CDATA[ ${OWN} ]]>\n</Reference>`,
      `<Reference>res_<![CDATA[${OWN.slice(4)}]]></Reference>`,
      `{"reference":"${OWN.toUpperCase()}"}`,
    ])
      for (const written of [body, Buffer.from(body, 'utf16le'), Buffer.from(body, 'utf16le').swap16()])
        expect(found(written)).toThrow(expect.objectContaining({ fault: 'bad_payload' }));
  });

  it('is searched in linear time', () => {
    for (const part of ['&#x0', '\\u00', '<![CDATA[', '=" ', '>    ', 'res_', '&#0000'])
      for (const body of [part.repeat(500_000), `${part}${' '.repeat(2_000_000)}`]) {
        const startedAt = threadMs();
        found(body)();
        expect(threadMs() - startedAt).toBeLessThan(2_000);
      }
  });

  it('is clear if the reference is quoted in a text, was sent, or is another one', () => {
    for (const body of [
      `{"code":"NOT_FOUND","detail":"no booking ${OWN}"}`,
      `{"detail":"no booking \\"${OWN}\\""}`,
      `{"detail":"no booking: \\u0022${OWN}\\u0022"}`,
      `<Error ShortText="no booking: &#34;${OWN}&#34;"/>`,
      `<Error Code="97" ShortText="no booking '${OWN}' of Ada"/>`,
      `<Error Code="97">No booking: ${OWN}.</Error>`,
      `<ConfID Type="16" ID="${OTHER}"/>`,
      '',
    ])
      expect(found(body)).not.toThrow();
    for (const call of [
      { path: `/?reference=${OWN}` },
      { body: `{"reference":"${OWN}"}` },
      { headers: { 'x-id': OWN } },
    ])
      for (const body of named) expect(found(body, call)).not.toThrow();
  });

  it('is not what found something', () => {
    for (const body of named) expect(found(body, {}, [{}])).not.toThrow();
  });
});
