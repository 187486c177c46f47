import { Controller, Get, Headers, Param, Query } from '@nestjs/common';
import { MinorVersion } from '../auth/minor-version.decorator.js';
import { Product } from '../auth/public.decorator.js';
import type { RequestContext } from '../context/request-context.js';
import { Answer } from '../http/answer.js';
import { Context } from '../http/context.decorator.js';
import { cacheable } from '../http/entity-tag.js';
import { Operation } from '../http/operation.decorator.js';
import { ERRORS, headerParameter, REQUEST_HEADERS } from '../http/operation-parts.js';
import { noSuchVersion } from '../http/version-router.js';
import { statusContainer } from '../status/status-container.js';
import { LocationService } from './location.service.js';
import { locationQuery } from './locations.schema.js';
import { locationAnswer } from './locations.wire.js';
import { VARY } from './locations-answer.js';

/** The first minor with one location by its id. */
const SINCE_MINOR = 2;

const DOC = {
  tag: 'Locations',
  query: locationQuery,
  headers: [...REQUEST_HEADERS, headerParameter('If-None-Match', 'The ETag of an earlier response.')],
} as const;
const NOT_MODIFIED = ['Not modified: the location still matches If-None-Match.', null] as const;

/** One location of the product Location Keyword Search, since v1.2. */
@Controller('cars/locations')
@Product('car_location_keyword_search')
export class LocationController {
  constructor(private readonly location: LocationService) {}

  @Get('v1/:location_id')
  @Operation({
    ...DOC,
    id: 'readLocation',
    summary: 'Read a rental location',
    description:
      'Returns one location by its id, as its supplier describes it now: address, hours, holidays, services.',
    answers: { 200: ['The location.', locationAnswer], 304: NOT_MODIFIED, ...ERRORS },
  })
  async read(
    @Param('location_id') id: string,
    @Query() query: unknown,
    @MinorVersion() minor: number,
    @Headers('if-none-match') ifNoneMatch: string | undefined,
    @Context() context: RequestContext,
  ): Promise<Answer> {
    if (minor < SINCE_MINOR) throw noSuchVersion();
    const location = await this.location.find(id, query, context);
    const answer = Answer.json(200, { status: statusContainer(context.startedAt, 200, []), location });
    const { maxAgeSeconds } = this.location;
    return cacheable(answer, location, { maxAgeSeconds, vary: VARY, ifNoneMatch });
  }
}
