import { describe, expect, it } from '@jest/globals';
import { SupplierError } from '../../model/supplier.js';
import type { DialectSimulator } from '../world.js';
import { connect, type Setup } from './fixtures/connection.js';
import { bookingOf, priced, search } from './fixtures/rental.js';
import { spelled } from './spelling.js';

async function cars(setup: Setup) {
  const { adapter, context } = connect(setup);
  return adapter.searchVehicles?.(search, context);
}

async function faultOf(setup: Setup): Promise<string> {
  try {
    await cars(setup);
  } catch (error) {
    if (error instanceof SupplierError) return error.fault;
    throw error;
  }
  return 'none';
}

const OTA = 'http://www.opentravel.org/OTA/2003/05';

/** Each option as the supplier requires it, and a pattern that its answers match. */
const SWITCHES: readonly (readonly [string, NonNullable<Setup['dialect']>, RegExp])[] = [
  ['another namespace', { namespace: 'urn:ota', prefix: '' }, /<OTA_VehAvailRateRS xmlns="urn:ota"/],
  ['no namespace', { namespace: '', prefix: '' }, /<OTA_VehAvailRateRS EchoToken/],
  ['a prefix', { namespace: OTA, prefix: 'ns1' }, /<ns1:OTA_VehAvailRateRS xmlns:ns1="[^"]+" .*<ns1:Success\/>/],
  ['times without seconds', { dateSeconds: false, dateSuffix: '' }, /PickUpDateTime="2026-06-10T10:00"/],
  ['times with an offset', { dateSeconds: true, dateSuffix: '+01:00' }, /PickUpDateTime="2026-06-10T10:00:00\+01:00"/],
  ['a context of vendor codes', { vendorCodeContext: 'IATA' }, /<Vendor CodeContext="IATA" Code="AL"\/>/],
  ['an envelope', { envelope: 'soap11' }, /<soap:Envelope [^>]*><soap:Body><OTA_VehAvailRateRS/],
  ['an envelope of SOAP 1.2', { envelope: 'soap12' }, /<soap:Envelope xmlns:soap="[^"]+2003[^"]+"><soap:Body>/],
  ['requests in Latin-1', { encoding: 'iso-8859-1' }, /<Success\/>/],
  ['another version', { version: '1.007' }, /<Success\/>/],
  ['a version per request', { versions: { OTA_VehAvailRateRQ: '3.1' }, version: '2.001' }, /<Success\/>/],
  ['separate paths', { paths: { locations: '/loc', vehicles: '/avail', bookings: '/res' } }, /<Success\/>/],
  ['compressed requests', { gzip: true }, /<Success\/>/],
];

describe.each(SWITCHES)('a supplier that requires %s', (_name, dialect, answered) => {
  it('returns the same cars to an adapter with the option', async () => {
    const found = await cars({ dialect, options: dialect });
    expect(found).toEqual(await cars({}));
    expect(found?.items.length).toBeGreaterThan(0);
  });

  it('answers in the same format', () => {
    const { simulator, calls, adapter, context } = connect({ dialect, options: dialect });
    return adapter
      .searchVehicles?.(search, context)
      .then(() => expect(answerTo(simulator, calls.at(-1))).toMatch(answered));
  });

  it('refuses an adapter without the option', async () => {
    expect(await faultOf({ dialect })).toBe('rejected');
  });
});

it.each([
  ['groups', { thousands: '.', decimal: ',' } as const, ['1.234.567,89', '-1.234,50', '999']],
  ['no groups', { decimal: ',' } as const, ['1234567,89', '-1234,50', '999']],
  ['minor units', { minor: true } as const, ['123456789', '-123450', '999']],
])(
  'a supplier that writes amounts in %s returns the same cars and takes the same total',
  async (_name, money, texts) => {
    const [long, negative, yen] = texts;
    expect(spelled('<A EstimatedTotalAmount="1234567.89" MaxCharge="-1234.50" Total="999"/>', { money })).toBe(
      `<A EstimatedTotalAmount="${long}" MaxCharge="${negative}" Total="${yen}"/>`,
    );
    const connection = connect({ dialect: { money }, options: { money } });
    expect(await connection.adapter.searchVehicles?.(search, connection.context)).toEqual(await cars({}));
    const request = bookingOf(await priced(connection));
    await connection.adapter.book?.(request, connection.context);
    expect(connection.ledger.all()).toMatchObject([{ total: request.total.amountMinor }]);
  },
);

function answerTo(simulator: DialectSimulator, call: ReturnType<typeof connect>['calls'][number] | undefined): string {
  const { method = 'POST', path = '', body = '', gzip } = call ?? {};
  const headers = { ...call?.headers, ...(gzip ? { 'content-encoding': 'gzip' } : {}) };
  return String(
    simulator.answer({ method, path, headers, body, query: new URLSearchParams(), directive: { verb: 'ok' } }).body,
  );
}

describe("a supplier's own error codes", () => {
  const errorCodes = { 9001: 'no_results' } as const;
  const soldOut: Setup = { dialect: { errorCodes }, directive: { verb: 'sold_out' } };

  it('are mapped by the table: sold out is an empty answer', async () => {
    expect(await cars({ ...soldOut, options: { errorCodes } })).toEqual({ items: [], warnings: [] });
  });

  it('are a refusal without the table', async () => {
    expect(await faultOf(soldOut)).toBe('rejected');
  });
});
