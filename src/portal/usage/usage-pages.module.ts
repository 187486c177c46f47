import { Module } from '@nestjs/common';
import { AuthModule } from '../../auth/auth.module.js';
import { BookedReader } from '../../reservations/booked-reader.js';
import { ReservationsPagesModule } from '../reservations/reservations-pages.module.js';
import { HeavyViews } from '../shell/heavy-views.js';
import { LogsController, OldLogsController } from './logs.controller.js';
import { UsageController } from './usage.controller.js';
import { UsageOverviews } from './usage-overview.service.js';

/** Usage counts, the request log, and the explanation of each request. */
@Module({
  imports: [AuthModule, ReservationsPagesModule],
  controllers: [UsageController, LogsController, OldLogsController],
  providers: [UsageOverviews, BookedReader, HeavyViews],
})
export class UsagePagesModule {}
