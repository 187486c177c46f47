import { describe, expect, it } from '@jest/globals';
import { SupplierError } from '../../model/supplier.js';
import { oneWarning } from '../../model/warnings.js';
import { errorReason } from './errors.js';
import { readReply } from './reply.js';

const expected = {
  message: 'OTA_VehAvailRateRS',
  hasData: (root: { children: readonly { name: string }[] }) =>
    root.children.some((node) => node.name === 'VehAvailRSCore'),
  errorCodes: { 900: 'throttled', 221: 'no_results' } as const,
  emptyShape: { Info: { Note: {} } } as const,
  namespace: 'urn:own',
};

const rs = (content: string) => `<OTA_VehAvailRateRS>${content}</OTA_VehAvailRateRS>`;
const errors = (...list: [type: number | string, code: number | string][]) =>
  rs(
    `<Errors>${list.map(([type, code]) => `<Error Type="${type}" Code="${code}" ShortText="t">u</Error>`).join('')}</Errors>`,
  );
const warning = (type: number, code: number) =>
  rs(`<Success/><Warnings><Warning Type="${type}" Code="${code}">w</Warning></Warnings>`);

function outcomeOf(body: string, status = 200): string {
  try {
    return readReply({ status, headers: {}, body: Buffer.from(body) }, expected).root ? 'data' : 'empty';
  } catch (error) {
    if (error instanceof SupplierError) return error.fault;
    throw error;
  }
}

describe('readReply', () => {
  it.each([
    ['data with Success', rs('<Success/><VehAvailRSCore/>'), 200, 'data'],
    ['data without Success', rs('<VehAvailRSCore/>'), 200, 'data'],
    ['data together with Errors', rs('<Errors><Error Type="3" Code="187"/></Errors><VehAvailRSCore/>'), 200, 'data'],
    ['a bare Success', rs('<Success/>'), 200, 'empty'],
    ['an empty list', rs('<Success/><Info><Note/></Info>'), 200, 'empty'],
    ['a Success with other content', rs('<Success/><Cars><Car/></Cars>'), 200, 'bad_payload'],
    ['a Success with other content in a list', rs('<Success/><Info><Note><Car/></Note></Info>'), 200, 'bad_payload'],
    [
      'a Success of another version',
      '<OTA_VehAvailRateRS xmlns="http://www.opentravel.org/OTA"><Success/></OTA_VehAvailRateRS>',
      200,
      'bad_payload',
    ],
    [
      'a Success in the namespace of the supplier',
      '<o:OTA_VehAvailRateRS xmlns:o="urn:own"><o:Success/></o:OTA_VehAvailRateRS>',
      200,
      'empty',
    ],
    [
      'a Success without a namespace',
      '<OTA_VehAvailRateRS xmlns="" xmlns:xsd="http://www.w3.org/2001/XMLSchema"><Success/></OTA_VehAvailRateRS>',
      200,
      'empty',
    ],
    [
      'data of another version',
      '<OTA_VehAvailRateRS xmlns="http://www.opentravel.org/OTA"><Success/><VehAvailRSCore/></OTA_VehAvailRateRS>',
      200,
      'data',
    ],
    ['an empty message', rs(''), 200, 'bad_payload'],
    ['another message', '<OTA_PingRS><Success/></OTA_PingRS>', 200, 'bad_payload'],
    ['an OTA_ErrorRS', '<OTA_ErrorRS><Errors><Error Type="4"/></Errors></OTA_ErrorRS>', 200, 'auth'],
    ['no cars', errors([3, 221]), 200, 'empty'],
    ['an unknown place', errors([3, 229]), 200, 'empty'],
    ['a closed location', errors([3, 227]), 200, 'empty'],
    ['wrong credentials by type', errors([4, 221 + 1000]), 200, 'auth'],
    ['wrong credentials by code', errors([3, 175]), 200, 'auth'],
    ['a busy system', errors([12, 191]), 200, 'unavailable'],
    ['an unknown code of the application', errors([13, 'X9']), 200, 'unavailable'],
    ['a rate limit by the code of the supplier', errors([3, 900]), 200, 'throttled'],
    ['a wrong date', errors([3, 136]), 200, 'rejected'],
    ['an unknown code', errors([3, 4711]), 200, 'rejected'],
    ['no cars and a wrong date', errors([3, 221], [3, 136]), 200, 'rejected'],
    ['no cars and a busy system', errors([3, 221], [1, 187]), 200, 'unavailable'],
    ['a warning that the system is down', warning(12, 187), 200, 'unavailable'],
    ['a warning that the rate is gone', warning(3, 249), 200, 'rejected'],
    ['a warning that there are no cars', warning(3, 301), 200, 'empty'],
    ['an advisory', warning(11, 187), 200, 'empty'],
    ['an unknown warning', warning(3, 4711), 200, 'empty'],
    ['HTTP 401', rs('<Success/>'), 401, 'auth'],
    ['HTTP 403', '', 403, 'auth'],
    ['HTTP 429', errors([3, 221]), 429, 'throttled'],
    ['HTTP 500 with good XML', rs('<Success/><VehAvailRSCore/>'), 500, 'unavailable'],
    ['HTTP 400 with OTA Errors', errors([3, 221]), 400, 'empty'],
    ['HTTP 404 with HTML', '<html></html>', 404, 'rejected'],
    ['HTTP 400 with a page', 'Bad Request', 400, 'rejected'],
    ['HTTP 302', '', 302, 'rejected'],
    ['HTTP 204', '', 204, 'bad_payload'],
    ['a login page', '<!DOCTYPE html><html></html>', 200, 'bad_payload'],
    [
      'a SOAP fault',
      '<s:Envelope xmlns:s="u"><s:Body><s:Fault><faultstring>x</faultstring></s:Fault></s:Body></s:Envelope>',
      200,
      'unavailable',
    ],
    [
      'an old SOAP envelope',
      `<E:Envelope xmlns:E="http://www.w3.org/2001/12/soap-envelope"><E:Body>${rs('<Success/>')}</E:Body></E:Envelope>`,
      200,
      'empty',
    ],
    ['an empty SOAP envelope', '<s:Envelope xmlns:s="u"><s:Body/></s:Envelope>', 200, 'bad_payload'],
  ])('reads %s (case %#)', (_name, body, status, outcome) => {
    expect(outcomeOf(body, status)).toBe(outcome);
  });

  it('quotes at most ten of its errors', () => {
    const many = errors(...Array.from({ length: 5_000 }, (): [number, number] => [3, 4711]));
    expect(() => readReply({ status: 200, headers: {}, body: Buffer.from(many) }, expected)).toThrow(
      /^([^;]*;){9}[^;]*$/,
    );
  });

  it('gives a warning for a Success that states nothing, and none for an empty list', () => {
    const warningsOf = (body: string) =>
      readReply({ status: 200, headers: {}, body: Buffer.from(body) }, expected).warnings;
    expect(warningsOf(rs('<Success/>'))).toEqual(
      oneWarning('incomplete', 'OTA_VehAvailRateRS has Success and nothing else, taken as empty'),
    );
    expect(warningsOf(rs('<Success/><Info/>'))).toEqual([]);
  });

  it('keeps the texts of warnings', () => {
    const body = Buffer.from(warning(11, 187));
    expect(readReply({ status: 200, headers: {}, body }, expected).warnings).toEqual(
      oneWarning('notice', 'Warning type 11 code 187: w'),
    );
  });
});

describe('errorReason', () => {
  it.each([
    ['3', '229', 'invalid_location'],
    ['3', '586', 'invalid_location'],
    ['3', '664', 'location_closed'],
    ['3', '95', 'already_cancelled'],
    ['3', '693', 'invalid_range'],
    ['3', '729', 'not_eligible'],
    ['3', '594', 'not_eligible'],
    ['3', '595', 'not_eligible'],
    ['3', '309', 'price_changed'],
    ['3', '249', 'invalid_rate'],
    ['2', '172', 'unsupported'],
    ['2', undefined, 'unsupported'],
    ['3', '171', 'not_found'],
    ['10', '321', 'invalid_request'],
    ['10', undefined, 'invalid_request'],
    ['6', '221', 'auth'],
    ['3', '500', undefined],
    [undefined, undefined, undefined],
  ])('type %s code %s is %s', (type, code, reason) => {
    expect(errorReason(type, code, {})).toBe(reason);
  });

  it('gives precedence to the supplier’s own table', () => {
    expect(errorReason('4', '77', { 77: 'no_results' })).toBe('no_results');
  });
});
