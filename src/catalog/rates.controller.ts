import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { Product } from '../auth/public.decorator.js';
import type { RequestContext } from '../context/request-context.js';
import { Answer } from '../http/answer.js';
import { Context } from '../http/context.decorator.js';
import { Operation } from '../http/operation.decorator.js';
import { ERRORS, REQUEST_HEADERS } from '../http/operation-parts.js';
import { SchemaPipe } from '../http/schema.pipe.js';
import { errorBody } from '../status/status.wire.js';
import { type RatesBody, ratesBody } from './rates.schema.js';
import { RatesService } from './rates.service.js';
import { ratesAnswer } from './rates.wire.js';

/** Price check of one offer (docs/model.md#quote). */
@Controller('cars/catalog')
export class RatesController {
  constructor(private readonly rates: RatesService) {}

  @Post('v1/vehicles/rates')
  @HttpCode(200)
  @Product('car_availability')
  @Operation({
    id: 'priceOffer',
    tag: 'Availability',
    summary: 'Price an offer',
    description:
      'Gets the current price of an offer or earlier quote from the supplier, with the chosen extras and coverages. Creates nothing at the supplier.',
    body: ratesBody,
    headers: REQUEST_HEADERS,
    answers: {
      200: ['The quote.', ratesAnswer],
      ...ERRORS,
      404: [
        'no_results with cause sold_out; resource_failure for an unknown id, or with cause rate_expired for an expired one.',
        errorBody,
      ],
    },
  })
  async price(
    @Body(new SchemaPipe(ratesBody, 'body')) body: RatesBody,
    @Context() context: RequestContext,
  ): Promise<Answer> {
    return Answer.json(200, await this.rates.quote(body, context), { 'cache-control': 'no-store' });
  }
}
