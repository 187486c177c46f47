import { Global, Module } from '@nestjs/common';
import { KEYS, type Keys } from '../config/config.module.js';
import { LocationFactsCache } from './location-view.js';

/** Schemas, views and sealed ids of responses. Provides the cache that all views share. */
@Global()
@Module({
  providers: [
    {
      provide: LocationFactsCache,
      inject: [KEYS],
      useFactory: (keys: Keys) => new LocationFactsCache(keys('offer_id')),
    },
  ],
  exports: [LocationFactsCache],
})
export class RepresentationsModule {}
