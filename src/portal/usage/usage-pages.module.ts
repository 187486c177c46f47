import { Module } from '@nestjs/common';
import { OwnApplications } from './own-applications.js';
import { RequestsController } from './requests.controller.js';
import { UsageController } from './usage.controller.js';

/** Usage in counts, the log of single requests, and what happened inside each. */
@Module({
  controllers: [UsageController, RequestsController],
  providers: [OwnApplications],
})
export class UsagePagesModule {}
