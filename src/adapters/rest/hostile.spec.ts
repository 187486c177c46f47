import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import type { BookingKey, BookRequest } from '../../model/bookings.js';
import { sampleBooking } from '../../model/fixtures/sample-booking.js';
import { type SupplierAdapter, type SupplierContext, SupplierError } from '../../model/supplier.js';
import { shippedAdapter } from './fixtures/shipped.js';

const place = { supplierCode: '11', countryCode: 'US' };
const when = { pickupDate: '2031-05-06T10:00:00', dropoffDate: '2031-05-09T10:00:00' };
const fixture = (name: string) =>
  JSON.parse(readFileSync(new URL(`./fixtures/${name}`, import.meta.url), 'utf8')) as object;
const booked = {
  number: 'D1',
  no: 1,
  reference: 'ref_0001',
  agent_ref: 'ref_0001',
  status: 'confirmed',
  st: 1,
  holdId: 'H1',
};

/** The good answers of each supplier, by operation. */
const GOOD = {
  dune: {
    searchLocations: fixture('dune/stations.200.json'),
    searchVehicles: fixture('dune/vehicles.200.json'),
    priceCheck: fixture('dune/vehicles.200.json'),
    book: { holdId: 'H1', total: { amount: '1', currency: 'USD' }, booking: booked },
    retrieve: { booking: booked },
    cancel: { status: 'cancelled', fee: { amount: '1', currency: 'USD' } },
  },
  ember: {
    searchLocations: { ok: 1, ...fixture('ember/depots.200.json') },
    searchVehicles: fixture('ember/cars.200.json'),
    priceCheck: fixture('ember/cars.200.json'),
    book: { ok: 1, booking: booked },
    modify: { ok: 1, booking: booked },
    retrieve: { ok: 1, booking: booked },
    cancel: { ok: 1, st: 4, fee_cents: 0, cur: 'USD' },
  },
} as const;

const request = (brand: string): BookRequest => ({
  ...sampleBooking,
  brand,
  ref: { rateId: 'r', grp: 1, pay: 1, from: 11, to: 11 },
  pickup: place,
  dropoff: place,
  ...when,
  countryCode: 'US',
  age: 41,
  extras: [],
  coverages: [],
  total: { amountMinor: 100, currency: 'USD' },
});

function performed(
  adapter: SupplierAdapter,
  brand: string,
  operation: string,
  context: SupplierContext,
): Promise<unknown> | undefined {
  const key: BookingKey = {
    ...request(brand),
    ...sampleBooking.driver,
    confirmationNumber: brand === 'Dune' ? 'D1' : '1',
  };
  const search = {
    ...request(brand),
    brands: [brand],
    sippCodes: [],
    discountCodes: [],
    loyalty: [],
    additionalDrivers: 0,
  };
  switch (operation) {
    case 'searchLocations':
      return adapter.searchLocations?.({ keyword: 'x', brands: [brand] }, context);
    case 'searchVehicles':
      return adapter.searchVehicles?.(search, context);
    case 'priceCheck':
      return adapter.priceCheck?.(request(brand), context);
    case 'book':
      return adapter.book?.(request(brand), context);
    case 'modify':
      return adapter.modify?.({ ...request(brand), confirmationNumber: '1', changes: ['remark'] }, context);
    case 'retrieve':
      return adapter.retrieve?.(key, context);
    default:
      return adapter.cancel?.(key, context);
  }
}

function answering(body: string): SupplierContext {
  const send = async () => ({ status: 200, headers: {}, body: Buffer.from(body) });
  return { http: { send }, requestId: 'req_one', environment: 'sandbox', now: 0 };
}

/** The outcome of an operation: its result or the SupplierError; anything else is rethrown. */
async function ended(id: 'dune' | 'ember', operation: string, body: string): Promise<unknown> {
  try {
    return await performed(ADAPTERS[id], id === 'dune' ? 'Dune' : 'Ember', operation, answering(body));
  } catch (error) {
    if (error instanceof SupplierError) return error;
    throw error;
  }
}

const ADAPTERS = { dune: shippedAdapter('dune'), ember: shippedAdapter('ember') };
const CASES = (['dune', 'ember'] as const).flatMap((id) =>
  Object.entries(GOOD[id]).map(([operation, body]) => [id, operation, JSON.stringify(body)] as const),
);

/** What a hostile or broken supplier puts in place of a value; as JSON, so undefined leaves the member out. */
const POISON = [
  undefined,
  'null',
  'true',
  '-1',
  '1e999',
  '9007199254740993',
  '0.1',
  '""',
  '"__proto__"',
  '"constructor"',
  '"NaN"',
  `"${'x'.repeat(2_000)}"`,
  '[]',
  '[[[[]]]]',
  '[null,1,"a",{}]',
  '{}',
  '{"__proto__":{"code":"x","isAdmin":true},"constructor":1,"toString":"x"}',
  `${'['.repeat(5_000)}${']'.repeat(5_000)}`,
  `[${Array(300).fill('{}').join(',')}]`,
];

/** Every position in an answer except its root: the answer as text with a marker there, which is replaced by poison. */
function marked(node: unknown, mark: string): readonly string[] {
  const places: string[] = [];
  const walk = (value: unknown, rebuild: (changed: unknown) => unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    const entries: (readonly [string, unknown])[] = Array.isArray(value) ? [['0', value[0]]] : Object.entries(value);
    for (const [key, member] of entries) {
      const put = (changed: unknown): unknown =>
        rebuild(Array.isArray(value) ? [changed, ...value.slice(1)] : { ...value, [key]: changed });
      places.push(JSON.stringify(put(mark)));
      walk(member, put);
    }
  };
  walk(node, (changed) => changed);
  return places;
}

describe.each(CASES)('%s, %s', (id, operation, good) => {
  it('succeeds with a healthy supplier', async () => {
    const result = await ended(id, operation, good);
    // One rate is priced; the fixtures have several.
    if (operation !== 'priceCheck') expect(result).not.toBeInstanceOf(SupplierError);
  });

  it('fails only as a SupplierError, whatever any value in the answer is', async () => {
    for (const text of marked(JSON.parse(good), '@@')) {
      for (const poison of POISON) {
        const body =
          poison === undefined
            ? text.replace(/"[^"]+":"@@",?|"@@",?/, '').replace(/,([}\]])/, '$1')
            : text.replace('"@@"', poison);
        const result = await ended(id, operation, body);
        // No NaN or Infinity in any of our values: as JSON they would become null, which we never use.
        if (!(result instanceof SupplierError)) expect(JSON.stringify(result)).not.toContain('null');
      }
    }
    expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined();
  }, 60_000);

  it.each([
    '',
    '<html>',
    'null',
    '[]',
    '7',
    '"text"',
    '{',
    '\u0000',
    '{"ok":1}',
    `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`,
  ])('takes %.20s for no success', async (body) => {
    expect(await ended(id, operation, body)).toBeInstanceOf(SupplierError);
  });
});

it('a list of a million rows is refused before it is read', async () => {
  const rows = Array(1_000_000).fill('{}').join(',');
  expect(
    await ended('ember', 'searchVehicles', `{"ok":1,"cur":"USD","days":1,"depots":[{}],"cars":[${rows}]}`),
  ).toMatchObject({
    fault: 'bad_payload',
    message: 'the answer has more than 20000 rows',
  });
});

describe('the list of bookings with a reference', () => {
  const { ember } = ADAPTERS;
  const key = { ...request('Ember'), ...sampleBooking.driver };
  const rows = (zones: readonly string[]): string =>
    JSON.stringify({
      ok: 1,
      bookings: zones.map((from_tz) => ({ ...booked, agent_ref: key.reference, from_ts: 1_930_000_000, from_tz })),
    });
  const listed = (zones: readonly string[]): Promise<unknown> | undefined =>
    ember.retrieve?.(key, answering(rows(zones)));
  const unknown = (count: number): string[] => Array.from({ length: count }, (_, at) => `Europe/Nowhere${at}`);

  it('is refused before it is read if it has more than 100', async () => {
    await expect(listed(unknown(101))).rejects.toMatchObject({
      fault: 'bad_payload',
      message: 'the answer has 101 bookings; the limit is 100',
    });
  });

  it('may have the usual names of zones in any case, and 50 others', async () => {
    const usual = Intl.supportedValuesOf('timeZone').slice(0, 50);
    const found = await listed([...usual.map((zone) => zone.toUpperCase()), ...unknown(50)]);
    expect(found).toMatchObject({ items: { length: 100 } });
    await expect(listed(unknown(51))).rejects.toMatchObject({
      fault: 'bad_payload',
      message: 'the answer has more than 50 unusual names of time zones',
    });
  });
});
