import { type CanActivate, type ExecutionContext, Inject, Injectable, SetMetadata } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import { mayDecide, SessionsService, type Visitor } from '../../accounts/sessions.service.js';
import { loopTurns } from '../../config/loop-turns.js';
import { networkOf } from '../../http/client-network.js';
import { contextOf } from '../../http/context.decorator.js';
import type { ContextRequest } from '../../http/open-request.js';
import type { Store } from '../../store/store.js';
import { STORE } from '../../store/store.module.js';
import { findAsset } from './assets.js';
import { acceptLocalCookies } from './local-cookies.js';
import { PageError } from './page-error.js';
import { countForNetwork, countForVisitor } from './page-limits.js';

/** A request for a page, with the logged-in visitor. */
export type PortalRequest = ContextRequest & {
  visitor?: Visitor;
  /** Rejects if the account of the visitor logged out everywhere, was deleted, or has another role now. */
  checkAccount?: () => Promise<void>;
};

const NEEDS = 'forecourt:needs';

/** Requires login: other visitors are redirected to the login page and back. For a class or a handler. */
export const SignedIn = () => SetMetadata(NEEDS, 'account');

/** Requires an operator of production with a second factor: other operators are led to set it up, other visitors get a 404. */
export const ForOps = () => SetMetadata(NEEDS, 'ops');

/** Requires an operator of this environment with a second factor, as ForOps does in production: everyone else gets a 404. */
export const ForOperators = () => SetMetadata(NEEDS, 'operator');

/** Style sheets and scripts aren't rendered, so they aren't limited. An unknown one is a page: that it doesn't exist. */
function isAsset({ url, params }: PortalRequest): boolean {
  const { digest = '', name = '' } = (params ?? {}) as Record<string, string>;
  return url.startsWith('/assets/') && findAsset(digest, name) !== undefined;
}

/** Resolves when some milliseconds may be spent on the page of this request. Rejects if that takes long and the session ends meanwhile. */
export async function takeTurn(request: PortalRequest): Promise<void> {
  if (!isAsset(request)) await loopTurns.takeFor(contextOf(request), callerOf(request));
}

/** Whose page it is: the account, or the network of a visitor without a login. */
export function callerOf({ visitor, ip }: PortalRequest): string {
  return visitor?.accountId ?? networkOf(ip);
}

/** Limits pages, identifies the visitor, checks what the page requires, and rejects forms posted from other sites (CSRF). */
@Injectable()
export class PortalGuard implements CanActivate {
  constructor(
    private readonly sessions: SessionsService,
    private readonly reflector: Reflector,
    @Inject(STORE) private readonly store: Store,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<PortalRequest>();
    // No valid id contains NUL, and PostgreSQL rejects it.
    if (Object.values((request.params ?? {}) as Record<string, string>).some((part) => part.includes('\0')))
      throw new PageError(404);
    if (request.method !== 'GET') refuseOtherSites(request);
    acceptLocalCookies(request);
    if (isAsset(request)) return true;
    await countForNetwork(this.store, request.ip);
    const visitor = await this.sessions.visitor(request.headers.cookie);
    if (visitor) {
      request.visitor = visitor;
      request.checkAccount = async () => {
        if (!(await this.sessions.isStillIn(visitor))) throw PageError.login(undefined);
      };
      contextOf(request).acceptedBy(() => this.#stillLoggedIn(request, visitor));
    }
    if (visitor) await countForVisitor(this.store, visitor);
    const needs = this.reflector.getAllAndOverride<'account' | 'ops' | 'operator' | undefined>(NEEDS, [
      context.getHandler(),
      context.getClass(),
    ]);
    if (needs && !visitor) throw loginFor(request);
    if (needs === 'ops' && !(visitor && mayDecide(visitor))) throw new PageError(404);
    if (needs === 'operator' && visitor?.role !== 'ops') throw new PageError(404);
    if ((needs === 'ops' || needs === 'operator') && visitor?.hasSecondFactor === false) throw enrollmentFirst(request);
    await takeTurn(request);
    return true;
  }

  async #stillLoggedIn(request: PortalRequest, before: Visitor): Promise<void> {
    const visitor = await this.sessions.visitor(request.headers.cookie);
    if (visitor?.accountId !== before.accountId || visitor.role !== before.role) throw loginFor(request);
  }
}

/** A form leads back to the page that it is on (the Referer of this site), where portal.js fills it in again. */
function loginFor(request: FastifyRequest): PageError {
  if (request.method === 'GET') return PageError.login(request.originalUrl);
  const { referer = '' } = request.headers;
  const page = URL.canParse(referer) ? new URL(referer) : undefined;
  return PageError.login(undefined, page?.host === request.host ? `${page.pathname}${page.search}` : undefined);
}

function enrollmentFirst(request: FastifyRequest): PageError {
  const next = request.method === 'GET' ? `&next=${encodeURIComponent(request.originalUrl)}` : '';
  const path = `/account/two-factor?notice=factor_needed${next}`;
  return new PageError(403, 'Set up two-factor authentication first.', {}, path);
}

/** The logged-in visitor, if any. */
export function visitorIf(request: FastifyRequest): Visitor | undefined {
  return (request as PortalRequest).visitor;
}

/** The logged-in visitor of a route marked SignedIn. */
export function visitorOf(request: FastifyRequest): Visitor {
  const visitor = visitorIf(request);
  if (!visitor) throw new Error('the route is not marked SignedIn');
  return visitor;
}

/** Browsers send Sec-Fetch-Site (older ones only Origin). Scripts that send neither must set Origin. */
function refuseOtherSites(request: FastifyRequest): void {
  const { 'sec-fetch-site': site, origin } = request.headers;
  const isOwn = site === undefined ? origin !== undefined && hostOf(origin) === request.host : site === 'same-origin';
  if (!isOwn)
    throw new PageError(
      403,
      'This form was submitted from another site, so nothing was changed. Open the page on this site and submit it again.',
    );
}

function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}
