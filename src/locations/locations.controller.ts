import { Controller, Get, Headers, Query } from '@nestjs/common';
import { MinorVersion } from '../auth/minor-version.decorator.js';
import { Product } from '../auth/public.decorator.js';
import type { RequestContext } from '../context/request-context.js';
import type { Answer } from '../http/answer.js';
import { Context } from '../http/context.decorator.js';
import { Prefer, type Preferences } from '../http/prefer.decorator.js';
import { SchemaPipe } from '../http/schema.pipe.js';
import { type LocationsQuery, locationsQuery } from './locations.schema.js';
import { LocationsService } from './locations.service.js';
import { locationsAnswer } from './locations-answer.js';

/** Location Keyword Search (spec §4.2). */
@Controller('cars/locations')
export class LocationsController {
  constructor(private readonly locations: LocationsService) {}

  @Get('v1')
  @Product('car_location_keyword_search')
  async find(
    @Query(new SchemaPipe(locationsQuery)) query: LocationsQuery,
    @MinorVersion() minor: number,
    @Headers('if-none-match') ifNoneMatch: string | undefined,
    @Prefer() { partialAs200 }: Preferences,
    @Context() context: RequestContext,
  ): Promise<Answer> {
    const found = await this.locations.find(query, context);
    return locationsAnswer(found, { minor, requestTime: context.startedAt, ifNoneMatch, partialAs200 });
  }
}
