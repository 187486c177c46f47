import { Module } from '@nestjs/common';
import { OffersModule } from '../offers/offers.module.js';
import { CatalogController } from './catalog.controller.js';
import { CatalogService } from './catalog.service.js';
import { RatesController } from './rates.controller.js';
import { RatesService } from './rates.service.js';
import { SearchPages } from './search-pages.service.js';
import { SearchesController } from './searches.controller.js';

/** The product Car Availability. */
@Module({
  imports: [OffersModule],
  controllers: [CatalogController, SearchesController, RatesController],
  providers: [CatalogService, SearchPages, RatesService],
})
export class CatalogModule {}
