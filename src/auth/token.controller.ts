import { Controller, Get, Inject, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { CONFIG, type Config } from '../config/config.module.js';
import { Answer } from '../http/answer.js';
import { scopeOf } from '../http/request-scope.js';
import { ApiError } from '../status/api-error.js';
import { statusContainer } from '../status/status-container.js';
import type { Store } from '../store/store.js';
import { STORE } from '../store/store.module.js';
import { ApplicationsService } from './applications.service.js';
import { mintToken, tokenDigest } from './credentials.js';
import { Public } from './public.decorator.js';

const HEADERS = { 'cache-control': 'no-store', pragma: 'no-cache', vary: 'client_id, client_secret' };

/** The token operation (spec §4.1, rulings 10 and 11). */
@Controller('oauth/token')
export class TokenController {
  constructor(
    private readonly applications: ApplicationsService,
    @Inject(STORE) private readonly store: Store,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  @Get('v1')
  @Public()
  async token(@Req() request: FastifyRequest): Promise<Answer> {
    refuseBody(request);
    const clientId = credentialHeader(request, 'client_id');
    const clientSecret = credentialHeader(request, 'client_secret');
    const scope = scopeOf(request);
    const check = await this.applications.check(clientId, clientSecret, this.config.environment, scope.startedAt);
    if (!check.ok && check.why === 'expired') throw failure('The credentials are expired, revoked or not valid in this environment.');
    if (!check.ok)
      throw ApiError.of(
        'invalid_request',
        'The client_id or client_secret is wrong. Check both: they belong together and to one environment.',
        {
          headers: HEADERS,
        },
      );
    const { policy } = check;
    const token = mintToken(policy, policy.environment);
    const lifetimeMs = this.config.tokens.lifetimeSeconds * 1000;
    const mintedAt = performance.now();
    await this.store.saveToken(
      { accountId: policy.accountId, applicationId: policy.applicationId, digest: tokenDigest(token), lifetimeMs },
      policy,
      this.config.tokens.maxLivePerApplication,
    );
    (request as FastifyRequest & { applicationId?: string }).applicationId = policy.applicationId;
    return Answer.json(
      200,
      {
        access_token: token,
        token_type: 'Bearer',
        // What is left when answered: rounded up so that it is never more than the lifetime nor less by rounding alone.
        expires_in: Math.ceil((lifetimeMs - (performance.now() - mintedAt)) / 1000),
        status: statusContainer(scope.startedAt, 200, []),
      },
      HEADERS,
    );
  }
}

function refuseBody(request: FastifyRequest): void {
  if (Number(request.headers['content-length'] ?? 0) > 0 || request.headers['transfer-encoding'] !== undefined) {
    throw ApiError.of('invalid_request', 'Send client_id and client_secret as headers; the token operation takes no body.', {
      headers: HEADERS,
    });
  }
}

/** The one value of a credential header, spelt with _ or - (proxies may drop underscores). */
function credentialHeader(request: FastifyRequest, name: 'client_id' | 'client_secret'): string {
  const distinct = request.raw.headersDistinct;
  const values = [...(distinct[name] ?? []), ...(distinct[name.replace('_', '-')] ?? [])];
  if (values.length > 1) throw ApiError.of('invalid_request', `The header ${name} must be given once.`, { field: name, headers: HEADERS });
  const value = values[0] ?? '';
  if (value === '') throw failure(`The header ${name} is missing.`, name);
  return value;
}

function failure(details: string, field?: string): ApiError {
  return ApiError.of('authentication_failure', details, {
    ...(field === undefined ? {} : { field }),
    headers: { ...HEADERS, 'www-authenticate': 'Bearer realm="cars"' },
  });
}
