import { bookingKey, type Total } from './booking-check.js';
import type { OwnCall } from './own-calls.js';
import type { Arguments } from './tool-inputs.js';

/** Offers of one answer. */
export const MOST_OFFERS = 20;

const RESERVATION = '/cars/reservation/v1/';
const CHANGED = { prefer: 'return=representation' };

/** A call that isn't made, because the arguments contradict each other; the text says what to do. */
export class Refusal extends Error {
  constructor(
    readonly details: string,
    /** What it should have been. */
    readonly total?: Total,
  ) {
    super(details);
  }
}

/** The call of find_place. */
export function placesCall(input: Arguments<'find_place'>): OwnCall {
  return { method: 'GET', url: `/cars/places/v1?${query(input)}` };
}

/** The call of a new search, or of another page of one. Throws Refusal if `more` isn't alone. */
export function searchCall({ more, ...input }: Arguments<'search'>): OwnCall {
  if (!more) return { method: 'GET', url: `/cars/catalog/v1/vehicles?${query({ ...input, page_size: MOST_OFFERS })}` };
  if (Object.keys(input).length > 0)
    throw new Refusal('"more" excludes all other arguments: it continues an earlier search.');
  return pageCall(more.search_id, more.cursor);
}

/** The call that reads a kept search. */
export function pageCall(searchId: string, cursor?: string): OwnCall {
  return { method: 'GET', url: `/cars/catalog/v1/searches/${encodeURIComponent(searchId)}?${query({ cursor })}` };
}

/** The call of price. */
export function priceCall(body: Arguments<'price'>): OwnCall {
  return { method: 'POST', url: '/cars/catalog/v1/vehicles/rates', body };
}

/**
 * The call that books a quote at the total that its price check returned. `confirmed` undefined = not a quote of the
 * application. Throws Refusal for that, and for another total, with the right one.
 */
export function bookCall(
  { total, currency, ...booking }: Arguments<'book'>,
  confirmed: Total | undefined,
  applicationId: string,
): OwnCall {
  const accepted = agreed({ amount: total, currency }, confirmed);
  const key = bookingKey(applicationId, booking.quote_id, booking.driver);
  const body = { ...booking, accepted_total: accepted };
  return { method: 'POST', url: RESERVATION, body, headers: { 'idempotency-key': key } };
}

/** The call of read_reservation. */
export function readCall({ reservation_id: id }: Arguments<'read_reservation'>): OwnCall {
  return { method: 'GET', url: `${RESERVATION}${id}` };
}

/** The call that changes fields of a reservation or, with a quote, its rental. Throws Refusal as bookCall does. */
export function changeCall(
  { reservation_id: id, etag, quote_id, total, currency, driver, ...fields }: Arguments<'change_reservation'>,
  confirmed: Total | undefined,
): OwnCall {
  const headers = { ...CHANGED, ...(etag === undefined ? {} : { 'if-match': etag }) };
  const url = `${RESERVATION}${id}`;
  if (quote_id === undefined) {
    if (total !== undefined || currency !== undefined)
      throw new Refusal('"total" and "currency" need "quote_id": they are the price of a new rental.');
    return { method: 'PATCH', url, body: { ...fields, ...(driver ? { driver } : {}) }, headers };
  }
  if (driver) throw new Refusal('"driver" and "quote_id" exclude each other: change one after the other.');
  if (total === undefined || currency === undefined)
    throw new Refusal('"quote_id" needs the "total" and "currency" that the price tool returned.', confirmed);
  const accepted = agreed({ amount: total, currency }, confirmed);
  const { arrival, ...rest } = fields;
  const body = { ...rest, ...(arrival ? { arrival } : {}), quote_id, accepted_total: accepted };
  return { method: 'PUT', url, body, headers };
}

/** The call of cancel_reservation. */
export function cancelCall({ reservation_id: id, etag }: Arguments<'cancel_reservation'>): OwnCall {
  return {
    method: 'DELETE',
    url: `${RESERVATION}${id}`,
    headers: { ...CHANGED, ...(etag ? { 'if-match': etag } : {}) },
  };
}

function agreed(said: Total, confirmed: Total | undefined): Total {
  if (!confirmed)
    throw new Refusal('This is not a quote_id of your application. Call price and confirm its total with the user.');
  if (said.amount === confirmed.amount && said.currency === confirmed.currency) return confirmed;
  const right = `${confirmed.amount} ${confirmed.currency}`;
  throw new Refusal(`The total of this quote is ${right}. Confirm that price with the user, then send it.`, confirmed);
}

function query(values: Readonly<Record<string, unknown>>): string {
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  return new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
}
