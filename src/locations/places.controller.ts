import { Controller, Get, Headers, Query } from '@nestjs/common';
import { Product } from '../auth/public.decorator.js';
import type { RequestContext } from '../context/request-context.js';
import { Answer } from '../http/answer.js';
import { Context } from '../http/context.decorator.js';
import { cacheable } from '../http/entity-tag.js';
import { Operation } from '../http/operation.decorator.js';
import { errorsOf, headerParameter, REQUEST_HEADERS } from '../http/operation-parts.js';
import { SchemaPipe } from '../http/schema.pipe.js';
import { statusContainer } from '../status/status-container.js';
import { type PlacesQuery, placesQuery } from './places.schema.js';
import { PlacesService } from './places.service.js';
import { placesAnswer } from './places.wire.js';

const DOC = {
  tag: 'Places',
  query: placesQuery,
  headers: [...REQUEST_HEADERS, headerParameter('If-None-Match', 'The ETag of an earlier response.')],
} as const;
const NOT_MODIFIED = ['Not modified: the result still matches If-None-Match.', null] as const;
const PLACES_ERRORS = errorsOf(400, 401, 403, 404, 408, 429, 500, 503);

/** Place Search: suggestions while a traveler types. */
@Controller('cars/places')
@Product('car_places')
export class PlacesController {
  constructor(private readonly places: PlacesService) {}

  @Get('v1')
  @Operation({
    ...DOC,
    id: 'searchPlaces',
    summary: 'Suggest places',
    description:
      'Returns cities, airports, regions, countries, stations and postal codes for what was typed, best first.',
    answers: { 200: ['The places.', placesAnswer], 304: NOT_MODIFIED, ...PLACES_ERRORS },
  })
  find(
    @Query(new SchemaPipe(placesQuery)) query: PlacesQuery,
    @Headers('if-none-match') ifNoneMatch: string | undefined,
    @Context() context: RequestContext,
  ): Answer {
    const places = this.places.find(query);
    const answer = Answer.json(200, { status: statusContainer(context.startedAt, 200, []), places });
    const { maxAgeSeconds } = this.places;
    return cacheable(answer, places, { maxAgeSeconds, vary: 'authorization', ifNoneMatch });
  }
}
