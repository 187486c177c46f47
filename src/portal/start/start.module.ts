import { Module } from '@nestjs/common';
import { AuthModule } from '../../auth/auth.module.js';
import { IncidentsModule } from '../../incidents/incidents.module.js';
import { HeavyViews } from '../shell/heavy-views.js';
import { LiveExample } from './live-example.service.js';
import { MilestonesReader } from './milestones.service.js';
import { StartController } from './start.controller.js';

/** The front page and the home page. */
@Module({
  imports: [AuthModule, IncidentsModule],
  controllers: [StartController],
  providers: [MilestonesReader, LiveExample, HeavyViews],
})
export class StartModule {}
