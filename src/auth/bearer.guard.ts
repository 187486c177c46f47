import { type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { AuthGuard } from '@nestjs/passport';
import type { FastifyRequest } from 'fastify';
import { contextOf } from '../http/context.decorator.js';
import { type ContextRequest, isDoubled } from '../http/open-request.js';
import { ApiError } from '../status/api-error.js';
import type { Store } from '../store/store.js';
import { STORE } from '../store/store.module.js';
import { parseToken } from './credentials.js';
import type { Principal } from './principal.js';
import { PUBLIC } from './public.decorator.js';

const CHALLENGE = 'Bearer realm="cars"';

/**
 * The guard in front of passport-http-bearer (rulings 9, 13). The library also accepts tokens in the query and the
 * body. The URL hook rejects the former, and no body has been read yet, so only the header remains.
 */
@Injectable()
export class BearerGuard extends AuthGuard('bearer') {
  constructor(
    private readonly reflector: Reflector,
    @Inject(STORE) private readonly store: Store,
  ) {
    super();
  }

  override canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    if (this.reflector.getAllAndOverride<boolean | undefined>(PUBLIC, [context.getHandler(), context.getClass()]))
      return true;
    const request = context.switchToHttp().getRequest<ContextRequest>();
    refuseOtherSchemes(request);
    return super.canActivate(context) as Promise<boolean>;
  }

  /** The call was charged when it was admitted. A token ends as well when its application is suspended. */
  async #stillActive({ headers }: ContextRequest): Promise<void> {
    const parsed = parseToken(headers.authorization?.split(' ')[1] ?? '');
    if (!parsed || !(await this.store.inspect(parsed, parsed.digest))) throw invalidToken(true);
  }

  // Passport's callback; the parameters' types are those of @nestjs/passport.
  override handleRequest<TUser = Principal>(
    error: unknown,
    user: TUser | false,
    _info: unknown,
    context: ExecutionContext,
  ): TUser {
    if (error) throw error;
    if (!user)
      throw invalidToken(context.switchToHttp().getRequest<FastifyRequest>().headers.authorization !== undefined);
    const principal = user as unknown as Principal;
    const request = context.switchToHttp().getRequest<ContextRequest>();
    const claimed = clientIdHeader(request);
    if (claimed !== undefined && claimed !== principal.policy.clientId) {
      throw ApiError.of(
        'authentication_failure',
        'The client_id header does not match the application that the token was issued to.',
        {
          field: 'client_id',
          headers: { 'www-authenticate': `${CHALLENGE}, error="invalid_token"` },
        },
      );
    }
    contextOf(request).acceptedBy(() => this.#stillActive(request));
    return user;
  }
}

/** Rejects what isn't one bearer token, and leaves the header with a single space. */
function refuseOtherSchemes(request: FastifyRequest): void {
  const header = request.headers.authorization;
  if (header === undefined) throw invalidToken(false);
  if (isDoubled(request.raw.rawHeaders, 'authorization')) {
    throw ApiError.of('invalid_request', 'The Authorization header must be sent exactly once.', {
      field: 'Authorization',
    });
  }
  const token = /^Bearer +([^\s]+)$/i.exec(header)?.[1];
  if (token === undefined) {
    throw ApiError.of('required', 'The Authorization header must be "Bearer <ACCESS_TOKEN>".', {
      headers: { 'www-authenticate': CHALLENGE },
    });
  }
  // RFC 6750 §2.1 allows several spaces; passport-http-bearer doesn't.
  request.headers.authorization = `Bearer ${token}`;
}

function invalidToken(sent: boolean): ApiError {
  return ApiError.of(
    'authentication_failure',
    sent
      ? 'The access token is invalid, expired or revoked. Get a new one from GET /oauth/token/v1.'
      : 'The request has no access token. Get one from GET /oauth/token/v1.',
    { headers: { 'www-authenticate': sent ? `${CHALLENGE}, error="invalid_token"` : CHALLENGE } },
  );
}

function clientIdHeader(request: FastifyRequest): string | undefined {
  const { client_id, 'client-id': hyphened } = request.headers;
  const values = [client_id, hyphened].flatMap((value) => value ?? []);
  return values.length === 0 ? undefined : values.join(',');
}
