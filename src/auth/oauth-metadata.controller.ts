import { Controller, Get, Inject, Req } from '@nestjs/common';
import { SkipThrottle } from '@nestjs/throttler';
import type { FastifyRequest } from 'fastify';
import { CONFIG, type Config } from '../config/config.module.js';
import { Answer } from '../http/answer.js';
import { Operation } from '../http/operation.decorator.js';
import { errorsOf } from '../http/operation-parts.js';
import { ownOrigin } from '../http/own-origin.js';
import { oauthMetadata } from './oauth.wire.js';
import { Public } from './public.decorator.js';

const METHODS = ['client_secret_basic', 'client_secret_post'];

/** Serves the OAuth metadata (RFC 8414). */
@Controller('.well-known')
@SkipThrottle()
export class OAuthMetadataController {
  constructor(@Inject(CONFIG) private readonly config: Config) {}

  /**
   * The issuer is the setting `http.publicUrl` or the origin of the request.
   */
  @Get('oauth-authorization-server')
  @Public()
  @Operation({
    id: 'oauthMetadata',
    tag: 'Token',
    summary: 'Get the OAuth metadata (RFC 8414)',
    description: 'Where OAuth clients find the token, revocation and introspection endpoints.',
    answers: { 200: ['The metadata.', oauthMetadata], ...errorsOf(408, 503) },
  })
  metadata(@Req() request: FastifyRequest): Answer {
    const { origin, caching } = ownOrigin(request, this.config);
    return Answer.json(200, metadataOf(origin), { 'cache-control': caching });
  }
}

function metadataOf(issuer: string) {
  return {
    issuer,
    token_endpoint: `${issuer}/oauth/token/v1`,
    token_endpoint_auth_methods_supported: METHODS,
    grant_types_supported: ['client_credentials'],
    // Required by RFC 8414 §2, although there is no authorization endpoint.
    response_types_supported: [],
    revocation_endpoint: `${issuer}/oauth/revoke/v1`,
    revocation_endpoint_auth_methods_supported: METHODS,
    introspection_endpoint: `${issuer}/oauth/introspect/v1`,
    introspection_endpoint_auth_methods_supported: METHODS,
  };
}
