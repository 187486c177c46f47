import { type DynamicModule, Global, Module } from '@nestjs/common';
import { CONFIG, type Config } from '../config/config.module.js';
import type { Database } from '../database/database.js';
import { DATABASE } from '../database/database.module.js';
import { REQUEST_RECORDER } from '../http/request-recorder.js';
import { AllRequests } from './all-requests.js';
import { ErrorGroups } from './error-groups.js';
import { FailedExchangeLog } from './failed-exchange-log.js';
import { Operations, type RecordedOperation } from './operations.js';
import { RecordPartitions } from './record-partitions.js';
import { Recorder } from './recorder.service.js';
import { RecordsRepository } from './records.repository.js';
import { RecordsWriter } from './records-writer.service.js';
import { RequestLog } from './request-log.js';
import { SupplierTallyRepository } from './supplier-tally.repository.js';
import { SupplierTallyWriter } from './supplier-tally-writer.service.js';
import { SupplierTimeline } from './supplier-timeline.js';
import { SupplierUsageReader } from './supplier-usage-reader.js';
import { UsageReader } from './usage-reader.js';

/** Usage counters and request records of the API, for the pages of developers and operators (docs/usage.md). */
@Global()
@Module({})
export class RecordsModule {
  static with(operations: readonly RecordedOperation[]): DynamicModule {
    return {
      module: RecordsModule,
      providers: [
        { provide: Operations, useFactory: () => new Operations(operations) },
        Recorder,
        { provide: REQUEST_RECORDER, useExisting: Recorder },
        RecordsRepository,
        {
          provide: RecordPartitions,
          inject: [DATABASE, CONFIG],
          useFactory: (database: Database, config: Config) => new RecordPartitions(database, config),
        },
        RecordsWriter,
        UsageReader,
        SupplierUsageReader,
        RequestLog,
        ErrorGroups,
        SupplierTallyRepository,
        SupplierTallyWriter,
        SupplierTimeline,
        FailedExchangeLog,
        AllRequests,
      ],
      exports: [
        REQUEST_RECORDER,
        UsageReader,
        SupplierUsageReader,
        RequestLog,
        ErrorGroups,
        SupplierTimeline,
        FailedExchangeLog,
        AllRequests,
      ],
    };
  }
}
