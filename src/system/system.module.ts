import { Module } from '@nestjs/common';
import { SystemController } from './system.controller.js';

/** What operators and tools read. */
@Module({ controllers: [SystemController] })
export class SystemModule {}
