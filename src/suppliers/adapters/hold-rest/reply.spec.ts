import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { SupplierError, type SupplierHttpAnswer } from '../../supplier.js';
import { expectDone, readReply, readReplyUnless } from './reply.js';

const schema = z.object({ name: z.string() });

function answer(status: number, body: string): SupplierHttpAnswer {
  return { status, headers: {}, body: Buffer.from(body) };
}

const problem = (code: string) => JSON.stringify({ type: 'about:blank', title: 'x', status: 400, code, detail: 'said to Ada Sample' });

function refusal(read: () => unknown): SupplierError {
  try {
    read();
  } catch (error) {
    if (error instanceof SupplierError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

describe('readReply', () => {
  it('returns what fits the schema', () => {
    expect(readReply(answer(201, '{"name":"Quarry","more":1}'), schema)).toEqual({ name: 'Quarry' });
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
  ])('tells %i %s as %s', (status, body, expected) => {
    const { fault, refusal: reason, sent } = refusal(() => readReply(answer(status, body), schema));
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
    [200, '{"name":7}'],
  ])('takes %i %s for no word of the supplier', (status, body) => {
    expect(refusal(() => readReply(answer(status, body), schema)).fault).toBe('bad_payload');
  });

  it('never repeats the text of a supplier or a value of its answer', () => {
    for (const [status, body] of [
      [422, problem('DRIVER_NOT_ELIGIBLE')],
      [418, problem('Ada Sample')],
      [200, '{"name":["Ada Sample"]}'],
    ] as const) {
      expect(refusal(() => readReply(answer(status, body), schema)).message).not.toContain('Ada');
    }
  });
});

describe('readReplyUnless', () => {
  it('is undefined for a refusal with a code that is an answer, and only for that', () => {
    const read = (status: number, body: string) => readReplyUnless(answer(status, body), ['NOT_FOUND'], schema);
    expect(read(404, problem('NOT_FOUND'))).toBeUndefined();
    expect(read(200, '{"name":"Quarry"}')).toEqual({ name: 'Quarry' });
    for (const [status, body] of [
      [404, problem('SOLD_OUT')],
      [404, '<html>'],
      [500, problem('NOT_FOUND')],
      [403, problem('NOT_FOUND')],
      [200, problem('NOT_FOUND')],
    ] as const) {
      expect(() => read(status, body)).toThrow(SupplierError);
    }
  });
});

describe('expectDone', () => {
  it('is content with any success and with the codes given, and throws for the rest', () => {
    expectDone(answer(204, ''), []);
    expectDone(answer(404, problem('NOT_FOUND')), ['NOT_FOUND']);
    expect(refusal(() => expectDone(answer(404, '<html>'), ['NOT_FOUND'])).fault).toBe('bad_payload');
    expect(refusal(() => expectDone(answer(503, ''), ['NOT_FOUND'])).fault).toBe('unavailable');
  });
});
