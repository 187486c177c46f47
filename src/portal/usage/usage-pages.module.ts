import { Module } from '@nestjs/common';
import { AuthModule } from '../../auth/auth.module.js';
import { RequestsController } from './requests.controller.js';
import { UsageController } from './usage.controller.js';
import { UsageOverviews } from './usage-overview.service.js';

/** Usage in counts, the log of single requests, and what happened inside each. */
@Module({
  imports: [AuthModule],
  controllers: [UsageController, RequestsController],
  providers: [UsageOverviews],
})
export class UsagePagesModule {}
