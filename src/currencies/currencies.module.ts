import { Global, Module } from '@nestjs/common';
import { ExchangeRates } from './exchange-rates.service.js';

/** Exchange rates and the prices in a currency that the caller requested. */
@Global()
@Module({ providers: [ExchangeRates], exports: [ExchangeRates] })
export class CurrenciesModule {}
