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

it('the complete example of docs/rest-manifest.md is one', () => {
  const page = readFileSync(new URL('../../../docs/rest-manifest.md', import.meta.url), 'utf8');
  const example = parse(/```yaml\n([\s\S]+?)```/.exec(page)?.[1] ?? '') as {
    readonly options: Readonly<Record<string, unknown>>;
  };
  expect(Object.keys(adapterOf(example.options))).toEqual(
    expect.arrayContaining(['searchLocations', 'searchVehicles']),
  );
});

describe('a manifest', () => {
  it('gives exactly the capabilities that it describes', () => {
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
      takesCards: false,
      takesVouchers: false,
      takesExtras: true,
      takesCoverages: true,
      changes: [],
    });
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
      'a name the request does not have',
      requesting({ query: { q: 'keywrd' } }),
      'searchLocations.request.query.q: there is no "keywrd" here; there are',
    ],
    ['a query in the path', requesting({ path: '/places?q={keyword}' }), 'searchLocations.request.path: begins with /'],
    [
      'a path that begins with a value',
      requesting({ path: '{keyword}/places' }),
      'searchLocations.request.path: begins with /',
    ],
    [
      'the answer in a request',
      requesting({ query: { q: '$answer.id' } }),
      'searchLocations.request.query.q: there is no "$answer" here; there are',
    ],
    ['half a brace', requesting({ path: '/places/{keyword' }), 'searchLocations.request.path: has a brace'],
    ['two bodies', requesting({ json: {}, form: {} }), 'searchLocations.request.form: is not sent beside json'],
    ['null in a body', requesting({ json: { a: null } }), 'searchLocations.request.json.a: is neither'],
    ['a header that is none', requesting({ headers: { 'x y': 'a' } }), 'searchLocations.request.headers'],
    [
      'a secret that is not there',
      { ...tiny, auth: { kind: 'header', headers: { 'x-key': '{apiKey}' } } },
      'auth.headers.x-key: there is no "apiKey" here; there are key, username, password, clientId, clientSecret; a credential whose environment',
    ],
    [
      'a header of a session that is none',
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
      'a secret that is not there for basic',
      { ...tiny, auth: { kind: 'basic', username: 'user' } },
      'auth.username: there is no credential "user"',
    ],
    ['a table with a word that is not ours', { ...tiny, tables: { payment: { 1: 'prepaid' } } }, 'tables.payment.1: '],
    [
      'a table of ACRISS codes with none',
      { ...tiny, tables: { sipp: { A: 'economy' } } },
      'tables.sipp.A: is no ACRISS code',
    ],
    ['a time format that is none', { ...tiny, times: { read: 'unix' } }, 'times.read: is iso'],
    ['writing instants', { ...tiny, times: { write: 'epoch-seconds' } }, 'times.write: is no wall clock'],
    ['a zone that is none', { ...tiny, times: { zone: 'Mars/Base' } }, 'times.zone: is no time zone'],
    ['no location mapping', { searchLocations: tiny.searchLocations }, 'location: is needed'],
    [
      'instants without a zone',
      { ...dune, times: { read: 'epoch-seconds' } },
      'booking.pickupZone: is needed to read instants',
    ],
    ['booking without cancelling', { ...dune, cancel: undefined }, 'cancel: is needed where bookings are made'],
    [
      'cancelling without telling what success is',
      { ...dune, cancel: { ...dune.cancel, expects: undefined } },
      'cancel.expects: is needed',
    ],
    [
      'finding by a reference that is not read',
      { ...dune, booking: { ...dune.booking, reference: undefined } },
      'booking.reference: is needed',
    ],
    [
      'holds that cannot be found',
      { ...dune, retrieve: { ...dune.retrieve, byReference: undefined } },
      'retrieve.byReference: is needed',
    ],
    [
      'holds that cannot be released',
      { ...dune, booking: { ...dune.booking, ref: {} } },
      'booking.ref.holdId: is needed to release holds',
    ],
    [
      'an amount without a currency',
      { ...dune, booking: { ...dune.booking, currency: undefined } },
      'booking.currency: is needed',
    ],
    [
      'a fee without a currency',
      { ...dune, cancel: { ...dune.cancel, currency: undefined } },
      'cancel.currency: is needed',
    ],
    [
      'a release that needs more than a key',
      releasing({ path: '/h/{total.amount}' }),
      'book.hold.release.request.path: there is no "total"',
    ],
    [
      'a rule with a refusal that is none',
      { ...tiny, errors: [{ status: 404, means: 'rejected', refusal: 'no_luck' }] },
      'errors.0.refusal: ',
    ],
    [
      'more pages than anybody reads',
      searching({ pages: { by: 'number', next: 'more', most: 1_000 } }),
      'searchLocations.pages.most: ',
    ],
  ])('with %s is refused, and its key named', (_name, manifest, fault) => {
    expect(faultsOf(manifest).join('\n')).toContain(fault);
  });

  it('of several brands says which of them is meant', () => {
    expect(faultsOf(tiny, ['Tiny', 'Tiny Plus']).join()).toContain('location.brand: is needed');
    expect(faultsOf({ ...tiny, location: { ...location, brand: 'brand' } }, ['Tiny', 'Tiny Plus'])).toEqual([]);
  });
});

describe('what tells of the renter', () => {
  const booking = (request: object) => ({ ...dune, book: { ...dune.book, hold: undefined, request } });

  it.each([
    'driver.lastName',
    'driver',
    'additionalDrivers[0].lastName',
    'payment.card.number',
    'remark',
    "join('-', [driver.lastName, reference])",
  ])('%s is refused in path, query and header, and taken in a body', (text) => {
    const refused = '" may not stand here';
    expect(faultsOf(booking({ method: 'POST', path: `/book/{${text}}` })).join()).toContain(refused);
    expect(faultsOf(booking({ method: 'POST', path: '/book', query: { q: text } })).join()).toContain(refused);
    expect(faultsOf(booking({ method: 'POST', path: '/book', headers: { 'x-q': `{${text}}` } })).join()).toContain(
      refused,
    );
    expect(faultsOf(booking({ method: 'POST', path: '/book', json: { q: text } }))).toEqual([]);
    expect(faultsOf(booking({ method: 'POST', path: '/book', form: { q: text } }))).toEqual([]);
  });

  it('cannot be reached from a URL by taking the request as a whole either', async () => {
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
