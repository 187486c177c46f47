import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import type { SupplierContext } from '../../model/supplier.js';
import { outcomeOf, scripted } from './fixtures/replies.js';
import { shippedAdapter, shippedSettings } from './fixtures/shipped.js';
import { adapterOf, faultsOf, location, tiny } from './fixtures/tiny.js';

const shipped = shippedSettings('dune').options as Readonly<Record<string, Readonly<Record<string, unknown>>>>;
const dune = { ...shipped, auth: { kind: 'none' } } as typeof shipped;
const searching = (changes: object) => ({ location, searchLocations: { ...tiny.searchLocations, ...changes } });
const releasing = (request: object) => ({
  ...dune,
  book: {
    ...dune.book,
    hold: { ...(dune.book?.hold as object), release: { request: { method: 'DELETE', ...request } } },
  },
});
const requesting = (request: object) => searching({ request: { ...tiny.searchLocations.request, ...request } });

it('the complete example of docs/rest-manifest.md is a valid manifest', () => {
  const page = readFileSync(new URL('../../../docs/rest-manifest.md', import.meta.url), 'utf8');
  const example = parse(/```yaml\n([\s\S]+?)```/.exec(page)?.[1] ?? '') as {
    readonly options: Readonly<Record<string, unknown>>;
  };
  expect(Object.keys(adapterOf(example.options))).toEqual(
    expect.arrayContaining(['searchLocations', 'searchVehicles']),
  );
});

describe('a manifest', () => {
  it('provides exactly the capabilities that it describes', () => {
    expect(Object.keys(adapterOf(tiny)).sort()).toEqual(['brandsPerCall', 'searchLocations']);
    expect(Object.keys(shippedAdapter('dune')).sort()).toEqual([
      'book',
      'booking',
      'brandsPerCall',
      'cancel',
      'priceCheck',
      'retrieve',
      'searchLocations',
      'searchVehicles',
    ]);
    expect(shippedAdapter('dune').booking).toEqual({
      findsByReference: true,
      findsByReferenceAlone: true,
      takesCards: false,
      takesVouchers: false,
      takesExtras: true,
      takesCoverages: true,
      takesAdditionalDrivers: true,
      takesLatePickup: true,
      changes: [],
      restates: expect.any(Function),
    });
    // Neither its bookings nor its changes have a member for them.
    expect(shippedAdapter('ember').booking).toMatchObject({ takesAdditionalDrivers: false, takesLatePickup: false });
    const told = (changes: readonly string[], member: object = {}) => {
      const request = {
        method: 'PATCH',
        path: '/v1/bookings/{confirmationNumber}',
        json: { note: 'remark', ...member },
      };
      const manifest = { ...dune, modify: { changes, request, booking: 'booking' } };
      const { takesAdditionalDrivers, takesLatePickup } = adapterOf(manifest).booking ?? {};
      return [takesAdditionalDrivers, takesLatePickup];
    };
    // Only a change of the rental restates the booking.
    expect(told(['contact', 'arrival', 'remark'])).toEqual([true, true]);
    expect(told(['rental'])).toEqual([false, false]);
    expect(told(['rental'], { drivers: 'additionalDrivers' })).toEqual([true, false]);
    const restates = (json: object, ...changes: string[]) => {
      const request = { method: 'PATCH', path: '/v1/bookings/{confirmationNumber}', json };
      const manifest = { ...dune, modify: { changes: ['contact', ...changes], request, booking: 'booking' } };
      return adapterOf(manifest).booking?.restates?.({ changes: ['contact'] });
    };
    expect(restates({ mail: 'driver.email' })).toBe(false);
    for (const value of ['pickupDate', 'dropoff.supplierCode', 'ref.rate', 'extras[].code'])
      expect([value, restates({ value })]).toEqual([value, true]);
    // All changes have one request.
    expect(restates({ mail: 'driver.email' }, 'rental')).toBe(true);
    expect(shippedAdapter('ember').booking?.changes).toEqual([
      'contact',
      'arrival',
      'remark',
      'extras',
      'coverages',
      'rental',
    ]);
  });

  it.each<readonly [name: string, manifest: Readonly<Record<string, unknown>>, fault: string]>([
    ['an unknown key', { ...tiny, retries: 3 }, 'Unrecognized key: "retries"'],
    ['a syntax error', searching({ rows: 'places[' }), 'searchLocations.rows: '],
    [
      'a syntax error deep in a body',
      requesting({ method: 'POST', json: { a: [{ b: 'keyword ==' }] } }),
      'searchLocations.request.json.a.0.b: ',
    ],
    [
      'a name that the request does not have',
      requesting({ query: { q: 'keywrd' } }),
      'searchLocations.request.query.q: there is no "keywrd" here; available names:',
    ],
    [
      'a query in the path',
      requesting({ path: '/places?q={keyword}' }),
      'searchLocations.request.path: must begin with /',
    ],
    [
      'a path that begins with a value',
      requesting({ path: '{keyword}/places' }),
      'searchLocations.request.path: must begin with /',
    ],
    [
      'the answer in a request',
      requesting({ query: { q: '$answer.id' } }),
      'searchLocations.request.query.q: there is no "$answer" here; available names:',
    ],
    ['half a brace', requesting({ path: '/places/{keyword' }), 'searchLocations.request.path: has an unmatched brace'],
    ['two bodies', requesting({ json: {}, form: {} }), 'searchLocations.request.form: cannot be combined with json'],
    ['null in a body', requesting({ json: { a: null } }), 'searchLocations.request.json.a: must be an expression'],
    ['an invalid header name', requesting({ headers: { 'x y': 'a' } }), 'searchLocations.request.headers'],
    [
      'a missing secret',
      { ...tiny, auth: { kind: 'header', headers: { 'x-key': '{apiKey}' } } },
      'auth.headers.x-key: there is no "apiKey" here; available names: key, username, password, clientId, clientSecret; a credential whose environment',
    ],
    [
      'an invalid header name in a session',
      {
        ...tiny,
        auth: {
          kind: 'token',
          request: { method: 'POST', path: '/login' },
          token: 'id',
          expiresInSeconds: 60,
          headers: { 'x y': '{token}' },
        },
      },
      'auth.headers.x y: ',
    ],
    [
      'a missing secret for basic',
      { ...tiny, auth: { kind: 'basic', username: 'user' } },
      'auth.username: there is no credential "user"',
    ],
    ['a table with an unknown word', { ...tiny, tables: { payment: { 1: 'prepaid' } } }, 'tables.payment.1: '],
    [
      'a table with an invalid ACRISS code',
      { ...tiny, tables: { sipp: { A: 'economy' } } },
      'tables.sipp.A: is not an ACRISS code',
    ],
    ['an invalid time format', { ...tiny, times: { read: 'unix' } }, 'times.read: must be iso'],
    ['writing instants', { ...tiny, times: { write: 'epoch-seconds' } }, 'times.write: must be iso or a pattern'],
    ['an unknown time zone', { ...tiny, times: { zone: 'Mars/Base' } }, 'times.zone: is not a time zone'],
    ['no location mapping', { searchLocations: tiny.searchLocations }, 'location: is required'],
    [
      'instants without a zone',
      { ...dune, times: { read: 'epoch-seconds' } },
      'booking.pickupZone: is required to convert instants',
    ],
    [
      'instants of an offer without a zone',
      { ...dune, times: { read: 'epoch-seconds' } },
      'offer.dropoffZone: is required to convert instants',
    ],
    ['bookings without cancellation', { ...dune, cancel: undefined }, 'cancel: is required if the manifest has book'],
    [
      'cancellation without a success condition',
      { ...dune, cancel: { ...dune.cancel, expects: undefined } },
      'cancel.expects: is required',
    ],
    [
      'lookup by a reference that is not mapped',
      { ...dune, booking: { ...dune.booking, reference: undefined } },
      'booking.reference: is required',
    ],
    [
      'holds that cannot be found',
      { ...dune, retrieve: { ...dune.retrieve, byReference: undefined } },
      'retrieve.byReference: is required',
    ],
    [
      'holds that cannot be released',
      { ...dune, booking: { ...dune.booking, ref: {} } },
      'booking.ref.holdId: is required to release leftover holds',
    ],
    [
      'an amount without a currency',
      { ...dune, booking: { ...dune.booking, currency: undefined } },
      'booking.currency: is required',
    ],
    [
      'a fee without a currency',
      { ...dune, cancel: { ...dune.cancel, currency: undefined } },
      'cancel.currency: is required',
    ],
    [
      'a release that needs more than a key',
      releasing({ path: '/h/{total.amount}' }),
      'book.hold.release.request.path: there is no "total"',
    ],
    [
      'a rule with an unknown refusal',
      { ...tiny, errors: [{ status: 404, means: 'rejected', refusal: 'no_luck' }] },
      'errors.0.refusal: ',
    ],
    [
      'too many pages',
      searching({ pages: { by: 'number', next: 'more', most: 1_000 } }),
      'searchLocations.pages.most: ',
    ],
  ])('with %s is refused, and its key named', (_name, manifest, fault) => {
    expect(faultsOf(manifest).join('\n')).toContain(fault);
  });

  it('for several brands must map the brand', () => {
    expect(faultsOf(tiny, ['Tiny', 'Tiny Plus']).join()).toContain('location.brand: is required');
    expect(faultsOf({ ...tiny, location: { ...location, brand: 'brand' } }, ['Tiny', 'Tiny Plus'])).toEqual([]);
  });
});

describe('personal data of the renter', () => {
  const booking = (request: object) => ({ ...dune, book: { ...dune.book, hold: undefined, request } });

  it.each([
    'driver.lastName',
    'driver',
    'additionalDrivers[0].lastName',
    'payment.card.number',
    'remark',
    "join('-', [driver.lastName, reference])",
  ])('%s is rejected in path, query and header, and accepted in a body', (text) => {
    const refused = '" can\'t be used here';
    expect(faultsOf(booking({ method: 'POST', path: `/book/{${text}}` })).join()).toContain(refused);
    expect(faultsOf(booking({ method: 'POST', path: '/book', query: { q: text } })).join()).toContain(refused);
    expect(faultsOf(booking({ method: 'POST', path: '/book', headers: { 'x-q': `{${text}}` } })).join()).toContain(
      refused,
    );
    expect(faultsOf(booking({ method: 'POST', path: '/book', json: { q: text } }))).toEqual([]);
    expect(faultsOf(booking({ method: 'POST', path: '/book', form: { q: text } }))).toEqual([]);
  });

  it('cannot reach a URL through the complete request', async () => {
    const context: SupplierContext & ReturnType<typeof scripted> = scripted({ status: 200, body: {} });
    const adapter = adapterOf({
      ...dune,
      retrieve: {
        byNumber: {
          booking: 'booking',
          request: {
            method: 'GET',
            path: '/b',
            query: { all: 'to_string(@)' },
            headers: { 'x-all': '{to_string(@)}' },
          },
        },
        byReference: (dune.retrieve as { readonly byReference: object }).byReference,
      },
    });
    const place = { countryCode: 'US' };
    const key = {
      brand: 'Tiny',
      ref: {},
      reference: 'ref_0001',
      confirmationNumber: 'D1',
      firstName: 'Ada',
      lastName: 'Sample',
    };
    await outcomeOf(adapter.retrieve?.({ ...key, pickup: place, pickupDate: '2031-05-06T10:00:00' }, context));
    const [call] = context.calls;
    expect(decodeURIComponent(call?.path ?? '')).toContain('ref_0001');
    expect(call?.headers?.['x-all']).toContain('ref_0001');
    expect(JSON.stringify(call)).not.toMatch(/Ada|Sample/);
  });
});
