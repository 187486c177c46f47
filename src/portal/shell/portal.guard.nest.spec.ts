import { describe, expect, it } from '@jest/globals';
import type { ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { claim } from '../../../test/support/claim.js';
import type { SessionsService, Visitor } from '../../accounts/sessions.service.js';
import { RequestContext } from '../../context/request-context.js';
import { ApiError } from '../../status/api-error.js';
import { MemoryStore } from '../../store/memory/memory-store.js';
import { type Store, StoreUnavailableError } from '../../store/store.js';
import { assetPath } from './assets.js';
import { PageError } from './page-error.js';
import { ForOperators, ForOps, PortalGuard, SignedIn, visitorIf } from './portal.guard.js';

class Handlers {
  open(): void {}
  @SignedIn()
  account(): void {}
  @ForOps()
  ops(): void {}
  @ForOperators()
  operator(): void {}
}
type Route = 'open' | 'account' | 'ops' | 'operator';

/** Requests by a visitor of production with this role; undefined = anonymous. */
async function pass(
  route: Route,
  role: Visitor['role'] | undefined,
  {
    method = 'GET',
    headers = {},
    params = {},
    hasSecondFactor = true,
    ip = '192.0.2.1',
    url = '/account?a=b',
    store = new MemoryStore(0),
  }: {
    method?: string;
    headers?: object;
    params?: object;
    hasSecondFactor?: boolean;
    ip?: string;
    url?: string;
    store?: Pick<MemoryStore, 'take'>;
  } = {},
) {
  const context = new RequestContext('req_1', 0);
  const request = { method, headers, params, host: 'forecourt.example', ip, url, originalUrl: url, context };
  const visitor = role && ({ accountId: 'acc_1', environment: 'production', role, hasSecondFactor } as Visitor);
  const sessions = { visitor: async () => visitor } as unknown as SessionsService;
  const execution = {
    switchToHttp: () => ({ getRequest: () => request }),
    getHandler: () => Handlers.prototype[route],
    getClass: () => Handlers,
  } as unknown as ExecutionContext;
  try {
    await new PortalGuard(sessions, new Reflector(), store as Store).canActivate(execution);
    return { status: 200, visitor: visitorIf(request as never) };
  } catch (error) {
    if (error instanceof PageError) return { status: error.status, location: error.location };
    if (error instanceof ApiError) return { status: error.status, retryAfter: error.headers['retry-after'] };
    throw error;
  }
}

describe('how many pages', () => {
  const pages = async (count: number, options: NonNullable<Parameters<typeof pass>[2]>, role?: 'developer') => {
    const statuses = new Map<number, number>();
    for (let number = 0; number < count; number += 1) {
      const { status } = await pass('open', role, options);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
    return Object.fromEntries(statuses);
  };

  claim('API4', 'Pages are limited per network and per account: beyond it, 429 with Retry-After.', async () => {
    const store = new MemoryStore(0, () => 0);
    const ip = '2001:db8:1::1';
    expect(await pages(700, { store, ip })).toEqual({ 200: 600, 429: 100 });
    expect(await pass('open', undefined, { store, ip: '2001:db8:1:2::3' })).toEqual({ status: 429, retryAfter: '1' });
    expect(await pages(400, { store, ip: '2001:db8:2::1' }, 'developer')).toEqual({ 200: 300, 429: 100 });
    expect(await pages(1, { store, ip: '2001:db8:3::1' }, 'developer')).toEqual({ 429: 1 });
    expect(await pages(1, { store, ip: '2001:db8:3::1' })).toEqual({ 200: 1 });
  });

  claim('API4', 'Unknown style sheets and scripts count as pages of their network.', async () => {
    const unknown = { url: '/assets/abc/portal.css', params: { digest: 'abc', name: 'portal.css' } };
    expect(await pages(700, { store: new MemoryStore(0, () => 0), ...unknown })).toEqual({ 200: 600, 429: 100 });
  });

  it('style sheets and scripts are not limited, and nothing is while the store is unavailable', async () => {
    const store = new MemoryStore(0, () => 0);
    const url = assetPath('portal.css');
    const [, , digest, name] = url.split('/');
    expect(await pages(700, { store, url, params: { digest, name } }, 'developer')).toEqual({ 200: 700 });
    const down = { take: () => Promise.reject(new StoreUnavailableError()) };
    expect(await pages(700, { store: down })).toEqual({ 200: 700 });
  });
});

describe('who sees a page', () => {
  it.each<[Route, Visitor['role'] | undefined, number]>([
    ['open', undefined, 200],
    ['open', 'developer', 200],
    ['account', undefined, 403],
    ['account', 'developer', 200],
    ['ops', undefined, 403],
    ['ops', 'developer', 404],
    ['ops', 'ops', 200],
    ['operator', undefined, 403],
    ['operator', 'developer', 404],
    ['operator', 'ops', 200],
  ])('%s for %s: %i', async (route, role, status) => {
    expect((await pass(route, role)).status).toBe(status);
  });

  it('an operator without a second factor is led to set one up, and back to a page', async () => {
    const led = { status: 403, location: '/account/two-factor?notice=factor_needed&next=%2Faccount%3Fa%3Db' };
    expect(await pass('ops', 'ops', { hasSecondFactor: false })).toEqual(led);
    expect(await pass('operator', 'ops', { hasSecondFactor: false })).toEqual(led);
    const form = { method: 'POST', headers: { 'sec-fetch-site': 'same-origin' }, hasSecondFactor: false };
    expect(await pass('ops', 'ops', form)).toEqual({
      status: 403,
      location: '/account/two-factor?notice=factor_needed',
    });
    expect((await pass('account', 'ops', { hasSecondFactor: false })).status).toBe(200);
  });

  it('a login leads back to a page, but not to a form that was submitted', async () => {
    expect((await pass('account', undefined)).location).toBe('/login?next=%2Faccount%3Fa%3Db');
    const own = { 'sec-fetch-site': 'same-origin' };
    expect((await pass('account', undefined, { method: 'POST', headers: own })).location).toBe(
      '/login?notice=session_over',
    );
  });

  it('an id with a null character is a 404 before the database sees it', async () => {
    expect((await pass('open', undefined, { params: { id: 'app_\0' } })).status).toBe(404);
  });
});

describe('a form that was submitted from', () => {
  it.each([
    ['this site', { 'sec-fetch-site': 'same-origin', origin: 'https://forecourt.example' }, 200],
    ['this site in an older browser', { origin: 'https://forecourt.example' }, 200],
    ['another site', { 'sec-fetch-site': 'cross-site' }, 403],
    ['a sibling host', { 'sec-fetch-site': 'same-site' }, 403],
    ['the address bar', { 'sec-fetch-site': 'none' }, 403],
    [
      'another site that sends our origin',
      { 'sec-fetch-site': 'cross-site', origin: 'https://forecourt.example' },
      403,
    ],
    ['another site in an older browser', { origin: 'https://evil.example' }, 403],
    ['another port', { origin: 'https://forecourt.example:8443' }, 403],
    ['an opaque origin', { origin: 'null' }, 403],
    ['a client that says nothing', {}, 403],
  ])('%s: %j → %i', async (_from, headers, status) => {
    expect((await pass('open', 'developer', { method: 'POST', headers })).status).toBe(status);
  });
});
