import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { OTA_ERRORS } from './answers.js';

const TABLES = ['errors', 'status-words', 'charge-codes', 'option-codes'] as const;
afterEach(() => {
  for (const table of TABLES) jest.unstable_unmockModule(`../../adapters/ota-xml/${table}.js`);
  jest.resetModules();
});

/** The adapter's error table with a different reason for one code. */
async function errorCodesWith(code: string, reason: 'invalid_rate' | 'rejected'): Promise<void> {
  const sound = await import('../../adapters/ota-xml/errors.js');
  jest.resetModules();
  jest.unstable_mockModule('../../adapters/ota-xml/errors.js', () => ({
    ...sound,
    errorReason: (...named: Parameters<typeof sound.errorReason>) =>
      named[1] === code ? reason : sound.errorReason(...named),
  }));
}

/** Adapter and simulator, loaded after a table was replaced. */
async function connected() {
  const [{ connect }, rental] = await Promise.all([import('./fixtures/connection.js'), import('./fixtures/rental.js')]);
  return { connect, ...rental };
}

async function refusalOfDearerBooking(): Promise<string> {
  const { connect, priced, bookingOf, failureOf } = await connected();
  const link = connect();
  const accepted = await priced(link);
  return failureOf(link.adapter.book?.(bookingOf(accepted), link.contextOf({ verb: 'price', percent: 10 })));
}

async function bookedStatus(): Promise<string | undefined> {
  const { connect, priced, bookingOf, failureOf } = await connected();
  const link = connect();
  const asked = link.adapter.book?.(bookingOf(await priced(link)), link.context);
  const failure = await failureOf(asked);
  return failure === 'none' ? (await asked)?.status : failure;
}

async function offered() {
  const { connect, priced } = await connected();
  return (await priced(connect())).offer;
}

const oneWayFee = async () =>
  (await offered()).price.items.find(({ description }) => description === 'One-way fee')?.kind;
const childSeat = async () => (await offered()).extras.find(({ code }) => code === '8')?.type;

describe('a wrong entry in a table of the adapter changes its answers', () => {
  it.each([
    ['an error code', refusalOfDearerBooking, 'rejected price_changed', () => errorCodesWith('309', 'invalid_rate')],
    [
      'a status word',
      bookedStatus,
      'confirmed',
      async () => {
        const sound = await import('../../adapters/ota-xml/status-words.js');
        jest.resetModules();
        jest.unstable_mockModule('../../adapters/ota-xml/status-words.js', () => ({
          ...sound,
          statusOfWord: (...named: Parameters<typeof sound.statusOfWord>) =>
            named[0] === 'Reserved' ? 'on_request' : sound.statusOfWord(...named),
        }));
      },
    ],
    [
      'a purpose of charges',
      oneWayFee,
      'one_way',
      async () => {
        const sound = await import('../../adapters/ota-xml/charge-codes.js');
        jest.resetModules();
        jest.unstable_mockModule('../../adapters/ota-xml/charge-codes.js', () => ({
          ...sound,
          purposeOf: (...named: Parameters<typeof sound.purposeOf>) =>
            sound.purposeOf(named[0] === '2' ? '6' : named[0], named[1]),
        }));
      },
    ],
    [
      'an equipment code',
      childSeat,
      'toddler_seat',
      async () => {
        const sound = await import('../../adapters/ota-xml/option-codes.js');
        jest.resetModules();
        jest.unstable_mockModule('../../adapters/ota-xml/option-codes.js', () => ({
          ...sound,
          equipmentOf: (code: string | undefined) => sound.equipmentOf(code === '8' ? '9' : code),
        }));
      },
    ],
  ])('%s', async (_name, read, right, breakTable) => {
    expect(await read()).toBe(right);
    await breakTable();
    expect(await read()).not.toBe(right);
  });

  it.each(Object.entries(OTA_ERRORS))(
    '%s has the same meaning in adapter and simulator',
    async (_name, { type, code, reason }) => {
      const { errorReason } = await import('../../adapters/ota-xml/errors.js');
      expect(errorReason(String(type), String(code), {})).toBe(reason);
    },
  );
});
