import { Module } from '@nestjs/common';
import { PassportModule } from '@nestjs/passport';
import { ApplicationsService } from './applications.service.js';
import { BearerStrategy } from './bearer.strategy.js';
import { DemoApplications } from './demo-applications.js';
import { TokenController } from './token.controller.js';

/** Token operation, bearer strategy, client applications. */
@Module({
  imports: [PassportModule],
  controllers: [TokenController],
  providers: [ApplicationsService, BearerStrategy, DemoApplications],
  exports: [ApplicationsService, DemoApplications],
})
export class AuthModule {}
