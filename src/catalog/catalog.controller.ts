import { Body, Controller, Get, Headers, HttpCode, Post, Query } from '@nestjs/common';
import { Product } from '../auth/public.decorator.js';
import type { RequestContext } from '../context/request-context.js';
import { Answer } from '../http/answer.js';
import { Context } from '../http/context.decorator.js';
import { Operation } from '../http/operation.decorator.js';
import { ERRORS, SEARCH_HEADERS } from '../http/operation-parts.js';
import { Prefer, type Preferences } from '../http/prefer.decorator.js';
import { SchemaPipe } from '../http/schema.pipe.js';
import { partialAnswer } from '../representations/partial-answer.js';
import { ApiError } from '../status/api-error.js';
import { CatalogService } from './catalog.service.js';
import type { MadeLines } from './offer-stream.js';
import { SearchPages } from './search-pages.service.js';
import { type VehiclesBody, type VehiclesQuery, vehiclesBody, vehiclesQuery } from './vehicles.schema.js';
import { vehiclesAnswer } from './vehicles.wire.js';

const LINES = {
  'content-type': 'application/x-ndjson; charset=utf-8',
  'cache-control': 'no-store',
  // Otherwise nginx holds the lines back until its buffers are full.
  'x-accel-buffering': 'no',
};

/** Car Availability (spec §4.3): one search, by query or by body. */
@Controller('cars/catalog')
export class CatalogController {
  constructor(
    private readonly catalog: CatalogService,
    private readonly pages: SearchPages,
  ) {}

  @Get('v1/vehicles')
  @Product('car_availability')
  @Operation({
    id: 'searchVehicles',
    tag: 'Availability',
    summary: 'Search vehicles',
    description:
      'Returns the offers of all suppliers for one rental. With Accept: application/x-ndjson, offers are streamed as suppliers answer.',
    query: vehiclesQuery,
    streams: true,
    headers: SEARCH_HEADERS,
    answers: {
      200: ['All suppliers answered.', vehiclesAnswer],
      206: ['Some suppliers returned no result; the error entries name them.', vehiclesAnswer],
      ...ERRORS,
    },
  })
  async byQuery(
    @Query(new SchemaPipe(vehiclesQuery)) query: VehiclesQuery,
    @Headers('accept') accept: string | undefined,
    @Prefer() { partialAs200 }: Preferences,
    @Context() context: RequestContext,
  ): Promise<Answer> {
    if (wantsLines(accept, query)) return inLines(await this.catalog.stream(query, context));
    const found = await this.pages.first(await this.catalog.find(query, context), query.view, context);
    return Answer.of(partialAnswer({ ...found, method: 'GET', requestTime: context.startedAt, partialAs200 }));
  }

  @Post('v1/vehicles')
  @HttpCode(200)
  @Product('car_availability')
  @Operation({
    id: 'searchVehiclesByBody',
    tag: 'Availability',
    summary: 'Search vehicles with a body',
    description:
      'The same search as with GET, plus fields that must not appear in a URL. A partial result is a 200 with error entries, because POST has no 206 (spec §7.2).',
    body: vehiclesBody,
    streams: true,
    headers: SEARCH_HEADERS,
    answers: { 200: ['The offers. Error entries name suppliers that returned no result.', vehiclesAnswer], ...ERRORS },
  })
  async byBody(
    @Body(new SchemaPipe(vehiclesBody, 'body')) body: VehiclesBody,
    @Headers('accept') accept: string | undefined,
    @Prefer() { partialAs200 }: Preferences,
    @Context() context: RequestContext,
  ): Promise<Answer> {
    if (wantsLines(accept, body)) return inLines(await this.catalog.stream(body, context));
    const found = await this.pages.first(await this.catalog.find(body, context), body.view, context);
    return Answer.of(partialAnswer({ ...found, method: 'POST', requestTime: context.startedAt, partialAs200 }));
  }
}

function inLines({ readable, made }: MadeLines): Answer {
  return new Answer(200, readable, LINES, made);
}

function wantsLines(accept: string | undefined, { page_size: size, view }: VehiclesQuery | VehiclesBody): boolean {
  const wanted = accept?.includes('application/x-ndjson') ?? false;
  const field = size === undefined ? (view === 'full' ? undefined : 'view') : 'page_size';
  if (!wanted || field === undefined) return wanted;
  const details = `"${field}" and "Accept: application/x-ndjson" exclude each other: a stream has no pages and no tables.`;
  throw ApiError.of('invalid_request', details, { field });
}
