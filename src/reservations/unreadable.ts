import { missingKeyOf } from '../config/sealed-text.js';
import { ApiError } from '../status/api-error.js';
import { outageError } from '../status/outages.js';

const STORED =
  "The reservation at Location and the response to its booking are stored, and this request changed nothing: don't book again, but repeat this request, with the same Idempotency-Key if it has one.";

/**
 * Opens what is stored of a reservation with `open`. Throws ApiError 503 with the cause key_missing and the reservation's Location if its
 * key is missing here; otherwise the error of `open`.
 */
export function unreadable<T>(reservationId: string, open: () => T): T {
  try {
    return open();
  } catch (error) {
    const missing = missingKeyOf(error);
    if (!missing) throw error;
    const { problems, headers } = outageError('key_missing', missing, STORED);
    const location = `/cars/reservation/v1/${reservationId}`;
    throw new ApiError(problems, { ...headers, location }, { cause: missing });
  }
}
