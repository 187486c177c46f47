import { Controller, Get, Headers, Param, Query } from '@nestjs/common';
import { Product } from '../auth/public.decorator.js';
import type { Language } from '../config/languages.js';
import type { RequestContext } from '../context/request-context.js';
import type { Answer } from '../http/answer.js';
import { Context } from '../http/context.decorator.js';
import { PreferredLanguage } from '../http/language.decorator.js';
import { Operation } from '../http/operation.decorator.js';
import { errorsOf } from '../http/operation-parts.js';
import { SchemaPipe } from '../http/schema.pipe.js';
import { wordsIn } from '../representations/words/words-in.js';
import { CONTENT_HEADERS, contentAnswer, NOT_MODIFIED } from './content-answer.js';
import { noQuery } from './suppliers.wire.js';
import { vehicleContent } from './vehicle-view.js';
import { vehicleContentAnswer, wordsAnswer } from './vehicles.wire.js';

/** It changes only with a release of the gateway. */
const MAX_AGE_SECONDS = 86_400;
const DOC = { tag: 'Vehicles', query: noQuery, headers: CONTENT_HEADERS } as const;
const ERRORS = errorsOf(400, 401, 403, 404, 408, 429, 500, 503);

/** Vehicle Content: what SIPP codes and other values of answers mean, in words and pictures. */
@Controller('cars/vehicles')
@Product('car_vehicles')
export class VehiclesController {
  @Get('v1')
  @Operation({
    ...DOC,
    id: 'listNames',
    summary: 'List the names of values',
    description:
      'Returns the names of all enumerated values of offers and reservations in one language: categories, transmissions, fuels, payments, states, …',
    answers: { 200: ['The names.', wordsAnswer], 304: NOT_MODIFIED, ...ERRORS },
  })
  names(
    @Query(new SchemaPipe(noQuery)) _query: object,
    @PreferredLanguage() language: Language,
    @Headers('if-none-match') ifNoneMatch: string | undefined,
    @Context() context: RequestContext,
  ): Answer {
    const names = wordsIn(language);
    return contentAnswer({ names }, { language, ifNoneMatch, maxAgeSeconds: MAX_AGE_SECONDS }, context);
  }

  @Get('v1/:sipp_code')
  @Operation({
    ...DOC,
    id: 'readVehicleContent',
    summary: 'Decode a SIPP code',
    description: 'Returns what the four letters of a SIPP (ACRISS) code mean, and a neutral picture of such a car.',
    answers: { 200: ['The meaning of the code.', vehicleContentAnswer], 304: NOT_MODIFIED, ...ERRORS },
  })
  read(
    @Param('sipp_code') code: string,
    @Query(new SchemaPipe(noQuery)) _query: object,
    @PreferredLanguage() language: Language,
    @Headers('if-none-match') ifNoneMatch: string | undefined,
    @Context() context: RequestContext,
  ): Answer {
    const vehicle = vehicleContent(code, language);
    return contentAnswer({ vehicle }, { language, ifNoneMatch, maxAgeSeconds: MAX_AGE_SECONDS }, context);
  }
}
