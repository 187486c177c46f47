import { Injectable } from '@nestjs/common';
import type { Language } from '../config/languages.js';
import type { RequestContext } from '../context/request-context.js';
import { Answer } from '../http/answer.js';
import { fitsType, preferred } from '../http/preferred.js';
import { ApiError } from '../status/api-error.js';
import { statusContainer } from '../status/status-container.js';
import { SupplierRegistry } from '../suppliers/registry.js';
import { ReservationRequests } from './reservation-requests.service.js';
import { voucherView } from './voucher.js';
import { VOUCHER_HEADERS, voucherPage } from './voucher-page.js';

/** The form that the caller wants. */
interface Wanted {
  readonly accept: string | undefined;
  readonly language: Language;
}

/** Makes vouchers from stored reservations. No supplier is called. */
@Injectable()
export class VoucherService {
  constructor(
    private readonly requests: ReservationRequests,
    private readonly registry: SupplierRegistry,
  ) {}

  /**
   * The voucher in the form and language that the caller prefers. Throws ApiError 400 if it accepts neither JSON nor
   * HTML, 404 for an unknown reservation or one that isn't confirmed.
   */
  async answer(id: string, { accept, language }: Wanted, context: RequestContext): Promise<Answer> {
    const type = preferred(accept, ['application/json', 'text/html'], fitsType);
    if (type === undefined) throw notAcceptable();
    await this.requests.enter(context);
    const reservation = await this.requests.find({ id, confirmationNumber: undefined }, context);
    const voucher = voucherView(reservation, this.registry.byId(reservation.supplier));
    const headers = { 'cache-control': 'no-store', vary: 'authorization, accept, accept-language' };
    const page = { ...headers, 'content-language': language, ...VOUCHER_HEADERS };
    if (type === 'text/html') return new Answer(200, voucherPage(voucher, language), page);
    return Answer.json(200, { status: statusContainer(context.startedAt, 200, []), voucher }, headers);
  }
}

function notAcceptable(): ApiError {
  return ApiError.of(
    'invalid_request',
    'A voucher is application/json or text/html: "Accept" must allow one of them.',
    {
      field: 'Accept',
    },
  );
}
