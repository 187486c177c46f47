import { Module } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { PassportModule } from '@nestjs/passport';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import { CONFIG, type Config, KEYS, type Keys } from '../config/config.module.js';
import { ApplicationsService } from './applications.service.js';
import { BearerStrategy } from './bearer.strategy.js';
import { ClientAuthentication } from './client-authentication.js';
import { ClientSecrets } from './client-secrets.js';
import { DemoApplications } from './demo-applications.js';
import { OAuthController } from './oauth.controller.js';
import { speakOAuth } from './oauth-face.js';
import { OAuthMetadataController } from './oauth-metadata.controller.js';
import { TokenController } from './token.controller.js';
import { TokensService } from './tokens.service.js';

/** Token operations, bearer strategy, client applications. */
@Module({
  imports: [PassportModule],
  controllers: [TokenController, OAuthController, OAuthMetadataController],
  providers: [
    ApplicationsService,
    BearerStrategy,
    ClientAuthentication,
    DemoApplications,
    TokensService,
    { provide: ClientSecrets, inject: [CONFIG, KEYS], useFactory: (config: Config, keys: Keys) => new ClientSecrets(config, keys) },
  ],
  exports: [ApplicationsService, ClientAuthentication, DemoApplications, TokensService],
})
export class AuthModule {
  // The constructor runs before Nest registers its routes.
  constructor(host: HttpAdapterHost<FastifyAdapter>) {
    speakOAuth(host.httpAdapter.getInstance());
  }
}
