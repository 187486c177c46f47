import { type DynamicModule, Global, Module } from '@nestjs/common';
import type { OpenedGateway } from '../cli/command-run.js';
import type { Database } from '../database/database.js';
import { DATABASE } from '../database/database.module.js';
import type { Store } from '../store/store.js';
import { STORE } from '../store/store.module.js';
import { OPERATOR_OPERATIONS } from '../system/operator-operations.js';
import { operatorOperations } from './page-operations.js';

/** What a gateway knows before its database and store are open. */
export type StartedGateway = Omit<OpenedGateway, 'database' | 'store' | 'isServing'>;

/** Provides the operations of the admin API to the pages of operators. The API itself is served apart (admin-server.ts). */
@Global()
@Module({})
export class AdminModule {
  /** `started` is called for each operation. */
  static with(started: () => StartedGateway): DynamicModule {
    const provider = {
      provide: OPERATOR_OPERATIONS,
      inject: [DATABASE, STORE],
      useFactory: (database: Database, store: Store) =>
        operatorOperations(() => ({ ...started(), database, store, isServing: true })),
    };
    return { module: AdminModule, providers: [provider], exports: [OPERATOR_OPERATIONS] };
  }
}
