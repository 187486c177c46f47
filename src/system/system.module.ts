import { Module } from '@nestjs/common';
import { CONFIG, type Config } from '../config/config.module.js';
import { API_DESCRIPTION } from './api-description.js';
import { openApiDocument } from './openapi.js';
import { SystemController } from './system.controller.js';

/** Operations for operators and tools. */
@Module({
  controllers: [SystemController],
  providers: [
    {
      provide: API_DESCRIPTION,
      inject: [CONFIG],
      useFactory: ({ search }: Config): string => JSON.stringify(openApiDocument(search)),
    },
  ],
})
export class SystemModule {}
