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
import { CONTENT_HEADERS, contentAnswer, NOT_MODIFIED } from './content-answer.js';
import { SuppliersService } from './suppliers.service.js';
import { noQuery, supplierAnswer, suppliersAnswer } from './suppliers.wire.js';

/** A state that operators change must be seen soon. */
const MAX_AGE_SECONDS = 60;
const DOC = { tag: 'Suppliers', query: noQuery, headers: CONTENT_HEADERS } as const;
const ERRORS = errorsOf(400, 401, 403, 404, 408, 429, 500, 503);

/** Supplier Content: the suppliers and what each can do. */
@Controller('cars/suppliers')
@Product('car_suppliers')
export class SuppliersController {
  constructor(private readonly suppliers: SuppliersService) {}

  @Get('v1')
  @Operation({
    ...DOC,
    id: 'listSuppliers',
    summary: 'List suppliers',
    description:
      'Returns every supplier with its brands, countries, capabilities, payments, cards, mark, support number and terms.',
    answers: { 200: ['The suppliers.', suppliersAnswer], 304: NOT_MODIFIED, ...ERRORS },
  })
  list(
    @Query(new SchemaPipe(noQuery)) _query: object,
    @PreferredLanguage() language: Language,
    @Headers('if-none-match') ifNoneMatch: string | undefined,
    @Context() context: RequestContext,
  ): Answer {
    const suppliers = this.suppliers.all(language);
    return contentAnswer({ suppliers }, { language, ifNoneMatch, maxAgeSeconds: MAX_AGE_SECONDS }, context);
  }

  @Get('v1/:supplier_id')
  @Operation({
    ...DOC,
    id: 'readSupplier',
    summary: 'Read a supplier',
    description: 'Returns one supplier, as in the list.',
    answers: { 200: ['The supplier.', supplierAnswer], 304: NOT_MODIFIED, ...ERRORS },
  })
  read(
    @Param('supplier_id') id: string,
    @Query(new SchemaPipe(noQuery)) _query: object,
    @PreferredLanguage() language: Language,
    @Headers('if-none-match') ifNoneMatch: string | undefined,
    @Context() context: RequestContext,
  ): Answer {
    const supplier = this.suppliers.one(id, language);
    return contentAnswer({ supplier }, { language, ifNoneMatch, maxAgeSeconds: MAX_AGE_SECONDS }, context);
  }
}
