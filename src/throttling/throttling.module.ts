import { Module } from '@nestjs/common';
import { ThrottlerModule } from '@nestjs/throttler';
import { CONFIG, type Config } from '../config/config.module.js';
import { GcraThrottlerStorage } from './gcra-throttler-storage.js';

/** @nestjs/throttler with the store behind it; its guard is registered in app.module.ts, after the bearer guard. */
@Module({
  imports: [
    ThrottlerModule.forRootAsync({
      inject: [CONFIG],
      useFactory: (config: Config) => {
        const { perMinute, burst } = config.throttling.tokenOperation;
        return [{ ttl: (burst * 60_000) / perMinute, limit: burst }];
      },
    }),
  ],
  providers: [GcraThrottlerStorage],
  exports: [ThrottlerModule, GcraThrottlerStorage],
})
export class ThrottlingModule {}
