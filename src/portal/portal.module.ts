import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { AccountDataModule } from './account-data/account-data.module.js';
import { AccountsPagesModule } from './accounts/accounts-pages.module.js';
import { ApplicationsPagesModule } from './applications/applications-pages.module.js';
import { DocsPagesModule } from './docs/docs-pages.module.js';
import { OpsPagesModule } from './ops/ops-pages.module.js';
import { ReservationsPagesModule } from './reservations/reservations-pages.module.js';
import { AssetsController } from './shell/assets.controller.js';
import { StartModule } from './start/start.module.js';
import { StatusPagesModule } from './status/status-pages.module.js';
import { UsagePagesModule } from './usage/usage-pages.module.js';
import { WebhooksPagesModule } from './webhooks/webhooks-pages.module.js';

/** The developer portal: server-rendered pages (spec §1, docs/accounts.md, docs/applications.md). */
@Module({
  imports: [
    AccountsModule,
    AccountsPagesModule,
    AccountDataModule,
    ApplicationsPagesModule,
    UsagePagesModule,
    ReservationsPagesModule,
    WebhooksPagesModule,
    DocsPagesModule,
    StatusPagesModule,
    OpsPagesModule,
    StartModule,
  ],
  controllers: [AssetsController],
})
export class PortalModule {}
