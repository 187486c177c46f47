import { Controller, Get, Param, Query } from '@nestjs/common';
import { Product } from '../auth/public.decorator.js';
import type { RequestContext } from '../context/request-context.js';
import { Answer } from '../http/answer.js';
import { Context } from '../http/context.decorator.js';
import { Operation } from '../http/operation.decorator.js';
import { ERRORS, headerParameter, REQUEST_HEADERS } from '../http/operation-parts.js';
import { Prefer, type Preferences } from '../http/prefer.decorator.js';
import { SchemaPipe } from '../http/schema.pipe.js';
import { partialAnswer } from '../representations/partial-answer.js';
import { errorBody } from '../status/status.wire.js';
import { SearchPages } from './search-pages.service.js';
import { type PageQuery, pageQuery } from './vehicles.schema.js';
import { vehiclesAnswer } from './vehicles.wire.js';

const PREFER = headerParameter('Prefer', '"partial=200" returns a partial result with 200 instead of 206.');

/** The pages of searches with a `page_size`. */
@Controller('cars/catalog')
@Product('car_availability')
export class SearchesController {
  constructor(private readonly pages: SearchPages) {}

  @Get('v1/searches/:search_id')
  @Operation({
    id: 'readSearch',
    tag: 'Availability',
    summary: 'Read a page of a search',
    description:
      'Returns one page of a search with page_size, as it was when it was made, without offers that have expired since: no supplier is called. It is kept until its last offer expires, or until newer searches of the application need its room.',
    query: pageQuery,
    headers: [...REQUEST_HEADERS, PREFER],
    answers: {
      200: ['All suppliers answered the search.', vehiclesAnswer],
      206: ['Some suppliers returned no result for the search; the error entries name them.', vehiclesAnswer],
      ...ERRORS,
      404: ['resource_failure: the application has no such search, or it is no longer kept.', errorBody],
    },
  })
  async read(
    @Param('search_id') id: string,
    @Query(new SchemaPipe(pageQuery)) query: PageQuery,
    @Prefer() { partialAs200 }: Preferences,
    @Context() context: RequestContext,
  ): Promise<Answer> {
    const found = await this.pages.read(id, query, context);
    return Answer.of(partialAnswer({ ...found, method: 'GET', requestTime: context.startedAt, partialAs200 }));
  }
}
