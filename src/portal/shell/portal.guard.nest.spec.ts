import { describe, expect, it } from '@jest/globals';
import type { ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { SessionsService, Visitor } from '../../accounts/sessions.service.js';
import { PageError } from './page-error.js';
import { ForOps, PortalGuard, SignedIn, visitorIf } from './portal.guard.js';

class Handlers {
  open(): void {}
  @SignedIn()
  account(): void {}
  @ForOps()
  ops(): void {}
}
type Route = 'open' | 'account' | 'ops';

/** Requests by a visitor of production with this role; undefined = anonymous. */
async function pass(
  route: Route,
  role: Visitor['role'] | undefined,
  {
    method = 'GET',
    headers = {},
    params = {},
    hasSecondFactor = true,
  }: { method?: string; headers?: object; params?: object; hasSecondFactor?: boolean } = {},
) {
  const request = { method, headers, params, host: 'forecourt.example', originalUrl: '/account?a=b' };
  const visitor = role && ({ accountId: 'acc_1', environment: 'production', role, hasSecondFactor } as Visitor);
  const sessions = { visitor: async () => visitor } as unknown as SessionsService;
  const context = {
    switchToHttp: () => ({ getRequest: () => request }),
    getHandler: () => Handlers.prototype[route],
    getClass: () => Handlers,
  } as unknown as ExecutionContext;
  try {
    await new PortalGuard(sessions, new Reflector()).canActivate(context);
    return { status: 200, visitor: visitorIf(request as never) };
  } catch (error) {
    if (error instanceof PageError) return { status: error.status, location: error.location };
    throw error;
  }
}

describe('who sees a page', () => {
  it.each<[Route, Visitor['role'] | undefined, number]>([
    ['open', undefined, 200],
    ['open', 'developer', 200],
    ['account', undefined, 403],
    ['account', 'developer', 200],
    ['ops', undefined, 403],
    ['ops', 'developer', 404],
    ['ops', 'ops', 200],
  ])('%s for %s: %i', async (route, role, status) => {
    expect((await pass(route, role)).status).toBe(status);
  });

  it('an operator without a second factor is led to set one up, and back to a page', async () => {
    const led = { status: 403, location: '/account/two-factor?notice=factor_needed&next=%2Faccount%3Fa%3Db' };
    expect(await pass('ops', 'ops', { hasSecondFactor: false })).toEqual(led);
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
