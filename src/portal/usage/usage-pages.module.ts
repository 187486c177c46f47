import { Module } from '@nestjs/common';
import { AuthModule } from '../../auth/auth.module.js';
import { HeavyViews } from '../shell/heavy-views.js';
import { RequestsController } from './requests.controller.js';
import { UsageController } from './usage.controller.js';
import { UsageOverviews } from './usage-overview.service.js';

/** Usage counts, the request log, and the explanation of each request. */
@Module({
  imports: [AuthModule],
  controllers: [UsageController, RequestsController],
  providers: [UsageOverviews, HeavyViews],
})
export class UsagePagesModule {}
