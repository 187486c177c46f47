import { type DynamicModule, Global, Module } from '@nestjs/common';
import { REQUEST_RECORDER } from '../http/request-recorder.js';
import { Operations, type RecordedOperation } from './operations.js';
import { Recorder } from './recorder.service.js';
import { RecordsRepository } from './records.repository.js';
import { RecordsWriter } from './records-writer.service.js';

/** Usage counters and single requests of the API, for the pages of developers and ops (docs/usage.md). */
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
        RecordsWriter,
      ],
      exports: [REQUEST_RECORDER],
    };
  }
}
