import { Module } from '@nestjs/common';
import { AuthModule } from '../../auth/auth.module.js';
import { ConsoleController } from '../console/console.controller.js';
import { OwnApplications } from '../console/own-applications.service.js';

/** Pages of the folders docs/ and console/. */
@Module({
  imports: [AuthModule],
  controllers: [ConsoleController],
  providers: [OwnApplications],
})
export class DocsPagesModule {}
