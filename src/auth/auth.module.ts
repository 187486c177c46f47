import { Module } from '@nestjs/common';
import { PassportModule } from '@nestjs/passport';
import { CONFIG, type Config, KEYS, type Keys } from '../config/config.module.js';
import type { Database } from '../database/database.js';
import { DATABASE } from '../database/database.module.js';
import { ORIGIN_REGISTRY } from '../http/cors.js';
import type { Store } from '../store/store.js';
import { STORE } from '../store/store.module.js';
import { AccountCredentials } from './account-credentials.js';
import { ApplicationAdmin } from './application-admin.js';
import { ApplicationSettings } from './application-settings.js';
import { ApplicationsService } from './applications.service.js';
import { BearerStrategy } from './bearer.strategy.js';
import { ClientAuthentication } from './client-authentication.js';
import { ClientSecrets } from './client-secrets.js';
import { DemoApplications } from './demo-applications.js';
import { FormerTokens } from './former-tokens.js';
import { NewSecrets } from './new-secrets.js';
import { OAuthController } from './oauth.controller.js';
import { OAuthMetadataController } from './oauth-metadata.controller.js';
import { OwnApplications } from './own-applications.js';
import { PolicyUpdates } from './policy-updates.js';
import { RegisteredOrigins } from './registered-origins.js';
import { Subscriptions } from './subscriptions.js';
import { TestClocks } from './test-clocks.js';
import { TierChanges } from './tier-changes.js';
import { TokenController } from './token.controller.js';
import { TokensService } from './tokens.service.js';

/** Token operations, bearer strategy, client applications. */
@Module({
  imports: [PassportModule],
  controllers: [TokenController, OAuthController, OAuthMetadataController],
  providers: [
    AccountCredentials,
    ApplicationSettings,
    ApplicationsService,
    BearerStrategy,
    ClientAuthentication,
    DemoApplications,
    FormerTokens,
    NewSecrets,
    OwnApplications,
    PolicyUpdates,
    RegisteredOrigins,
    Subscriptions,
    TestClocks,
    TierChanges,
    TokensService,
    { provide: ORIGIN_REGISTRY, useExisting: RegisteredOrigins },
    {
      provide: ClientSecrets,
      inject: [CONFIG, KEYS],
      useFactory: (config: Config, keys: Keys) => new ClientSecrets(config, keys),
    },
    {
      provide: ApplicationAdmin,
      inject: [DATABASE, CONFIG, ClientSecrets, STORE],
      useFactory: (database: Database, { environment }: Config, secrets: ClientSecrets, store: Store) =>
        new ApplicationAdmin(database, environment, secrets, store),
    },
  ],
  exports: [
    AccountCredentials,
    ApplicationAdmin,
    ApplicationSettings,
    ApplicationsService,
    ClientAuthentication,
    ClientSecrets,
    DemoApplications,
    NewSecrets,
    OwnApplications,
    PolicyUpdates,
    Subscriptions,
    TestClocks,
    TierChanges,
    TokensService,
  ],
})
export class AuthModule {}
