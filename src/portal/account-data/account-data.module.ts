import { Module } from '@nestjs/common';
import { AccountData } from '../../auth/account-data.js';
import { AccountErasure } from '../../auth/account-erasure.js';
import { ApplicationAdmin } from '../../auth/application-admin.js';
import { AuthModule } from '../../auth/auth.module.js';
import { CONFIG, type Config } from '../../config/config.module.js';
import type { Database } from '../../database/database.js';
import { DATABASE } from '../../database/database.module.js';
import type { Store } from '../../store/store.js';
import { STORE } from '../../store/store.module.js';
import { AccountDataController } from './account-data.controller.js';

/** Pages to download and delete what is kept about an account. */
@Module({
  imports: [AuthModule],
  controllers: [AccountDataController],
  providers: [
    AccountErasure,
    {
      provide: AccountData,
      inject: [DATABASE, ApplicationAdmin, STORE, CONFIG],
      useFactory: (database: Database, admin: ApplicationAdmin, store: Store, { environment }: Config) =>
        new AccountData(database, admin, store, environment),
    },
  ],
})
export class AccountDataModule {}
