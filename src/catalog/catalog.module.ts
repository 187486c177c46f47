import { Module } from '@nestjs/common';
import { OffersModule } from '../offers/offers.module.js';
import { CatalogController } from './catalog.controller.js';
import { CatalogService } from './catalog.service.js';
import { RatesController } from './rates.controller.js';
import { RatesService } from './rates.service.js';

/** The product Car Availability. */
@Module({
  imports: [OffersModule],
  controllers: [CatalogController, RatesController],
  providers: [CatalogService, RatesService],
})
export class CatalogModule {}
