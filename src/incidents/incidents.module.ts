import { Module } from '@nestjs/common';
import { SupplierStatesModule } from '../supplier-states/supplier-states.module.js';
import { SystemModule } from '../system/system.module.js';
import { CountWriter } from './count-writer.service.js';
import { IncidentWatch } from './incident-watch.service.js';
import { StatusReports } from './status-report.service.js';

/** What the gateways' own measurements say about the service: counts of calls and failures, incidents, the status report. */
@Module({
  imports: [SystemModule, SupplierStatesModule],
  providers: [CountWriter, IncidentWatch, StatusReports],
  exports: [StatusReports],
})
export class IncidentsModule {}
