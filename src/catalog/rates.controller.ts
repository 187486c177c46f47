import type { KeyObject } from 'node:crypto';
import { Body, Controller, HttpCode, Inject, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { principalOf } from '../auth/principal.js';
import { Product } from '../auth/public.decorator.js';
import { CONFIG, type Config, KEYS, type Keys } from '../config/config.module.js';
import { Answer } from '../http/answer.js';
import { scopeOf } from '../http/request-scope.js';
import { SchemaPipe } from '../http/schema.pipe.js';
import { PriceCheckService } from '../offers/price-check.service.js';
import { pricedOf, unknownId } from '../offers/priced-key.js';
import { codeOf } from '../offers/resolve-place.js';
import { LocationFactsCache } from '../representations/location-view.js';
import { enterScenario } from '../sandbox/enter-scenario.js';
import { statusContainer } from '../status/status-container.js';
import { SupplierRegistry } from '../suppliers/registry.js';
import { quoteJson } from './quote-view.js';
import { type RatesBody, ratesBody } from './rates.schema.js';

/** Price check of one offer (docs/model.md#quote). */
@Controller('cars/catalog')
export class RatesController {
  readonly #key: KeyObject;

  constructor(
    private readonly prices: PriceCheckService,
    private readonly registry: SupplierRegistry,
    private readonly facts: LocationFactsCache,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(KEYS) keys: Keys,
  ) {
    this.#key = keys('offer_id');
  }

  @Post('v1/vehicles/rates')
  @HttpCode(200)
  @Product('car_availability')
  async price(
    @Body(new SchemaPipe(ratesBody, 'body')) body: RatesBody,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Answer> {
    const scope = scopeOf(request);
    const { policy } = principalOf(request);
    const priced = pricedOf(body, this.#key);
    const places = priced ? [codeOf(priced.search[0], this.#key), codeOf(priced.search[1], this.#key)] : [];
    const { environment, search } = this.config;
    const scenario = enterScenario(
      request.headers,
      places,
      policy.defaultScenario,
      environment,
      this.registry.played,
      scope,
      reply,
    );
    if (!priced) throw unknownId(body.quote_id === undefined ? 'offer' : 'quote');
    const wish = {
      extras: body.extras?.map(({ extra_id, quantity }) => ({ code: extra_id, quantity })),
      coverages: body.coverages,
      age: body.age,
      dateOfBirth: body.date_of_birth,
    };
    const caller = { applicationId: policy.applicationId, scenario, scope };
    const checked = await this.prices.check(priced, wish, caller, 'priceCheck');
    const terms = { facts: this.facts, key: this.#key, now: scope.startedAt, ttlSeconds: search.offerTtlSeconds };
    const status = JSON.stringify(statusContainer(scope.startedAt, 200, []));
    return new Answer(200, `{"status":${status},"quote":${quoteJson(priced, checked, terms)}}`, {
      'cache-control': 'no-store',
    });
  }
}
