import { afterAll, describe, expect, it, jest } from '@jest/globals';
import { configSchema } from '../config/config.schema.js';
import { loadKeys } from '../config/keys.js';
import { contextOfApplication } from '../context/fixtures/context.js';
import { byteJobs } from '../http/byte-jobs.js';
import { UnreadAnswers } from '../http/unread-answers.js';
import { MemoryPages } from '../store/pages/memory-pages.js';
import type { PageStore } from '../store/pages/page-store.js';
import { RedisPages } from '../store/pages/redis-pages.js';
import { StoreUnavailableError } from '../store/store.js';
import type { FoundVehicles } from './catalog.service.js';
import { SearchPages } from './search-pages.service.js';

const config = configSchema.parse({ secret: 'a secret of the unit tests, long enough' });
const keys = loadKeys(config);
const unread = new UnreadAnswers(config.http);
const context = contextOfApplication('app_1', Date.now());
const SEARCH = 'sea_AAAAAAAAAAAAAAAA';
const budgets = { accountBytes: 100_000, totalBytes: 100_000 };

/** A search with 25 offers in pages of ten. */
function found(endsAt = Date.now() + 60_000): FoundVehicles {
  return {
    merged: { partial: true, problems: [{ reason: 'supplier_failure', supplier: 'bravo', cause: 'timeout' }] },
    members: {
      search_id: SEARCH,
      request: {},
      conversion: undefined,
      vehicles_found: 30,
      suppliers: [],
      facets: undefined,
      groups_found: undefined,
      page: undefined,
      links: undefined,
      compact: undefined,
    },
    list: { name: 'vehicles', items: Array.from({ length: 25 }, (_, index) => Buffer.from(`{"offer":${index}}`)) },
    skipped: ['dune'],
    paging: { size: 10, endsAt },
  };
}

const offers = ({ list }: FoundVehicles) => list.items.map((item) => JSON.parse(item.toString()).offer);
const unreachable = (): PageStore => {
  const options = { environment: 'sandbox', commandTimeoutMs: 200, onError: () => undefined } as const;
  return new RedisPages('redis://127.0.0.1:1', budgets, options);
};
const cursorIn = (link: string | undefined) => new URL(link ?? '', 'http://x').searchParams.get('cursor') ?? '';

describe('SearchPages', () => {
  const stores: PageStore[] = [];
  afterAll(() => Promise.all(stores.map((store) => store.close())));
  const over = (store: PageStore): SearchPages => {
    stores.push(store);
    return new SearchPages(store, unread, config, keys);
  };

  it('leaves a search without page_size as it is', async () => {
    const { paging: _none, ...whole } = found();
    expect(await over(new MemoryPages(budgets)).first(whole, 'full', context)).toBe(whole);
  });

  it('returns every page with what all have in common', async () => {
    const pages = over(new MemoryPages(budgets));
    const first = await pages.first(found(), 'full', context);
    const second = await pages.read(SEARCH, { cursor: cursorIn(first.members.links?.next), view: 'full' }, context);
    const third = await pages.read(SEARCH, { cursor: cursorIn(second.members.links?.next), view: 'full' }, context);
    expect([first, second, third].map((page) => offers(page).length)).toEqual([10, 10, 5]);
    expect([first, second, third].flatMap(offers)).toEqual(Array.from({ length: 25 }, (_, index) => index));
    expect([third.members.links?.next, first.members.links?.prev]).toEqual([undefined, undefined]);
    for (const page of [second, third]) {
      expect([page.merged, page.skipped, page.members.vehicles_found]).toEqual([found().merged, ['dune'], 30]);
    }
    const back = await pages.read(SEARCH, { cursor: cursorIn(third.members.links?.prev), view: 'full' }, context);
    expect(offers(back)).toEqual(offers(second));
  });

  it('leaves out what has expired since, and keeps the rest', async () => {
    const pages = over(new MemoryPages(budgets));
    const offer = (index: number, atMs: number) =>
      Buffer.from(`{"offer_id":"off_1","expires_at":"${new Date(atMs).toISOString()}","offer":${index}}`);
    const items = Array.from({ length: 11 }, (_, index) => offer(index, Date.now() + (index < 3 ? 10_000 : 60_000)));
    const first = await pages.first({ ...found(), list: { name: 'vehicles', items } }, 'full', context);
    expect([offers(first).length, first.members.page?.count]).toEqual([10, 2]);
    const later = contextOfApplication('app_1', Date.now() + 30_000);
    const again = await pages.read(SEARCH, { view: 'full' }, later);
    expect([offers(again), again.members.page?.count]).toEqual([[3, 4, 5, 6, 7, 8, 9], 2]);
  });

  it('packs and unpacks in turns of the account', async () => {
    const [pack, unpack] = [jest.spyOn(byteJobs, 'pack'), jest.spyOn(byteJobs, 'unpack')];
    const pages = over(new MemoryPages(budgets));
    await pages.first(found(), 'full', context);
    await pages.read(SEARCH, { view: 'full' }, context);
    const callers = [...pack.mock.calls, ...unpack.mock.calls].map(([caller]) => caller);
    jest.restoreAllMocks();
    expect([callers.length, new Set(callers)]).toEqual([4 + 2, new Set([context.policy.accountId])]);
  });

  it('keeps groups as groups', async () => {
    const pages = over(new MemoryPages(budgets));
    const { list, ...rest } = found();
    const first = await pages.first({ ...rest, list: { ...list, name: 'groups' } }, 'full', context);
    const second = await pages.read(SEARCH, { cursor: cursorIn(first.members.links?.next), view: 'full' }, context);
    expect([first.list.name, second.list.name]).toEqual(['groups', 'groups']);
    await expect(pages.read(SEARCH, { view: 'compact' }, context)).rejects.toThrow('group_by');
  });

  it.each<[string, () => PageStore, number]>([
    ['there is no room', () => new MemoryPages({ ...budgets, accountBytes: 600 }), 60_000],
    ['all offers have expired already', () => new MemoryPages(budgets), -1],
    ['Redis is unavailable', unreachable, 60_000],
  ])('returns the first page without links if %s', async (_why, store, lifeMs) => {
    const { members, list } = await over(store()).first(found(Date.now() + lifeMs), 'full', context);
    expect(list.items).toHaveLength(10);
    expect([members.page, members.links]).toEqual([{ number: 1, count: 3 }, {}]);
  });

  it('a page that Redis can’t be asked for is an outage, not a missing search', async () => {
    await expect(over(unreachable()).read(SEARCH, { view: 'full' }, context)).rejects.toThrow(StoreUnavailableError);
  });
});
