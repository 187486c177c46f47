import { Controller, Get, Headers, Query } from '@nestjs/common';
import { MinorVersion } from '../auth/minor-version.decorator.js';
import { Product } from '../auth/public.decorator.js';
import type { RequestContext } from '../context/request-context.js';
import type { Answer } from '../http/answer.js';
import { Context } from '../http/context.decorator.js';
import { Operation } from '../http/operation.decorator.js';
import { ERRORS, headerParameter, SEARCH_HEADERS } from '../http/operation-parts.js';
import { Prefer, type Preferences } from '../http/prefer.decorator.js';
import { SchemaPipe } from '../http/schema.pipe.js';
import { type LocationsQuery, locationsQuery } from './locations.schema.js';
import { LocationsService } from './locations.service.js';
import { locationsAnswer } from './locations.wire.js';
import { writeLocations } from './locations-answer.js';

/** Location Keyword Search (spec §4.2). */
@Controller('cars/locations')
export class LocationsController {
  constructor(private readonly locations: LocationsService) {}

  @Get('v1')
  @Product('car_location_keyword_search')
  @Operation({
    id: 'searchLocations',
    tag: 'Locations',
    summary: 'Search rental locations',
    description:
      'Searches by keyword or around a point. Returns the three best matches from all suppliers; since v1.2 at different places if there are three.',
    query: locationsQuery,
    headers: [...SEARCH_HEADERS, headerParameter('If-None-Match', 'The ETag of an earlier response.')],
    answers: {
      200: ['All suppliers answered.', locationsAnswer],
      206: ['Some suppliers returned no result; the error entries name them.', locationsAnswer],
      304: ['Not modified: the result still matches If-None-Match.', null],
      ...ERRORS,
    },
  })
  async find(
    @Query(new SchemaPipe(locationsQuery)) query: LocationsQuery,
    @MinorVersion() minor: number,
    @Headers('if-none-match') ifNoneMatch: string | undefined,
    @Prefer() { partialAs200 }: Preferences,
    @Context() context: RequestContext,
  ): Promise<Answer> {
    const found = await this.locations.find(query, minor, context);
    return writeLocations(found, { minor, requestTime: context.startedAt, ifNoneMatch, partialAs200 });
  }
}
