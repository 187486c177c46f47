import { createHash } from 'node:crypto';
import { Controller, Get, Inject, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { MinorVersion } from '../auth/minor-version.decorator.js';
import { principalOf } from '../auth/principal.js';
import { Product } from '../auth/public.decorator.js';
import { CONFIG, type Config } from '../config/config.module.js';
import { Answer } from '../http/answer.js';
import { scopeOf } from '../http/request-scope.js';
import { SchemaPipe } from '../http/schema.pipe.js';
import { partialAnswer } from '../representations/partial-answer.js';
import { enterScenario } from '../sandbox/enter-scenario.js';
import { wantedBrands } from '../suppliers/brands.js';
import { SupplierRegistry } from '../suppliers/registry.js';
import { type LocationsQuery, locationsQuery } from './locations.schema.js';
import { LocationsService } from './locations.service.js';
import { foundLocationView } from './utc-offset.js';

/** Location Keyword Search (spec §4.2). */
@Controller('cars/locations')
export class LocationsController {
  constructor(
    private readonly locations: LocationsService,
    private readonly registry: SupplierRegistry,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  @Get('v1')
  @Product('car_location_keyword_search')
  async find(
    @Query(new SchemaPipe(locationsQuery)) query: LocationsQuery,
    @MinorVersion() minor: number,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Answer> {
    const scope = scopeOf(request);
    const { policy } = principalOf(request);
    const brands = wantedBrands(query.brand, this.registry.brands);
    const scenario = enterScenario(
      request.headers,
      [query.keyword ?? ''],
      policy.defaultScenario,
      this.config.environment,
      this.registry.played,
      scope,
      reply,
    );
    const found = await this.locations.find(query, brands, scenario, scope);
    scope.trace?.tell(found.problems);
    const locations = found.locations.map((location) => foundLocationView(location, minor, scope.startedAt));
    const answer = partialAnswer({
      method: 'GET',
      requestTime: scope.startedAt,
      prefer: request.headers.prefer,
      merged: found,
      members: { locations },
      skipped: found.skipped,
    });
    if (found.partial) return new Answer(answer.status, answer.body, answer.headers);
    const etag = `"${createHash('sha256').update(JSON.stringify(locations)).digest('base64url').slice(0, 27)}"`;
    const headers = {
      ...answer.headers,
      etag,
      'cache-control': `private, max-age=${this.config.search.locationsMaxAgeSeconds}`,
      vary: 'authorization, x-sandbox-scenario, prefer',
    };
    return matches(request.headers['if-none-match'], etag)
      ? new Answer(304, '', headers)
      : new Answer(answer.status, answer.body, headers);
  }
}

function matches(ifNoneMatch: string | undefined, etag: string): boolean {
  return ifNoneMatch?.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag || tag.trim() === '*') ?? false;
}
