import { describe, expect, it } from '@jest/globals';
import { claim } from '../../../test/support/claim.js';
import { SupplierError, type SupplierHttpAnswer } from '../../model/supplier.js';
import { errorRules } from './errors.js';
import { shippedSettings } from './fixtures/shipped.js';
import { type Accepted, JSON_BODY, readReply } from './reply.js';

const duneRules = errorRules.parse(shippedSettings('dune').options.errors);

function answer(status: number, body: string, headers: SupplierHttpAnswer['headers'] = {}): SupplierHttpAnswer {
  return { status, headers, body: Buffer.from(body) };
}

function read(
  reply: SupplierHttpAnswer,
  rules = duneRules,
  accepted: readonly Accepted[] = [],
  format = JSON_BODY,
): ReturnType<typeof readReply> {
  return readReply(reply, rules, accepted, { age: 41 }, format);
}

const problem = (code: string) =>
  JSON.stringify({ type: 'about:blank', title: 'x', status: 400, code, detail: 'said to Ada Sample' });

function refusal(reading: () => unknown): SupplierError {
  try {
    reading();
  } catch (error) {
    if (error instanceof SupplierError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

describe('an answer, by the rules of dune', () => {
  it('is its JSON if it is a success', () => {
    expect(read(answer(201, '{"name":"Quarry","more":1}'))).toEqual({ body: { name: 'Quarry', more: 1 } });
    expect(read(answer(204, ''))).toEqual({ body: null });
    expect(read(answer(200, '\ufeff{"name":"Quarry"}'))).toEqual({ body: { name: 'Quarry' } });
  });

  it.each<readonly [status: number, body: string, expected: string]>([
    [409, problem('SOLD_OUT'), 'rejected sold_out'],
    [409, problem('PRICE_CHANGED'), 'rejected price_changed'],
    [410, problem('RATE_EXPIRED'), 'rejected rate_expired'],
    [410, problem('HOLD_EXPIRED'), 'rejected rate_expired'],
    [422, problem('UNKNOWN_STATION'), 'rejected invalid_location'],
    [422, problem('STATION_CLOSED'), 'rejected location_closed'],
    [422, problem('DRIVER_NOT_ELIGIBLE'), 'rejected not_eligible'],
    [422, problem('EXTRA_NOT_AVAILABLE'), 'rejected extra_not_available'],
    [404, problem('NOT_FOUND'), 'rejected not_found'],
    [409, problem('ALREADY_CANCELLED'), 'rejected not_changeable'],
    [409, problem('HOLD_CONFIRMED'), 'rejected not_changeable'],
    [400, problem('INVALID_REQUEST'), 'rejected undefined'],
    [401, problem('UNAUTHORIZED'), 'auth undefined'],
    [403, '<html>', 'auth undefined'],
    [429, problem('TOO_MANY_REQUESTS'), 'throttled undefined'],
    [500, problem('INTERNAL'), 'unavailable undefined'],
    [503, problem('SOLD_OUT'), 'unavailable undefined'],
    [408, problem('NOT_FOUND'), 'unavailable undefined'],
    [502, '<html>', 'unavailable undefined'],
  ])('maps %i %s to %s', (status, body, expected) => {
    const { fault, refusal: reason, sent } = refusal(() => read(answer(status, body)));
    expect(`${fault} ${reason}`).toBe(expected);
    expect(sent).toBe(true);
  });

  it.each([
    [404, '<html>not here</html>'],
    [404, problem('NO_SUCH_RESOURCE')],
    [400, problem('constructor')],
    [409, '{"code":7}'],
    [409, '{"code":"SOLD_O'],
    [302, ''],
    [304, problem('SOLD_OUT').slice(1)],
    [200, ''],
    [200, '<html>'],
    [200, 'null'],
    [200, '{"name":'],
    [200, '\uFFFD\u0000'],
  ])('takes %i %s for no word of the supplier', (status, body) => {
    expect(refusal(() => read(answer(status, body))).fault).toBe('bad_payload');
  });

  claim('API10', 'Errors about the response of a REST supplier never contain its text or values.', () => {
    for (const [status, body] of [
      [422, problem('DRIVER_NOT_ELIGIBLE')],
      [418, problem('Ada Sample')],
      [200, '{"name":["Ada Sample"'],
      [200, '<Ada>&Ada;</Sample>'],
      [200, '<?xml version="1.0" encoding="Ada"?><a/>'],
    ] as const) {
      for (const format of [JSON_BODY, { ...JSON_BODY, format: 'xml' as const }]) {
        expect(refusal(() => read(answer(status, body), duneRules, [], format)).message).not.toMatch(/\bada\b/i);
      }
    }
  });
});

describe('an outcome that counts as an answer', () => {
  const rules = errorRules.parse([{ when: "code == 'NOT_FOUND'", means: 'not_found' }]);

  it('is undefined for that outcome only', () => {
    const asked = (status: number, body: string) => read(answer(status, body), rules, ['not_found']);
    expect(asked(404, problem('NOT_FOUND'))).toBeUndefined();
    for (const [status, body] of [
      [404, problem('SOLD_OUT')],
      [404, '<html>'],
      [500, problem('NOT_FOUND')],
      [403, problem('NOT_FOUND')],
    ] as const) {
      expect(() => asked(status, body)).toThrow(SupplierError);
    }
    expect(asked(200, problem('NOT_FOUND'))).toBeDefined();
  });

  it.each(['empty', 'done', 'unknown'] as const)('is in doubt if "%s" is ambiguous', (means) => {
    const doubtful = errorRules.parse([{ when: 'code', means }]);
    expect(refusal(() => read(answer(404, problem('ANY')), doubtful)).fault).toBe('bad_payload');
  });
});

describe('the rules', () => {
  const resultOf = (rules: unknown, status: number, body: string, headers?: SupplierHttpAnswer['headers']): string => {
    try {
      return read(answer(status, body, headers), errorRules.parse(rules)) ? 'read' : 'accepted';
    } catch (error) {
      if (error instanceof SupplierError)
        return error.refusal === undefined ? error.fault : `${error.fault} ${error.refusal}`;
      throw error;
    }
  };

  it('are tried in order; the first match decides', () => {
    const rules = [
      { when: "code == 'A'", means: 'throttled' },
      { when: 'code', means: 'rejected', refusal: 'sold_out' },
    ];
    expect(resultOf(rules, 400, '{"code":"A"}')).toBe('throttled');
    expect(resultOf(rules, 400, '{"code":"B"}')).toBe('rejected sold_out');
  });

  it('match an error in a success, and a refusal in a 5xx, only if they name the status', () => {
    const named = [{ status: '2xx', when: 'ok == `0`', means: 'rejected' }];
    expect(resultOf(named, 200, '{"ok":0}')).toBe('rejected');
    expect(resultOf(named, 200, '{"ok":1}')).toBe('read');
    expect(resultOf([{ when: 'ok == `0`', means: 'rejected' }], 200, '{"ok":0}')).toBe('read');
    expect(resultOf([{ status: [500, 502], when: 'busy', means: 'throttled' }], 500, '{"busy":true}')).toBe(
      'throttled',
    );
    expect(resultOf([{ when: 'busy', means: 'throttled' }], 500, '{"busy":true}')).toBe('unavailable');
  });

  it('may read the complete answer and the request', () => {
    expect(
      resultOf(
        [{ status: 200, when: '$answer.ok == `0` && $request.age == `41`', means: 'rejected' }],
        200,
        '{"ok":0}',
      ),
    ).toBe('rejected');
  });

  it('match a header, with or without a body, but never an HTML page', () => {
    const rules = [{ header: { name: 'X-Reason', equals: 'quota' }, means: 'throttled' }];
    expect(resultOf(rules, 400, '', { 'x-reason': 'quota' })).toBe('throttled');
    expect(resultOf(rules, 400, '', { 'x-reason': 'other' })).toBe('bad_payload');
    expect(resultOf(rules, 400, '<html>', { 'x-reason': 'quota' })).toBe('bad_payload');
    expect(resultOf([{ status: 404, means: 'not_found' }], 404, '')).toBe('rejected not_found');
    expect(resultOf([{ status: 404, means: 'not_found' }], 404, '<html>')).toBe('bad_payload');
  });

  it.each([
    [{ means: 'rejected' }],
    [{ status: 404, means: 'empty', refusal: 'sold_out' }],
    [{ status: 404, means: 'explode' }],
    [{ status: '6xx', means: 'empty' }],
    [{ when: 'code ==', means: 'empty' }],
  ])('are refused when they make no sense: %j', (rule) => {
    expect(errorRules.safeParse([rule]).success).toBe(false);
  });
});
