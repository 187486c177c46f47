import { Module } from '@nestjs/common';
import { CONFIG, type Config } from '../config/config.module.js';
import { SupplierStatesModule } from '../supplier-states/supplier-states.module.js';
import { API_DESCRIPTION } from './api-description.js';
import { AuditCheckpoints } from './audit-checkpoints.js';
import { ChangeNotices } from './change-notices.service.js';
import { MaintenanceService } from './maintenance.service.js';
import { openApiDocument } from './openapi.js';
import { Readiness } from './readiness.service.js';
import { SystemController } from './system.controller.js';

/** Operations for operators and tools. */
@Module({
  imports: [SupplierStatesModule],
  controllers: [SystemController],
  providers: [
    AuditCheckpoints,
    ChangeNotices,
    MaintenanceService,
    Readiness,
    {
      provide: API_DESCRIPTION,
      inject: [CONFIG],
      useFactory: (config: Config): string => JSON.stringify(openApiDocument(config)),
    },
  ],
  exports: [MaintenanceService],
})
export class SystemModule {}
