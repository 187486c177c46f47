import { expect, it } from '@jest/globals';
import { ApiError } from '../status/api-error.js';
import { insertSurely, unbooked } from './booking-storage.js';
import type { Insertion } from './reservation-insertion.js';

const failure = (code: string, message = 'x'): Error => Object.assign(new Error(message), { code });
const BROKEN = new Error('Connection terminated unexpectedly');
const DOWN = failure('ECONNREFUSED');
const TAKEN = failure('23505');

/** A database whose inserts end like this, one after the other; the last one repeats. `stored` = what it holds by then. */
function database(...ends: readonly { readonly end: Insertion | Error; readonly stored: boolean }[]) {
  let tries = 0;
  const current = () => ends[Math.min(Math.max(tries, 1), ends.length) - 1];
  return {
    tries: () => tries,
    insert: async (): Promise<Insertion> => {
      tries += 1;
      const { end = DOWN } = current() ?? {};
      if (end instanceof Error) throw end;
      return end;
    },
    isStored: async () => current()?.stored === true,
  };
}

const store = ({ insert, isStored }: ReturnType<typeof database>, ms = 2_000, hasKey = true) =>
  insertSurely(insert, isStored, { hasKey, until: performance.now() + ms }).catch((error: unknown) => error);

it.each([
  [
    'the connection broke before the commit',
    [
      { end: BROKEN, stored: false },
      { end: 'stored', stored: true },
    ],
    2,
  ],
  ['the connection broke after the commit', [{ end: BROKEN, stored: true }], 1],
  [
    'the commit came after the question',
    [
      { end: BROKEN, stored: false },
      { end: 'key_taken', stored: true },
    ],
    2,
  ],
  [
    'the same, without a key',
    [
      { end: BROKEN, stored: false },
      { end: TAKEN, stored: true },
    ],
    2,
  ],
  [
    'the server could not be reached at first',
    [
      { end: DOWN, stored: false },
      { end: 'stored', stored: true },
    ],
    2,
  ],
  [
    'the server was a standby at first',
    [
      { end: failure('25006'), stored: false },
      { end: 'stored', stored: true },
    ],
    2,
  ],
] as const)('a reservation is stored, once, if %s', async (_how, ends, tries) => {
  const one = database(...ends);
  expect([await store(one), one.tries()]).toEqual(['stored', tries]);
});

it.each([
  ['another request has the key', { end: 'key_taken', stored: false } as const, 'key_taken'],
  ['the statement is at fault', { end: TAKEN, stored: false }, TAKEN],
  ['a table is locked', { end: failure('55P03'), stored: false }, expect.objectContaining({ code: '55P03' })],
])('is not tried again if %s', async (_why, end, expected) => {
  const one = database(end);
  expect([await store(one), one.tries()]).toEqual([expected, 1]);
});

it('a key that another request claimed in between is not taken for its own', async () => {
  expect(await store(database({ end: BROKEN, stored: false }, { end: 'key_taken', stored: false }))).toBe('key_taken');
});

it('a database that stays away gives the error of the last try, if nothing can have been stored', async () => {
  const error = await store(database({ end: DOWN, stored: false }), 200);
  expect(error).toBe(DOWN);
  expect((unbooked(error, true) as ApiError).problems[0]?.details).toContain('can be repeated with the same');
});

it.each([
  [true, /may have stored a reservation.*same Idempotency-Key/s],
  [false, /may have stored a reservation, which then ends as failed/],
])('says so if it may have been stored, with a key = %s', async (hasKey, details) => {
  for (const first of [BROKEN, new Error('Query read timeout'), failure('57P01')]) {
    const error = (await store(
      database({ end: first, stored: false }, { end: DOWN, stored: false }),
      200,
      hasKey,
    )) as ApiError;
    expect(error).toBeInstanceOf(ApiError);
    expect(unbooked(error, hasKey)).toBe(error);
    expect(error.status).toBe(503);
    expect(error.problems[0]?.details).toMatch(details);
    expect(error.problems[0]?.details).not.toContain('can be repeated');
  }
});
