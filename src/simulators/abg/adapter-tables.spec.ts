import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { VehicleSearch } from '../../model/offers.js';

const TABLES = ['errors', 'option-codes'] as const;
afterEach(() => {
  for (const table of TABLES) jest.unstable_unmockModule(`../../adapters/abg/${table}.js`);
  jest.resetModules();
});

const place = { supplierCode: 'QLA', countryCode: 'US' };
const search: VehicleSearch = {
  pickup: place,
  dropoff: place,
  pickupDate: '2031-05-06T10:00:00',
  dropoffDate: '2031-05-09T10:00:00',
  countryCode: 'US',
  age: 35,
  brands: ['Avis'],
  sippCodes: [],
  discountCodes: [],
  loyalty: [],
  additionalDrivers: 0,
};

/** Adapter and simulator, loaded after a table was replaced. */
async function connected() {
  const { connect } = await import('./fixtures/connected-adapter.js');
  return connect();
}

/** The number of cars if a search is answered with 404 and code 223 (sold out), or the fault if it fails. */
async function carsWhenSoldOut(): Promise<unknown> {
  const { adapter, context } = await connected();
  try {
    return (await adapter.searchVehicles?.(search, await context({ verb: 'sold_out' })))?.items.length;
  } catch (error) {
    return (error as { readonly fault?: unknown }).fault;
  }
}

async function pricedOptions() {
  const { adapter, context } = await connected();
  const found = await adapter.searchVehicles?.(search, await context());
  const ref = found?.items[1]?.supplierRef ?? {};
  const asked = { ...search, brand: 'Avis', ref, extras: [], coverages: [] };
  return (await adapter.priceCheck?.(asked, await context()))?.items[0];
}

const infantSeat = async () => (await pricedOptions())?.extras.find(({ code }) => code === 'CIS')?.type;
const theft = async () => (await pricedOptions())?.coverages.find(({ code }) => code === 'TP')?.type;

async function breakErrorCode(): Promise<void> {
  const sound = await import('../../adapters/abg/errors.js');
  jest.resetModules();
  jest.unstable_mockModule('../../adapters/abg/errors.js', () => ({
    ...sound,
    abgOutcome: (status: number, code: string) => (code === '223' ? 'rejected' : sound.abgOutcome(status, code)),
  }));
}

async function breakOptionCodes(): Promise<void> {
  const sound = await import('../../adapters/abg/option-codes.js');
  jest.resetModules();
  jest.unstable_mockModule('../../adapters/abg/option-codes.js', () => ({
    ...sound,
    extraType: (code: string) => sound.extraType(code === 'CIS' ? 'CSS' : code),
    coverageOf: (code: string) => sound.coverageOf(code === 'TP' ? 'PAI' : code),
  }));
}

describe('a wrong entry in a table of the adapter changes its answers', () => {
  it.each<[string, () => Promise<unknown>, unknown, () => Promise<void>]>([
    ['an error code', carsWhenSoldOut, 0, breakErrorCode],
    ['an extra', infantSeat, 'infant_seat', breakOptionCodes],
    ['a coverage', theft, 'theft_protection', breakOptionCodes],
  ])('%s', async (_name, read, right, breakTable) => {
    expect(await read()).toBe(right);
    await breakTable();
    expect(await read()).not.toBe(right);
  });
});

describe('a request with a number of the wrong type', () => {
  it.each([
    ['an age as text', { customer: { contact: { age: '35' } } }],
    ['a quantity as text', { extras: [{ code: 'CIS', quantity: '1' }] }],
  ])('is refused: %s', async (_name, wrong) => {
    const { adapter, ask, context } = await connected();
    const searched = await adapter.searchVehicles?.(search, await context());
    const exchange = await context();
    const ref = searched?.items[1]?.supplierRef ?? {};
    await adapter.priceCheck?.({ ...search, brand: 'Avis', ref, extras: [], coverages: [] }, exchange);
    const sent = exchange.calls[0];
    const token = JSON.parse(
      ask({ method: 'GET', path: '/oauth/token/v2', headers: { client_id: 'client-one', client_secret: 'secret-one' } })
        .body,
    ) as { readonly access_token: string };
    const body = { ...(JSON.parse(sent?.body ?? '{}') as object), ...wrong };
    const answer = ask({
      method: 'POST',
      path: sent?.path ?? '',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${token.access_token}`,
        client_id: 'client-one',
      },
      body: JSON.stringify(body),
    });
    expect([answer.status, answer.body]).toEqual([400, expect.stringContaining('Invalid')]);
  });
});
