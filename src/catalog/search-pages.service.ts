import { Inject, Injectable } from '@nestjs/common';
import { z } from 'zod';
import { CONFIG, type Config, KEYS, type Keys } from '../config/config.module.js';
import { type AcceptedKeys, acceptedKeys } from '../config/keys.js';
import type { RequestContext } from '../context/request-context.js';
import { byteJobs } from '../http/byte-jobs.js';
import { UnreadAnswers } from '../http/unread-answers.js';
import { compactOffers } from '../representations/compact-offers.js';
import type { JsonBytes } from '../representations/json-bytes.js';
import { seal, unseal } from '../representations/sealed-id.js';
import { ApiError } from '../status/api-error.js';
import type { KeptName, PageStore } from '../store/pages/page-store.js';
import { StoreUnavailableError } from '../store/store.js';
import { PAGE_STORE } from '../store/store.module.js';
import type { FoundVehicles } from './catalog.service.js';
import { noTablesOfGroups } from './found-facets.js';
import { withTermsAt } from './kept-terms.js';
import { joined, pagesOf, separated, withoutExpired } from './page-bytes.js';
import type { PageQuery, View } from './vehicles.schema.js';

/** What all pages of a search have in common: the first part that is kept. Part n is page n. */
type KeptHead = Omit<FoundVehicles, 'list' | 'paging'> & {
  /** The name of the list that the pages divide. */
  readonly name: FoundVehicles['list']['name'];
  readonly count: number;
  readonly endsAt: number;
};

const SEARCH_ID = /^sea_[\w-]{16}$/;
const CURSOR = 'cur_sea_';
/** Whose search it is, its id, and the number of the page. */
const cursorTuple = z.tuple([z.string(), z.string(), z.int().min(1)]);
/** The bytes of a head: rows of suppliers, entries and, at most, the request. */
const MOST_HEAD_BYTES = 4_000_000;
/** About the length of a page of the largest size. */
const PAGE_BYTES = 1_100_000;

/** Keeps searches with a `page_size`, and reads their pages (docs/searching.md#pages). */
@Injectable()
export class SearchPages {
  readonly #keys: AcceptedKeys;
  readonly #mostBytes: number;

  constructor(
    @Inject(PAGE_STORE) private readonly store: PageStore,
    private readonly unread: UnreadAnswers,
    @Inject(CONFIG) config: Config,
    @Inject(KEYS) keys: Keys,
  ) {
    this.#keys = acceptedKeys(keys, 'offer_id');
    this.#mostBytes = 2 * config.search.maxAnswerBytes;
  }

  /**
   * What is returned of a search: with a page size its first page, after keeping all of them; otherwise all offers. If there is no room or the store is unavailable,
   * the first page has no links: the suppliers were called, and their offers are valid.
   */
  async first(found: FoundVehicles, view: View, context: RequestContext): Promise<FoundVehicles> {
    const { paging, list, ...rest } = found;
    if (!paging) return inView(found, view, context);
    const pages = pagesOf(list.items, paging.size);
    const head: KeptHead = { ...rest, name: list.name, count: pages.length, endsAt: paging.endsAt };
    const isKept = await this.#keep(head, pages, context);
    return inView(this.#page(head, pages[0] ?? [], 1, isKept, view, context), view, context);
  }

  /**
   * One page of a kept search. Throws ApiError: 400 for a cursor that isn't of this search and application, 404 if the search isn't kept. Rejects
   * with StoreUnavailableError if the store doesn't answer.
   */
  async read(searchId: string, { cursor, view }: PageQuery, context: RequestContext): Promise<FoundVehicles> {
    const number = cursor === undefined ? 1 : this.#numberOf(cursor, searchId, context);
    await this.unread.reserve(context, PAGE_BYTES);
    const parts = SEARCH_ID.test(searchId) ? await this.store.read(nameOf(searchId, context), [0, number]) : undefined;
    if (!parts) throw notKept();
    const [head = Buffer.alloc(0), page = Buffer.alloc(0)] = await Promise.all(
      parts.map((part, index) =>
        byteJobs.unpack(context.policy.accountId, part, index === 0 ? MOST_HEAD_BYTES : this.#mostBytes),
      ),
    );
    await context.reauthorizeIfLate();
    const kept = JSON.parse(head.toString()) as KeptHead;
    context.trace?.setEntries(kept.merged.problems);
    const items = withTermsAt(withoutExpired(separated(page), context.startedAt), context.startedAt);
    return inView(this.#page(kept, items, number, true, view, context), view, context);
  }

  async #keep(head: KeptHead, pages: readonly (readonly JsonBytes[])[], context: RequestContext): Promise<boolean> {
    const all = [Buffer.from(JSON.stringify(head)), ...pages.map(joined)];
    // All of them wait together: each would otherwise wait again for what began in between.
    const parts = await Promise.all(all.map((bytes) => byteJobs.pack(context.policy.accountId, bytes)));
    try {
      return await this.store.save(nameOf(head.members.search_id, context), parts, head.endsAt - Date.now());
    } catch (error) {
      if (error instanceof StoreUnavailableError) return false;
      throw error;
    }
  }

  #page(
    { name, count, endsAt, members, ...rest }: KeptHead,
    items: readonly JsonBytes[],
    number: number,
    isKept: boolean,
    view: View,
    context: RequestContext,
  ): FoundVehicles {
    const link = (to: number): string | undefined => {
      if (!isKept || to < 1 || to > count) return undefined;
      const { search_id: id } = members;
      const cursor = seal(CURSOR, JSON.stringify([context.policy.applicationId, id, to]), this.#keys[0]);
      return `/cars/catalog/v1/searches/${id}?cursor=${cursor}${view === 'full' ? '' : `&view=${view}`}`;
    };
    const page = { number, count, kept_until: isKept ? new Date(endsAt).toISOString() : undefined };
    const links = { next: link(number + 1), prev: link(number - 1) };
    return { ...rest, members: { ...members, page, links }, list: { name, items } };
  }

  /** An application can't find out which searches others have: it gets the same answer for their cursors as for invented ones. */
  #numberOf(cursor: string, searchId: string, { policy }: RequestContext): number {
    const text = unseal(CURSOR, cursor, this.#keys);
    const [owner, id, number] = cursorTuple.safeParse(text && JSON.parse(text)).data ?? [];
    if (owner === policy.applicationId && id === searchId && number !== undefined) return number;
    throw ApiError.of(
      'invalid_range',
      '"cursor" is not from a page of this search. Leave it out to start with the first page.',
      { field: 'cursor' },
    );
  }
}

/** The offers in the view that the caller requested. */
async function inView(found: FoundVehicles, view: View, { accountId }: RequestContext): Promise<FoundVehicles> {
  if (view === 'full') return found;
  const { members, list } = found;
  if (list.name === 'groups') throw noTablesOfGroups();
  const compact = await compactOffers(list.items, accountId);
  return { ...found, members: { ...members, compact }, list: { ...list, items: [] } };
}

function nameOf(searchId: string, { policy: { accountId, applicationId } }: RequestContext): KeptName {
  return { owner: { accountId, applicationId }, searchId };
}

function notKept(): ApiError {
  return ApiError.of(
    'resource_failure',
    'Your application has no search with this id, or it is no longer kept: its last offer expired, or newer searches needed its room. Search again with "page_size".',
  );
}
