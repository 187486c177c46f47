import { Controller, Post, Req } from '@nestjs/common';
import { SkipThrottle } from '@nestjs/throttler';
import type { FastifyRequest } from 'fastify';
import { Answer } from '../http/answer.js';
import { contextOf } from '../http/context.decorator.js';
import { Operation } from '../http/operation.decorator.js';
import { Settings } from '../http/route-settings.js';
import type { ApiError } from '../status/api-error.js';
import type { ApplicationPolicy } from '../store/store.js';
import { ClientAuthentication } from './client-authentication.js';
import { tokenDigest } from './credentials.js';
import { introspection, OAUTH, OAUTH_ERRORS, oauthTokenAnswer, ownTokenForm, tokenForm } from './oauth.wire.js';
import { OAUTH_ROUTE } from './oauth-errors.js';
import { clientPair, type Form, invalidClient, needed, readForm, refused } from './oauth-request.js';
import { Public } from './public.decorator.js';
import { TokensService } from './tokens.service.js';

const HEADERS = { 'cache-control': 'no-store', pragma: 'no-cache' };

/**
 * OAuth 2.0 in addition to the token operation of the specification (ruling 12): RFC 6749 client credentials, RFC 7009,
 * RFC 7662.
 */
@Controller('oauth')
@SkipThrottle()
export class OAuthController {
  constructor(
    private readonly authentication: ClientAuthentication,
    private readonly tokens: TokensService,
  ) {}

  @Post('token/v1')
  @Public()
  @Settings(OAUTH_ROUTE)
  @Operation({
    ...OAUTH,
    id: 'issueToken',
    summary: 'Get an access token (RFC 6749)',
    description:
      'Supports the grant type client_credentials, without scopes. The token is equivalent to one from the GET operation.',
    body: tokenForm,
    answers: { 200: ['A new token.', oauthTokenAnswer], ...OAUTH_ERRORS },
  })
  async token(@Req() request: FastifyRequest): Promise<Answer> {
    const { form, policy, secretId } = await this.#open(request);
    refuseOtherGrants(form);
    const issued = await this.tokens.issue(policy, secretId);
    if (!issued) throw wrongPair();
    const { token, expiresInSeconds } = issued;
    contextOf(request).tokenDigest = tokenDigest(token);
    return Answer.json(200, { access_token: token, token_type: 'Bearer', expires_in: expiresInSeconds }, HEADERS);
  }

  @Post('revoke/v1')
  @Public()
  @Settings(OAUTH_ROUTE)
  @Operation({
    ...OAUTH,
    id: 'revokeToken',
    summary: 'Revoke an access token (RFC 7009)',
    description:
      'The token is revoked immediately on every gateway. An unknown token is not an error; one of another client is invalid_grant.',
    body: ownTokenForm,
    answers: { 200: ['The token is no longer valid.', null], ...OAUTH_ERRORS },
  })
  async revoke(@Req() request: FastifyRequest): Promise<Answer> {
    const { form, policy } = await this.#open(request);
    const claim = this.tokens.claim(policy, needed(form, 'token'));
    if (claim.kind === 'foreign') throw refused('invalid_grant', 'The token was issued to another application.');
    if (claim.kind === 'own') await this.tokens.revoke(claim.parsed);
    return new Answer(200, '', HEADERS);
  }

  @Post('introspect/v1')
  @Public()
  @Settings(OAUTH_ROUTE)
  @Operation({
    ...OAUTH,
    id: 'introspectToken',
    summary: 'Check whether a token is active (RFC 7662)',
    description: 'Only for tokens of the calling application. Any other text is a token that is not active.',
    body: ownTokenForm,
    answers: { 200: ['Whether the token is active.', introspection], ...OAUTH_ERRORS },
  })
  async introspect(@Req() request: FastifyRequest): Promise<Answer> {
    const { form, policy } = await this.#open(request);
    const claim = this.tokens.claim(policy, needed(form, 'token'));
    const expiresAtMs = claim.kind === 'own' ? await this.tokens.expiry(claim.parsed) : undefined;
    if (expiresAtMs === undefined) return Answer.json(200, { active: false }, HEADERS);
    const exp = Math.floor(expiresAtMs / 1000);
    return Answer.json(200, { active: true, client_id: policy.clientId, token_type: 'Bearer', exp }, HEADERS);
  }

  /** Reads the form, which only then costs something, and authenticates the client, the first step of all three operations. */
  async #open(request: FastifyRequest): Promise<{ form: Form; policy: ApplicationPolicy; secretId: string }> {
    await this.authentication.countForNetwork(request.ip);
    const form = readForm(request);
    const { clientId, clientSecret } = clientPair(request, form);
    await this.authentication.count(clientId, request.ip);
    const check = await this.authentication.check(clientId, clientSecret, request.ip);
    if (!check.ok) throw wrongPair();
    contextOf(request).admit(check.policy);
    return { form, policy: check.policy, secretId: check.secretId };
  }
}

function refuseOtherGrants(form: Form): void {
  if (needed(form, 'grant_type') !== 'client_credentials') {
    throw refused('unsupported_grant_type', 'The grant type must be client_credentials.');
  }
  if (form.has('scope'))
    throw refused(
      'invalid_scope',
      'Scopes are not supported: an application may call the products that it is subscribed to.',
    );
}

function wrongPair(): ApiError {
  return invalidClient('The credentials are wrong, expired, revoked, suspended or not valid in this environment.');
}
