import { describe, expect, it } from '@jest/globals';
import type { LocationSearch } from '../../model/locations.js';
import { oneWarning } from '../../model/warnings.js';
import { outcomeOf, type Reply, scripted } from './fixtures/replies.js';
import { adapterOf, tiny } from './fixtures/tiny.js';

const request: LocationSearch = { keyword: 'Quarry', brands: ['Tiny'] };
const place = (code: string) => ({ code, name: code, country: 'US' });
const page = (code: string, more: object = {}): Reply => ({ status: 200, body: { places: [place(code)], ...more } });

function paged(pages: object, query: object = { q: 'keyword' }) {
  return adapterOf({
    ...tiny,
    searchLocations: { ...tiny.searchLocations, request: { method: 'GET', path: '/places', query }, pages },
  });
}

async function found(pages: object, query: object, ...replies: readonly Reply[]) {
  const context = scripted(...replies);
  const answer = await paged(pages, query).searchLocations?.(request, context);
  return {
    codes: answer?.items.map(({ code }) => code),
    warnings: answer?.warnings,
    paths: context.calls.map(({ path }) => path),
  };
}

describe('pages', () => {
  it('by number are read until the supplier reports the last one', async () => {
    const pages = { by: 'number', next: 'more' };
    expect(
      await found(
        pages,
        { page: 'page' },
        page('A', { more: true }),
        page('B', { more: true }),
        page('C', { more: false }),
      ),
    ).toEqual({
      codes: ['A', 'B', 'C'],
      warnings: [],
      paths: ['/places?page=1', '/places?page=2', '/places?page=3'],
    });
    const fromZero = { by: 'number', next: 'page < last', first: 0 };
    expect(
      (await found(fromZero, { page: 'page' }, page('A', { page: 0, last: 1 }), page('B', { page: 1, last: 1 }))).paths,
    ).toEqual(['/places?page=0', '/places?page=1']);
  });

  it('by cursor are requested with the cursor of the previous page', async () => {
    const answer = await found(
      { by: 'cursor', next: 'next' },
      { q: 'keyword', c: 'cursor' },
      page('A', { next: 'x&y' }),
      page('B'),
    );
    expect(answer.paths).toEqual(['/places?q=Quarry', '/places?q=Quarry&c=x%26y']);
    expect(answer.codes).toEqual(['A', 'B']);
  });

  it('by link use only its query, not its host or path', async () => {
    const link = 'https://evil.example.com/steal?from=2&q=a b#x';
    const answer = await found(
      { by: 'link', next: 'links.next' },
      { q: 'keyword' },
      page('A', { links: { next: link } }),
      page('B'),
    );
    expect(answer.paths).toEqual(['/places?q=Quarry', '/places?from=2&q=a+b']);
  });

  it('stop at the cap with a warning', async () => {
    const replies = ['A', 'B', 'C', 'D'].map((code) => page(code, { next: `after ${code}` }));
    const answer = await found({ by: 'cursor', next: 'next', most: 3 }, { c: 'cursor' }, ...replies);
    expect(answer.paths).toHaveLength(3);
    expect(answer.warnings).toEqual(oneWarning('incomplete', 'there are more than 3 pages; the rest were not read'));
  });

  it('stop at a page that repeats earlier results, without duplicate locations', async () => {
    const endless = await found(
      { by: 'number', next: 'more' },
      { page: 'page' },
      page('A', { more: true }),
      page('B', { more: true }),
    );
    expect(endless).toEqual({
      codes: ['A', 'B'],
      warnings: oneWarning('contradiction', 'page 3 repeats earlier results'),
      paths: ['/places?page=1', '/places?page=2', '/places?page=3'],
    });
    const overlapping = { status: 200, body: { places: [place('A'), place('C')] } };
    expect(
      (await found({ by: 'cursor', next: 'next' }, { c: 'cursor' }, page('A', { next: 'x' }), overlapping)).codes,
    ).toEqual(['A', 'C']);
  });

  it('continue after an empty one, and end without a warning if a rule reports the end', async () => {
    const none = { status: 200, body: { places: [], next: 'y' } };
    expect(
      (await found({ by: 'cursor', next: 'next' }, { c: 'cursor' }, page('A', { next: 'x' }), none, page('B'))).codes,
    ).toEqual(['A', 'B']);
    const searchLocations = {
      request: { method: 'GET', path: '/places', query: { page: 'page' } },
      rows: 'places',
      pages: { by: 'number', next: '`true`' },
      errors: [{ status: 404, means: 'empty' }],
    };
    const answer = await adapterOf({ ...tiny, searchLocations }).searchLocations?.(
      request,
      scripted(page('A'), { status: 404, body: {} }),
    );
    expect([answer?.items.length, answer?.warnings]).toEqual([1, []]);
  });

  it.each<readonly [by: string, next: unknown]>([
    ['link', 'https://api.example.com/places/2'],
    ['link', '?'],
    ['cursor', { token: 'x' }],
    ['cursor', 'x'.repeat(2_000)],
  ])('by %s fail if the next one cannot be requested (case %#)', async (by, next) => {
    const context = scripted(page('A', { next }), page('B'));
    expect(await outcomeOf(paged({ by, next: 'next' }).searchLocations?.(request, context))).toBe('bad_payload');
    expect(context.calls).toHaveLength(1);
  });

  it('fail if one of them fails: a partial list would look complete', async () => {
    const pages = { by: 'cursor', next: 'next' };
    const context = scripted(page('A', { next: 'x' }), { status: 503 });
    expect(await outcomeOf(paged(pages).searchLocations?.(request, context))).toBe('unavailable');
  });
});

it('the supplier is not called without the inputs that the search needs', async () => {
  const context = scripted();
  const adapter = adapterOf({ ...tiny, searchLocations: { ...tiny.searchLocations, needs: ['keyword'] } });
  expect((await adapter.searchLocations?.({ brands: ['Tiny'] }, context))?.items).toEqual([]);
  expect(context.calls).toEqual([]);
});

it('a rule may declare an error to be an empty answer', async () => {
  const step = { ...tiny.searchLocations, errors: [{ status: 404, means: 'empty' }] };
  const adapter = adapterOf({ ...tiny, searchLocations: step });
  expect(await adapter.searchLocations?.(request, scripted({ status: 404, body: {} }))).toEqual({
    items: [],
    warnings: [],
  });
  expect(await outcomeOf(adapterOf(tiny).searchLocations?.(request, scripted({ status: 404, body: {} })))).toBe(
    'bad_payload',
  );
});

it('a location of an unknown brand is unreadable, and one of a brand that was not requested is left out', async () => {
  const several = {
    ...tiny,
    location: { ...tiny.location, brand: 'brand' },
    tables: { brand: { T: 'Tiny', P: 'Tiny Plus' } },
  };
  const rows = [
    { ...place('A'), brand: 'P' },
    { ...place('B'), brand: 'X' },
  ];
  const found = async (brands: readonly string[]) => {
    const context = scripted({ status: 200, body: { places: rows } });
    return adapterOf(several, ['Tiny', 'Tiny Plus']).searchLocations?.({ ...request, brands }, context);
  };
  expect(await found(['Tiny', 'Tiny Plus'])).toMatchObject({
    items: [{ code: 'A', brand: 'Tiny Plus' }],
    warnings: oneWarning('row_dropped', 'places[1] is unreadable: brand'),
  });
  expect((await found(['Tiny']))?.items).toEqual([]);
});
