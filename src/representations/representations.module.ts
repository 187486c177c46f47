import { Global, Module } from '@nestjs/common';
import { KEYS, type Keys } from '../config/config.module.js';
import { LocationFactsCache } from './location-view.js';

/** What goes on the wire: shapes, sealed ids, views. Holds the one cache that the views share. */
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
