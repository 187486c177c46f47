import { Module } from '@nestjs/common';
import { PriceCheckService } from './price-check.service.js';

/** Offers and their current prices, shared by search, quotes and bookings. */
@Module({ providers: [PriceCheckService], exports: [PriceCheckService] })
export class OffersModule {}
