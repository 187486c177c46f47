import type { KeyObject } from 'node:crypto';
import { Body, Controller, Get, HttpCode, Inject, Post, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { principalOf } from '../auth/principal.js';
import { Product } from '../auth/public.decorator.js';
import { CONFIG, type Config, KEYS, type Keys } from '../config/config.module.js';
import { Answer } from '../http/answer.js';
import { Operation } from '../http/operation.decorator.js';
import { ERRORS, SEARCH_HEADERS } from '../http/operation-parts.js';
import { scopeOf } from '../http/request-scope.js';
import { SchemaPipe } from '../http/schema.pipe.js';
import { codeOf } from '../offers/resolve-place.js';
import { partialAnswer } from '../representations/partial-answer.js';
import { enterScenario } from '../sandbox/enter-scenario.js';
import { wantedBrands } from '../suppliers/brands.js';
import { SupplierRegistry } from '../suppliers/registry.js';
import { CatalogService } from './catalog.service.js';
import { normalize } from './normalize-search.js';
import { type VehiclesBody, type VehiclesQuery, vehiclesBody, vehiclesQuery } from './vehicles.schema.js';
import { vehiclesAnswer } from './vehicles.wire.js';

/** Car Availability (spec §4.3): one search, by query or by body. */
@Controller('cars/catalog')
export class CatalogController {
  readonly #key: KeyObject;

  constructor(
    private readonly catalog: CatalogService,
    private readonly registry: SupplierRegistry,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(KEYS) keys: Keys,
  ) {
    this.#key = keys('offer_id');
  }

  @Get('v1/vehicles')
  @Product('car_availability')
  @Operation({
    id: 'searchVehicles',
    tag: 'Availability',
    summary: 'Search vehicles',
    description:
      'Offers of all suppliers for one rental. With Accept: application/x-ndjson they stream in as suppliers answer.',
    query: vehiclesQuery,
    streams: true,
    headers: SEARCH_HEADERS,
    answers: {
      200: ['All suppliers answered.', vehiclesAnswer],
      206: ['Some suppliers gave nothing; the errors name them.', vehiclesAnswer],
      ...ERRORS,
    },
  })
  byQuery(
    @Query(new SchemaPipe(vehiclesQuery)) query: VehiclesQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Answer> {
    return this.#find('GET', query, request, reply);
  }

  @Post('v1/vehicles')
  @HttpCode(200)
  @Product('car_availability')
  @Operation({
    id: 'searchVehiclesByBody',
    tag: 'Availability',
    summary: 'Search vehicles with a body',
    description:
      'As by GET, and for what may not stand in a URL. A partial result is a 200 with error entries: spec §7.2 allows no 206 on POST.',
    body: vehiclesBody,
    streams: true,
    headers: SEARCH_HEADERS,
    answers: { 200: ['The offers; errors name suppliers that gave nothing.', vehiclesAnswer], ...ERRORS },
  })
  byBody(
    @Body(new SchemaPipe(vehiclesBody, 'body')) body: VehiclesBody,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Answer> {
    return this.#find('POST', body, request, reply);
  }

  async #find(
    method: 'GET' | 'POST',
    input: VehiclesQuery | VehiclesBody,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<Answer> {
    const scope = scopeOf(request);
    const { policy } = principalOf(request);
    const brands = wantedBrands(input.brand, this.registry.brands);
    const places = [codeOf(input.pickup_location, this.#key), codeOf(input.dropoff_location ?? '', this.#key)];
    const scenario = enterScenario(
      request.headers,
      places,
      policy.defaultScenario,
      this.config.environment,
      this.registry.played,
      scope,
      reply,
    );
    const { maxResults, defaultResults, timeoutMs } = this.config.search;
    const search = normalize(input, {
      now: scope.startedAt,
      key: this.#key,
      brands,
      owner: this.#owner(brands),
      maxResults,
      defaultResults,
      timeoutMs,
    });
    const searcher = { applicationId: policy.applicationId, scenario, scope };
    if (request.headers.accept?.includes('application/x-ndjson')) {
      return new Answer(200, await this.catalog.stream(search, searcher), {
        'content-type': 'application/x-ndjson; charset=utf-8',
        'cache-control': 'no-store',
        // nginx would hold the lines back until its buffers are full.
        'x-accel-buffering': 'no',
      });
    }
    const found = await this.catalog.find(search, searcher);
    scope.trace?.tell(found.merged.problems);
    const answer = partialAnswer({ ...found, method, requestTime: scope.startedAt, prefer: request.headers.prefer });
    return new Answer(answer.status, answer.body, answer.headers);
  }

  /** The supplier whose codes a bare location code may be: that of the one brand named. */
  #owner(brands: readonly string[] | undefined): { supplier: string; brand: string } | undefined {
    const [brand, ...more] = brands ?? [];
    if (brand === undefined || more.length > 0) return undefined;
    const supplier = this.registry.shown.find(({ config }) => config.brands.includes(brand));
    return supplier && { supplier: supplier.id, brand };
  }
}
