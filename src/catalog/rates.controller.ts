import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { Product } from '../auth/public.decorator.js';
import type { RequestContext } from '../context/request-context.js';
import { Answer } from '../http/answer.js';
import { Context } from '../http/context.decorator.js';
import { SchemaPipe } from '../http/schema.pipe.js';
import { type RatesBody, ratesBody } from './rates.schema.js';
import { RatesService } from './rates.service.js';

/** Price check of one offer (model.md Quote). */
@Controller('cars/catalog')
export class RatesController {
  constructor(private readonly rates: RatesService) {}

  @Post('v1/vehicles/rates')
  @HttpCode(200)
  @Product('car_availability')
  async price(
    @Body(new SchemaPipe(ratesBody, 'body')) body: RatesBody,
    @Context() context: RequestContext,
  ): Promise<Answer> {
    return new Answer(200, await this.rates.quote(body, context), { 'cache-control': 'no-store' });
  }
}
