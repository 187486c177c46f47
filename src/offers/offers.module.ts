import { Module } from '@nestjs/common';
import { PriceCheckService } from './price-check.service.js';

/** What an offer is and what it costs now: shared by the features that search, quote and book. */
@Module({ providers: [PriceCheckService], exports: [PriceCheckService] })
export class OffersModule {}
