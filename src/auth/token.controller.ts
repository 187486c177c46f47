import { Controller, Get, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Answer } from '../http/answer.js';
import { contextOf } from '../http/context.decorator.js';
import { Operation } from '../http/operation.decorator.js';
import { errorsOf, headerParameter } from '../http/operation-parts.js';
import { ApiError } from '../status/api-error.js';
import { statusContainer } from '../status/status-container.js';
import { ClientAuthentication } from './client-authentication.js';
import { tokenDigest } from './credentials.js';
import { tokenAnswer } from './oauth.wire.js';
import { Public } from './public.decorator.js';
import { type IssuedToken, TokensService } from './tokens.service.js';

const HEADERS = { 'cache-control': 'no-store', pragma: 'no-cache', vary: 'client_id, client_secret' };

/** The token operation (spec §4.1, rulings 10 and 11). */
@Controller('oauth/token')
export class TokenController {
  constructor(
    private readonly authentication: ClientAuthentication,
    private readonly tokens: TokensService,
  ) {}

  @Get('v1')
  @Public()
  @Operation({
    id: 'getAccessToken',
    tag: 'Token',
    summary: 'Get an access token',
    description:
      'Exchanges client_id and client_secret, sent as headers, for a bearer token that is valid for 7199 seconds.',
    headers: [
      headerParameter('client_id', 'The client id of your application.', true),
      headerParameter('client_secret', 'A client secret of your application.', true),
    ],
    answers: { 200: ['A new token.', tokenAnswer], ...errorsOf(400, 401, 408, 429, 500, 503) },
  })
  async token(@Req() request: FastifyRequest): Promise<Answer> {
    refuseBody(request);
    const clientId = credentialHeader(request, 'client_id');
    const clientSecret = credentialHeader(request, 'client_secret');
    const { token, expiresInSeconds } = await this.#issue(clientId, clientSecret, request);
    const status = statusContainer(contextOf(request).startedAt, 200, []);
    const answer = { access_token: token, token_type: 'Bearer', expires_in: expiresInSeconds, status };
    return Answer.json(200, answer, HEADERS);
  }

  async #issue(clientId: string, clientSecret: string, request: FastifyRequest): Promise<IssuedToken> {
    const check = await this.authentication.check(clientId, clientSecret, request.ip);
    if (!check.ok && check.why === 'expired') throw ended();
    if (!check.ok) {
      const details =
        'The client_id or client_secret is wrong. Check that they belong together and to this environment.';
      throw ApiError.of('invalid_request', details, { headers: HEADERS });
    }
    contextOf(request).admit(check.policy);
    const issued = await this.tokens.issue(check.policy, check.secretId);
    if (!issued) throw ended();
    contextOf(request).tokenDigest = tokenDigest(issued.token);
    return issued;
  }
}

function ended(): ApiError {
  return failure('The credentials are expired, revoked, suspended or not valid in this environment.');
}

function refuseBody(request: FastifyRequest): void {
  if (Number(request.headers['content-length'] ?? 0) > 0 || request.headers['transfer-encoding'] !== undefined) {
    throw ApiError.of('invalid_request', 'Send client_id and client_secret as headers, without a body.', {
      headers: HEADERS,
    });
  }
}

/** The value of a credential header, written with _ or - (proxies may drop underscores). */
function credentialHeader(request: FastifyRequest, name: 'client_id' | 'client_secret'): string {
  const distinct = request.raw.headersDistinct;
  const values = [...(distinct[name] ?? []), ...(distinct[name.replace('_', '-')] ?? [])];
  if (values.length > 1)
    throw ApiError.of('invalid_request', `The header ${name} must be sent only once.`, {
      field: name,
      headers: HEADERS,
    });
  const value = values[0] ?? '';
  if (value === '')
    throw failure(
      `The header ${name} is missing. (HTTP Basic and forms are for POST, with grant_type=client_credentials.)`,
      name,
    );
  return value;
}

function failure(details: string, field?: string): ApiError {
  return ApiError.of('authentication_failure', details, {
    ...(field === undefined ? {} : { field }),
    headers: { ...HEADERS, 'www-authenticate': 'Bearer realm="cars"' },
  });
}
