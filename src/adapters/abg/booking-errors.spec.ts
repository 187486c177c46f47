import { describe, expect, it } from '@jest/globals';
import type { Fault } from '../../model/supplier.js';
import { abgErrorCodes } from './errors.js';
import { adapter, answering, booking, change, errorOf, key, refused, rental } from './fixtures/setting.js';

const writes = [
  ['book', (context: ReturnType<typeof answering>) => adapter.book?.(booking, context)],
  ['modify', (context: ReturnType<typeof answering>) => adapter.modify?.({ ...change, changes: ['extras'] }, context)],
  ['partial modify', (context: ReturnType<typeof answering>) => adapter.modify?.(change, context)],
  ['cancel', (context: ReturnType<typeof answering>) => adapter.cancel?.(key, context)],
] as const;

/** Refusals by code; a published code in none of these lists gives no specific refusal. */
const refusals: Readonly<Record<string, readonly string[]>> = {
  sold_out: ['223', '500708', '14381', '22224'],
  invalid_location: ['203', '205', '225', '226', '227', '609'],
  location_closed: ['242', '14261'],
  invalid_rate: ['14528', '14105', '14022', '19074', '14075'],
  invalid_discount: '208 19076 234 235 1798 216 209 1102 1103 1109 1112 1122 1124 1203 14372 14374 60010'.split(' '),
  extra_not_available: ['14299'],
  card_declined: ['14220', '900909'],
  not_found: ['150004', '14184'],
  not_changeable: ['14036'],
};
const refusalOf = (code: string) => Object.keys(refusals).find((refusal) => refusals[refusal]?.includes(code));
const DOUBTFUL = ['40018', '610', '319', '1005', '14025', '14441', '19082'];

describe('an error code of a booking', () => {
  const published = abgErrorCodes
    .filter(
      ({ code, outcome, http }) =>
        !DOUBTFUL.includes(code) && ['empty', 'rejected'].includes(outcome) && http.every((status) => status < 500),
    )
    .flatMap(({ code, http }) => http.map((status) => [code, status, refusalOf(code)] as const));

  it('is listed here if it has a refusal', () => {
    const codes = published.map(([code]) => code);
    for (const code of Object.values(refusals).flat()) expect(codes).toContain(code);
  });

  it.each(published)(
    '%s with status %i refuses the booking as %s: certainly nothing was done',
    async (code, status, refusal) => {
      const error = await errorOf(adapter.book?.(booking, answering(refused(status, code))));
      expect([error.fault, error.refusal, error.sent]).toEqual(['rejected', refusal, true]);
    },
  );

  it.each(DOUBTFUL)('%s leaves a booking, change or cancellation in doubt, with both a 400 and a 500', async (code) => {
    for (const status of [400, 404, 500]) {
      for (const [, write] of writes)
        expect((await errorOf(write(answering(refused(status, code))))).fault).toBe('unavailable');
    }
  });

  it.each(DOUBTFUL)('%s is an ordinary failure of a price check', async (code) => {
    const error = await errorOf(adapter.priceCheck?.(rental, answering(refused(400, code))));
    expect(error.fault).toBe(['40018', '610', '319'].includes(code) ? 'unavailable' : 'rejected');
    expect(error.refusal).toBeUndefined();
  });

  it('an ambiguous one among clear ones leaves the outcome in doubt, whatever their order', async () => {
    for (const codes of [
      ['14220', '1005'],
      ['1005', '14220'],
      ['14220', ''],
    ]) {
      expect((await errorOf(adapter.book?.(booking, answering(refused(400, ...codes))))).fault).not.toBe('rejected');
    }
  });
});

describe.each(writes)('%s', (_name, write) => {
  it.each<readonly [number, string, Fault]>([
    [400, refused(400, '777777').body, 'rejected'],
    [400, refused(400, '').body, 'bad_payload'],
    [400, '{}', 'bad_payload'],
    [400, '<html>', 'bad_payload'],
    [404, '', 'bad_payload'],
    [404, refused(404, '404').body, 'rejected'],
    [401, '{"error":"invalid_grant","error_description":"token not found, expired or invalid"}', 'auth'],
    [401, '', 'auth'],
    [403, '<html>', 'auth'],
    [408, '', 'unavailable'],
    [429, '', 'throttled'],
    [500, refused(500, '14220').body, 'unavailable'],
    [500, refused(500, '14036').body, 'unavailable'],
    [502, '<html>', 'unavailable'],
    [503, '{}', 'unavailable'],
    [200, refused(200, '223').body, 'rejected'],
    [200, refused(200, '777777').body, 'bad_payload'],
    [200, '', 'bad_payload'],
    [200, '{}', 'bad_payload'],
    [200, '[]', 'bad_payload'],
    [200, '<html>', 'bad_payload'],
    [200, '{"status":{"success":[{"code":', 'bad_payload'],
    [302, '', 'bad_payload'],
  ])('with the answer %i %s the fault is %s', async (status, body, fault) => {
    expect((await errorOf(write(answering({ status, body })))).fault).toBe(fault);
  });
});
