import { expect, test } from '@jest/globals';
import type { z } from 'zod';
import { SchemaPipe } from '../http/schema.pipe.js';
import { ApiError, type Problem } from '../status/api-error.js';
import { BODY_HINTS, patchBody, putBody, QUERY_HINTS, reservationQuery } from './reservations.schema.js';

function problemsOf(schema: z.ZodType, hints: Readonly<Record<string, string>>, value: object): readonly Problem[] {
  try {
    new SchemaPipe(schema, 'body', undefined, hints).transform(value);
  } catch (error) {
    if (error instanceof ApiError) return error.problems;
    throw error;
  }
  return [];
}

test.each([
  ['PATCH', patchBody, BODY_HINTS, 'reservation_id', '/cars/reservation/v1/{reservation_id}'],
  ['PATCH', patchBody, BODY_HINTS, 'confirmation_number', '?confirmation_number='],
  ['PUT', putBody, BODY_HINTS, 'reservation_id', '/cars/reservation/v1/{reservation_id}'],
  ['a query', reservationQuery, QUERY_HINTS, 'reservation_id', '/cars/reservation/v1/{reservation_id}'],
  ['a query', reservationQuery, QUERY_HINTS, 'client_reference', '/reservations?client_reference='],
] as const)('%s with %s in the wrong place is answered with where it belongs', (_method, schema, hints, field, url) => {
  const problem = problemsOf(schema, hints, { [field]: 'x' }).find((one) => one.field === field);
  expect(problem).toMatchObject({ reason: 'invalid_request', details: expect.stringContaining(url) });
});

test('a hint is for the field itself, not for one of the same name deeper in a body', () => {
  const [problem] = problemsOf(patchBody, BODY_HINTS, { driver: { reservation_id: 'x' } });
  expect(problem).toMatchObject({ field: 'driver.reservation_id', details: expect.stringContaining('not a known') });
});
