import { type DynamicModule, Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import type { Logger } from 'pino';
import { AlertsModule } from './alerts/alerts.module.js';
import { AuthModule } from './auth/auth.module.js';
import { BearerGuard } from './auth/bearer.guard.js';
import { ProductGuard } from './auth/product.guard.js';
import { CatalogModule } from './catalog/catalog.module.js';
import { ConfigModule } from './config/config.module.js';
import type { Keys } from './config/keys.js';
import type { LoadedConfig } from './config/load-config.js';
import { LOGGER } from './config/logger.js';
import { ContentModule } from './content/content.module.js';
import { CurrenciesModule } from './currencies/currencies.module.js';
import { DatabaseModule } from './database/database.module.js';
import { UnreadAnswers } from './http/unread-answers.js';
import { IncidentsModule } from './incidents/incidents.module.js';
import { LocationsModule } from './locations/locations.module.js';
import { McpModule } from './mcp/mcp.module.js';
import { PortalModule } from './portal/portal.module.js';
import { ProductsModule } from './products/products.module.js';
import { RecordsModule } from './records/records.module.js';
import { RepresentationsModule } from './representations/representations.module.js';
import { ReservationsModule, TestClockModule } from './reservations/reservations.module.js';
import { StoreModule } from './store/store.module.js';
import { SupplierStatesModule } from './supplier-states/supplier-states.module.js';
import { READ_SUPPLIERS, SIMULATED_SUPPLIERS, type SimulatedSuppliers } from './suppliers/supplier-files.js';
import { SuppliersModule } from './suppliers/suppliers.module.js';
import { operations } from './system/api-operations.js';
import { MaintenanceGuard } from './system/maintenance.guard.js';
import { SystemModule } from './system/system.module.js';
import { ThrottlingGuard } from './throttling/throttling.guard.js';
import { ThrottlingModule } from './throttling/throttling.module.js';
import { TracingModule } from './tracing/tracing.module.js';
import { WebhooksModule } from './webhooks/webhooks.module.js';

/** What the process found at boot and every module may ask for. */
export interface Boot {
  readonly loaded: LoadedConfig;
  readonly keys: Keys;
  readonly configFolder: string;
  readonly logger: Logger;
  readonly simulatedSuppliers: SimulatedSuppliers;
}

/** The only list of modules and of global guards, in running order: maintenance → token and limit → throttled? → subscribed? */
@Module({})
export class AppModule {
  /** `commands` provide the operations of operators to their pages; the commands of `gw` import this file, so it can't import them. */
  static with(boot: Boot, ...commands: readonly DynamicModule[]): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ConfigModule.with(boot.loaded, boot.keys, boot.configFolder, [
          { provide: LOGGER, useValue: boot.logger },
          { provide: UnreadAnswers, useValue: new UnreadAnswers(boot.loaded.config.http) },
          { provide: SIMULATED_SUPPLIERS, useValue: boot.simulatedSuppliers },
          { provide: READ_SUPPLIERS, useValue: () => boot.loaded.readSuppliers() },
        ]),
        TracingModule,
        StoreModule,
        DatabaseModule,
        RecordsModule.with(operations),
        ProductsModule,
        AuthModule,
        ThrottlingModule,
        SuppliersModule,
        SupplierStatesModule,
        CurrenciesModule,
        RepresentationsModule,
        LocationsModule,
        CatalogModule,
        ReservationsModule,
        WebhooksModule,
        ContentModule,
        McpModule,
        SystemModule,
        AlertsModule,
        IncidentsModule,
        PortalModule,
        ...(boot.loaded.config.environment === 'sandbox' ? [TestClockModule] : []),
        ...commands,
      ],
      providers: [
        { provide: APP_GUARD, useClass: MaintenanceGuard },
        { provide: APP_GUARD, useClass: BearerGuard },
        { provide: APP_GUARD, useClass: ThrottlingGuard },
        { provide: APP_GUARD, useClass: ProductGuard },
      ],
    };
  }
}
