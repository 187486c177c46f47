import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { claim } from '../../../test/support/claim.js';
import { threadMs } from '../../../test/support/thread-time.js';
import type { VehicleSearch } from '../../model/offers.js';
import { SupplierError } from '../../model/supplier.js';
import { outcomeOf, scripted } from './fixtures/replies.js';
import { adapterOf, faultsOf, tiny } from './fixtures/tiny.js';
import { treeOfXml, xmlOf } from './xml.js';

const PAGE = readFileSync(new URL('../../../docs/rest-manifest-xml.md', import.meta.url), 'utf8');
const example = (name: string): string =>
  new RegExp(`<!-- test:${name} -->\n\`\`\`\\w+\n([\\s\\S]+?)\`\`\``).exec(PAGE)?.[1] ?? '';
const manifest = parse(example('xml-manifest')) as Readonly<Record<string, unknown>> & { readonly offer: object };
const ANSWER = example('xml-answer');

const search: VehicleSearch = {
  pickup: { supplierCode: 'BGO1', countryCode: 'NO' },
  dropoff: { supplierCode: 'BGO1', countryCode: 'NO' },
  pickupDate: '2031-05-06T10:00:00',
  dropoffDate: '2031-05-09T10:00:00',
  countryCode: 'NO',
  age: 41,
  brands: ['Tiny'],
  sippCodes: [],
  discountCodes: [],
  loyalty: [],
  additionalDrivers: 0,
};
const adapter = adapterOf(manifest);
const searched = (body: string, status = 200) => adapter.searchVehicles?.(search, scripted({ status, body }));
const eur = (amountMinor: number) => ({ amountMinor, currency: 'EUR' });

describe('the XML example of docs/rest-manifest-xml.md', () => {
  it('sends the search as XML', async () => {
    const asked = scripted({ status: 200, body: ANSWER });
    await adapter.searchVehicles?.({ ...search, pickup: { supplierCode: `<&"'\u0000`, countryCode: 'NO' } }, asked);
    expect(asked.calls[0]).toMatchObject({
      headers: { 'content-type': 'application/xml; charset=utf-8', 'x-api-key': 'secret-key' },
      body:
        '<?xml version="1.0" encoding="UTF-8"?><search version="2"><from id="&lt;&amp;&quot;&apos;">' +
        '<at>2031-05-06T10:00:00</at></from><to id="BGO1"><at>2031-05-09T10:00:00</at></to><driver age="41"/></search>',
    });
  });

  it('reads the offers', async () => {
    expect(await searched(ANSWER)).toMatchObject({
      items: [
        {
          supplierRef: { rate: 'r1' },
          vehicle: { name: 'Talon & Co 500', sippCode: 'ECMR' },
          pickup: { code: 'BGO1', name: 'Bergen Airport', address: { countryCode: 'NO' } },
          pickupDate: '2031-05-06T10:00:00',
          dropoffDate: '2031-05-09T10:00:00',
          price: { total: eur(21_050), taxes: eur(3_508) },
          rentalDays: 3,
        },
      ],
      warnings: [],
    });
  });

  it('distinguishes no cars, a refusal and an answer without the list', async () => {
    expect(await searched('<cars/>')).toEqual({ items: [], warnings: [] });
    expect(await searched('<fault code="NO_CARS"/>')).toEqual({ items: [], warnings: [] });
    expect(await outcomeOf(searched('<fault code="OTHER"/>'))).toBe('bad_payload');
    expect(await outcomeOf(searched('<vehicles/>'))).toBe('bad_payload');
    const unlisted = adapterOf({ ...manifest, lists: [] });
    expect(await outcomeOf(unlisted.searchVehicles?.(search, scripted({ status: 200, body: '<cars/>' })))).toBe(
      'bad_payload',
    );
  });

  it('reports an unreadable car as a warning and keeps the others', async () => {
    const found = await searched(ANSWER.replace('</l:cars>', '<car rate="r2"><total>1,2,3</total></car></l:cars>'));
    expect(found?.items).toHaveLength(1);
    expect(found?.warnings.map(({ kind }) => kind)).toEqual(['amount_rejected']);
  });
});

describe('a hostile XML answer', () => {
  claim.each([
    ['an external entity', '<!DOCTYPE cars [<!ENTITY x SYSTEM "file:///etc/passwd">]><cars>&x;</cars>'],
    ['a DOCTYPE without entities', '<!DOCTYPE cars><cars/>'],
    ['an undeclared entity', '<cars>&nbsp;</cars>'],
    ['deep nesting', `<cars>${'<a>'.repeat(100)}${'</a>'.repeat(100)}</cars>`],
    ['too many elements', `<cars>${'<a/>'.repeat(200_001)}</cars>`],
    ['too many cars', `<cars>${'<car/>'.repeat(1_001)}</cars>`],
    ['a cut answer', ANSWER.slice(0, -20)],
    ['JSON', '{"cars": []}'],
    ['nothing', ''],
    ['an HTML page', '<html><cars/></html>'],
  ])(
    ['API10', 'V1.5.1'],
    'A REST supplier with XML can neither declare entities nor exceed the limits of nesting and elements.',
    '%s',
    async (_name, body) => {
      expect(await outcomeOf(searched(body))).toBe('bad_payload');
    },
  );

  it.each([
    ['<fault code="NO_CARS"/>', 'done', 'done'],
    ['<fault code="NO_CARS"', 'unavailable', 'bad_payload'],
    ['<HTML><fault code="NO_CARS"/></HTML>', 'unavailable', 'bad_payload'],
  ])('is seen by rules only as a complete document other than an HTML page: %s', async (body, error, missing) => {
    const ruled = adapterOf({ ...manifest, errors: [{ status: [503, 404], means: 'empty' }] });
    const outcomeAt = (status: number) => outcomeOf(ruled.searchVehicles?.(search, scripted({ status, body })));
    expect([await outcomeAt(503), await outcomeAt(404)]).toEqual([error, missing]);
  });

  it('fails only as a SupplierError, whatever any of its elements is', async () => {
    const poison = ['', '<a/>', '<a>1</a><a/>', 'x'.repeat(2_000), '<__proto__ isAdmin="1"/>', '<_ a="1"/><_/>'];
    for (const part of ANSWER.match(/>[^<>]+</g) ?? []) {
      for (const replaced of poison) {
        const outcome = await outcomeOf(searched(ANSWER.replace(part, `>${replaced}<`)));
        expect(['done', 'bad_payload']).toContain(outcome);
      }
    }
    expect(({} as { isAdmin?: string }).isAdmin).toBeUndefined();
  });
});

describe('the tree of an XML answer', () => {
  const tree = (xml: string, lists: readonly (readonly [string, readonly string[]])[] = []) =>
    treeOfXml({ headers: {}, body: Buffer.from(xml) }, new Map(lists));

  it.each<readonly [string, string, unknown]>([
    ['text', '<a> x <![CDATA[<y>]]> </a>', { a: 'x <y>' }],
    ['nothing', '<a/>', { a: '' }],
    ['attributes and text', '<a b="1" xml:c="2">x</a>', { a: { _b: '1', _c: '2', _: 'x' } }],
    ['children, without prefixes and declarations', '<s:a xmlns:s="u" xmlns="v"><s:b>1</s:b></s:a>', { a: { b: '1' } }],
    ['repeated children', '<a><b>1</b><c/><b x="2"/><b/></a>', { a: { b: ['1', { _x: '2' }, ''], c: '' } }],
    ['a child with the name of an attribute', '<a b="1"><b>2</b></a>', { a: { _b: '1', b: '2' } }],
  ])('has %s', (_what, xml, expected) => {
    expect(tree(xml)).toEqual(expected);
  });

  it.each<readonly [string, unknown]>([
    ['<a/>', { a: { b: [] } }],
    ['<a><b/></a>', { a: { b: [''] } }],
    ['<a><b>1</b><b>2</b></a>', { a: { b: ['1', '2'] } }],
    ['<c><b>1</b></c>', { c: { b: '1' } }],
  ])('has a list where the manifest says so: %s', (xml, expected) => {
    expect(tree(xml, [['a', ['b']]])).toEqual(expected);
  });

  it('has members with any name, without changing any object', () => {
    const { a } = tree('<a __proto__="1"><__proto__><isAdmin>1</isAdmin></__proto__><constructor/></a>') as {
      readonly a: object;
    };
    expect(Object.keys(a)).toEqual(expect.arrayContaining(['__proto__', 'constructor']));
    expect(Object.getPrototypeOf(a)).toBe(Object.prototype);
  });

  it('is read in time proportional to its size', () => {
    const begun = threadMs();
    tree(`<a>${'<b/>'.repeat(199_000)}</a>`, [['b', ['c', 'd', 'e', 'f', 'g']]]);
    expect(threadMs() - begun).toBeLessThan(3_000);
  });

  it('follows the encoding of the content type', () => {
    const headers = { 'content-type': 'text/xml; charset=iso-8859-1' };
    expect(treeOfXml({ headers, body: Buffer.from('<a>ü</a>', 'latin1') }, new Map())).toEqual({ a: 'ü' });
    expect(() => treeOfXml({ headers: {}, body: Buffer.from('<a>ü</a>', 'latin1') }, new Map())).toThrow(SupplierError);
  });
});

describe('an XML body', () => {
  claim(
    ['suppliers', 'V1.2.1'],
    'Any text in an XML body of a REST manifest stays inside its element or attribute.',
    () => {
      const nasty = `</a><b x="1">&'\u0000`;
      const body = xmlOf({ a: { _v: nasty, _: nasty, c: nasty } });
      const read = `</a><b x="1">&'`;
      expect(treeOfXml({ headers: {}, body: Buffer.from(body) }, new Map())).toEqual({
        a: { _v: read, _: read, c: read },
      });
    },
  );

  it('repeats the element for each member of a list and leaves out absent values', () => {
    expect(xmlOf({ a: { b: [1, { _c: true }, null], d: undefined, e: [] } })).toBe(
      '<?xml version="1.0" encoding="UTF-8"?><a><b>1</b><b c="true"/></a>',
    );
  });

  const sending = (xml: unknown, more: object = {}) => ({
    ...tiny,
    searchLocations: { ...tiny.searchLocations, request: { method: 'POST', path: '/places', xml, ...more } },
  });
  it.each<readonly [string, Readonly<Record<string, unknown>>, string]>([
    ['two roots', sending({ a: 'keyword', b: 'keyword' }), 'xml: must have exactly one member, the root element'],
    ['no element', sending('keyword'), 'xml: must have exactly one member, the root element'],
    [
      'two roots in a list',
      sending({ a: ['keyword', 'keyword'] }),
      'xml: must have exactly one member, the root element',
    ],
    ['an attribute as its root', sending({ _a: 'keyword' }), 'xml: must have exactly one member, the root element'],
    ['an impossible name', sending({ a: { 'b c': 'keyword' } }), 'xml.a.b c: is not a name in XML; use letters'],
    ['an attribute with members', sending({ a: { _b: { c: 1 } } }), 'xml.a._b: is an attribute or text and must be'],
    ['an unknown value', sending({ a: [{ b: 'keywrd' }] }), 'xml.a.0.b: there is no "keywrd" here'],
    ['a JSON body too', sending({ a: 1 }, { json: {} }), 'xml: cannot be combined with json; keep one of them'],
  ])('is rejected with %s when the file is read', (_what, options, fault) => {
    expect(faultsOf(options).join('\n')).toContain(`searchLocations.request.${fault}`);
  });

  it.each<readonly [object, string]>([
    [{ lists: ['cars.car'] }, 'lists: is allowed only with format: xml; remove it'],
    [{ format: 'xml', lists: ['car'] }, 'lists.0: must be parent.child, two names of elements'],
    [{ format: 'xml', lists: Array(51).fill('a.b') }, 'lists: '],
    [
      { format: 'xml', lists: Array.from({ length: 11 }, (_, at) => `a.b${at}`) },
      'lists: has 11 lists in a; at most 10',
    ],
    [{ format: 'yaml' }, 'format: '],
  ])('a manifest with %j is rejected', (options, fault) => {
    expect(faultsOf({ ...tiny, ...options }).join('\n')).toContain(fault);
  });
});
