import { Module } from '@nestjs/common';
import { AuthModule } from '../../auth/auth.module.js';
import { MilestonesReader } from './milestones.service.js';
import { StartController } from './start.controller.js';

/** The front page and the home page. */
@Module({ imports: [AuthModule], controllers: [StartController], providers: [MilestonesReader] })
export class StartModule {}
