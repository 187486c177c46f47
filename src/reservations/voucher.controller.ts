import { Controller, Get, Headers, Param } from '@nestjs/common';
import { Product } from '../auth/public.decorator.js';
import type { Language } from '../config/languages.js';
import type { RequestContext } from '../context/request-context.js';
import type { Answer } from '../http/answer.js';
import { Context } from '../http/context.decorator.js';
import { LANGUAGE_HEADER, PreferredLanguage } from '../http/language.decorator.js';
import { Operation } from '../http/operation.decorator.js';
import { ERRORS, REQUEST_HEADERS } from '../http/operation-parts.js';
import { errorBody } from '../status/status.wire.js';
import { VoucherService } from './voucher.service.js';
import { voucherAnswer } from './voucher.wire.js';

/** The vouchers of the product Car Reservation. */
@Controller('cars/reservation')
@Product('car_reservation')
export class VoucherController {
  constructor(private readonly vouchers: VoucherService) {}

  @Get('v1/:reservation_id/voucher')
  @Operation({
    id: 'readVoucher',
    tag: 'Reservations',
    summary: 'Read or print the voucher of a reservation',
    description:
      'What the renter shows at the counter: as JSON, or with "Accept: text/html" as a page for printing. Only a confirmed reservation has one.',
    headers: [...REQUEST_HEADERS, LANGUAGE_HEADER],
    hasPage: true,
    answers: {
      200: ['The voucher.', voucherAnswer],
      ...ERRORS,
      404: ['resource_failure: there is no such reservation, or it is not confirmed.', errorBody],
    },
  })
  async read(
    @Param('reservation_id') id: string,
    @Headers('accept') accept: string | undefined,
    @PreferredLanguage() language: Language,
    @Context() context: RequestContext,
  ): Promise<Answer> {
    return await this.vouchers.answer(id, { accept, language }, context);
  }
}
