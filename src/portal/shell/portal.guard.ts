import { type CanActivate, type ExecutionContext, Injectable, SetMetadata } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import { SessionsService, type Visitor } from '../../accounts/sessions.service.js';
import type { ContextRequest } from '../../http/open-request.js';
import { PageError } from './page-error.js';

/** A request for a page, with who is logged in. */
type PortalRequest = ContextRequest & { visitor?: Visitor };

const NEEDS = 'forecourt:needs';

/** The page is for people who are logged in; others are sent to the login page and come back. On a class or a handler. */
export const SignedIn = () => SetMetadata(NEEDS, 'account');

/** The page is for ops; to others it does not exist. */
export const ForOps = () => SetMetadata(NEEDS, 'ops');

/** Finds out who asks for a page, and lets nobody make a person's browser post a form from another site. */
@Injectable()
export class PortalGuard implements CanActivate {
  constructor(
    private readonly sessions: SessionsService,
    private readonly reflector: Reflector,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<PortalRequest>();
    // No id of ours holds one, and the database takes none.
    if (Object.values((request.params ?? {}) as Record<string, string>).some((part) => part.includes('\0')))
      throw new PageError(404);
    if (request.method !== 'GET') refuseOtherSites(request);
    const visitor = await this.sessions.visitor(request.headers.cookie);
    if (visitor) request.visitor = visitor;
    const needs = this.reflector.getAllAndOverride<'account' | 'ops' | undefined>(NEEDS, [
      context.getHandler(),
      context.getClass(),
    ]);
    if (needs && !visitor) throw PageError.login(request.method === 'GET' ? request.originalUrl : undefined);
    if (needs === 'ops' && visitor?.role !== 'ops') throw new PageError(404);
    return true;
  }
}

/** Who is logged in; undefined = nobody. */
export function visitorIf(request: FastifyRequest): Visitor | undefined {
  return (request as PortalRequest).visitor;
}

/** Who is logged in, on a route marked SignedIn. */
export function visitorOf(request: FastifyRequest): Visitor {
  const visitor = visitorIf(request);
  if (!visitor) throw new Error('the route is not marked SignedIn');
  return visitor;
}

/** Browsers say where a form was (Fetch Metadata; older ones Origin); a script of the person's own that says nothing must say an Origin. */
function refuseOtherSites(request: FastifyRequest): void {
  const { 'sec-fetch-site': site, origin } = request.headers;
  const isOwn = site === undefined ? origin !== undefined && hostOf(origin) === request.host : site === 'same-origin';
  if (!isOwn)
    throw new PageError(
      403,
      'This form was sent from another site, so nothing was done. Open the page here and send it again.',
    );
}

function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}
