import { Module } from '@nestjs/common';
import { AuthModule } from '../../auth/auth.module.js';
import { CONFIG, type Config, KEYS, type Keys } from '../../config/config.module.js';
import type { Database } from '../../database/database.js';
import { DATABASE } from '../../database/database.module.js';
import { ReservationRepository } from '../../reservations/reservation.repository.js';
import { SupplierSwitch } from '../../supplier-states/supplier-switch.js';
import { HeavyViews } from '../shell/heavy-views.js';
import { ApplicationList } from './application-list.service.js';
import { OpsApplicationsController } from './applications.controller.js';
import { OpsAuditController } from './audit.controller.js';
import { AuditTrail } from './audit-trail.service.js';
import { OpsCommandsController } from './commands.controller.js';
import { OpsFailuresController } from './failures.controller.js';
import { OpsOverviewController } from './overview.controller.js';
import { OverviewService } from './overview.service.js';
import { OpsRequestsController } from './requests.controller.js';
import { ReservationList } from './reservation-list.service.js';
import { OpsReservationsController } from './reservations.controller.js';
import { Subjects } from './subjects.service.js';
import { SupplierFactsService } from './supplier-facts.service.js';
import { OpsSuppliersController } from './suppliers.controller.js';
import { SwitchboardService } from './switchboard.service.js';
import { OpsSwitchesController } from './switches.controller.js';
import { WaitingService } from './waiting.service.js';

/** The operations console (docs/operations-console.md). */
@Module({
  imports: [AuthModule],
  controllers: [
    OpsOverviewController,
    OpsSuppliersController,
    OpsFailuresController,
    OpsRequestsController,
    OpsReservationsController,
    OpsApplicationsController,
    OpsAuditController,
    OpsSwitchesController,
    OpsCommandsController,
  ],
  providers: [
    SupplierFactsService,
    OverviewService,
    WaitingService,
    SwitchboardService,
    Subjects,
    AuditTrail,
    ReservationList,
    ApplicationList,
    HeavyViews,
    {
      provide: SupplierSwitch,
      inject: [DATABASE, CONFIG],
      useFactory: (database: Database, { environment }: Config) => new SupplierSwitch(database, environment),
    },
    {
      provide: ReservationRepository,
      inject: [DATABASE, CONFIG, KEYS],
      useFactory: (database: Database, config: Config, keys: Keys) => new ReservationRepository(database, config, keys),
    },
  ],
})
export class OpsPagesModule {}
