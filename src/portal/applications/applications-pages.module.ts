import { Module } from '@nestjs/common';
import { AccessRequests } from '../../auth/access-requests.js';
import { AuthModule } from '../../auth/auth.module.js';
import { ClientSecrets } from '../../auth/client-secrets.js';
import { PolicyUpdates } from '../../auth/policy-updates.js';
import { CONFIG, type Config } from '../../config/config.module.js';
import type { Database } from '../../database/database.js';
import { DATABASE } from '../../database/database.module.js';
import { MailModule } from '../../mail/mail.module.js';
import { Outbox } from '../../mail/outbox.js';
import { SiteAddress } from '../../mail/site-address.js';
import { ReservationsModule } from '../../reservations/reservations.module.js';
import { ProductList } from '../products/product-list.js';
import { ProductsPagesController } from '../products/products-pages.controller.js';
import { HeavyViews } from '../shell/heavy-views.js';
import { emailDecision } from './access-request-mail.js';
import { AccessRequestsController } from './access-requests.controller.js';
import { ApplicationHandlers } from './application-handlers.js';
import { ApplicationsController } from './applications.controller.js';
import { CertificationController } from './certification/certification.controller.js';
import { CertificationReader } from './certification/certification-reader.service.js';
import { DeprecationNotices, NOTICE_PERIOD_MS } from './deprecation-notices.js';
import { SecretsController } from './secrets.controller.js';
import { SettingsController } from './settings.controller.js';
import { SubscriptionsController } from './subscriptions.controller.js';
import { ClockController } from './test-clock/clock.controller.js';

/** Pages for products, applications, credentials, subscriptions and production access requests. */
@Module({
  imports: [AuthModule, MailModule, ReservationsModule],
  controllers: [
    ProductsPagesController,
    ApplicationsController,
    SecretsController,
    SettingsController,
    SubscriptionsController,
    AccessRequestsController,
    CertificationController,
    ClockController,
  ],
  providers: [
    ApplicationHandlers,
    ProductList,
    DeprecationNotices,
    CertificationReader,
    HeavyViews,
    { provide: NOTICE_PERIOD_MS, useValue: 60_000 },
    {
      provide: AccessRequests,
      inject: [DATABASE, CONFIG, ClientSecrets, Outbox, SiteAddress, PolicyUpdates],
      useFactory: (
        database: Database,
        config: Config,
        secrets: ClientSecrets,
        outbox: Outbox,
        site: SiteAddress,
        policies: PolicyUpdates,
      ) =>
        new AccessRequests(
          database,
          config,
          secrets,
          emailDecision(outbox, (path) => site.url(path)),
          policies,
        ),
    },
  ],
  exports: [ApplicationHandlers],
})
export class ApplicationsPagesModule {}
