import type { z } from 'zod';
import type { ChosenExtra } from '../model/bookings.js';
import { type Money, roundedMoney } from '../model/money.js';
import type { DisplayTerms } from '../model/offers.js';
import { type OfferOrigin, offerIdTuple, originOf, readShown, type SearchKey } from '../representations/offer-id.js';
import { besidesOfWords, displayTermsOf, quoteTuple } from '../representations/quote-id.js';
import { type OpeningKeys, unseal } from '../representations/sealed-id.js';
import type { ShownPlaces } from '../representations/shown-places.js';
import type { ShownTerms } from '../representations/shown-terms.js';
import { ApiError } from '../status/api-error.js';

/** The contents of an `off_…` or `quo_…` id: enough to price and book the same car again, bound to one application. */
export interface PricedKey {
  readonly kind: 'offer' | 'quote';
  readonly application: string;
  readonly supplier: string;
  readonly brand: string;
  readonly search: SearchKey;
  /** The offer's supplierRef. */
  readonly ref: Readonly<Record<string, string | number | boolean>>;
  /** `carOf` the offer that the caller saw; absent = any car that the supplier prices is accepted. */
  readonly car?: string;
  /** Where the offer that the caller saw begins and ends. Absent = not known. */
  readonly places?: ShownPlaces;
  /** The terms of the offer that the caller saw. Absent = nothing that a later answer could worsen. */
  readonly terms?: ShownTerms;
  /** As shown to the caller: without extras for an offer, with the choices for a quote. */
  readonly total: Money;
  /** Epoch seconds. */
  readonly expiresAt: number;
  /** The choices; both are empty for an offer. */
  readonly extras: readonly ChosenExtra[];
  readonly coverages: readonly string[];
  /** The codes of the choices that are paid besides the total. Absent = none. */
  readonly besides?: readonly string[];
  /** For an offer. Absent = 'supplier'. */
  readonly origin?: Exclude<OfferOrigin, 'supplier'>;
  /** The currency that the caller requested; of a quote, with its rate. Absent = none. */
  readonly display?: DisplayTerms;
}

/**
 * Decodes an `off_…` or `quo_…` id; undefined if this gateway did not issue it. The price check verifies expiry and
 * application.
 */
export function readPriced(id: string, keys: OpeningKeys): PricedKey | undefined {
  const offer = unseal('off_', id, keys);
  if (offer !== undefined) {
    const read = offerIdTuple.safeParse(JSON.parse(offer));
    if (!read.success) return undefined;
    const priced = keyOf('offer', read.data, [], []);
    const [origin, currency] = [originOf(read.data), read.data[10]];
    return (
      priced && {
        ...priced,
        ...(origin === 'supplier' ? {} : { origin }),
        ...(currency === undefined ? {} : { display: { currency } }),
      }
    );
  }
  const quote = unseal('quo_', id, keys);
  const read = quote === undefined ? undefined : quoteTuple.safeParse(JSON.parse(quote));
  if (!read?.success) return undefined;
  const [extras, coverages] = [read.data[9], read.data[10]];
  const chosen = { extras: extras.map(([code, quantity]) => ({ code, quantity })), coverages };
  const priced = keyOf('quote', read.data, chosen.extras, coverages);
  const besides = besidesOfWords(read.data[5], chosen);
  const display = displayTermsOf(read.data[12], read.data[7]);
  return priced && { ...priced, ...(besides.length > 0 && { besides }), ...(display && { display }) };
}

function keyOf(
  kind: PricedKey['kind'],
  [application, supplier, brand, search, ref, shown, amount, currency, expiresAt]:
    | z.infer<typeof offerIdTuple>
    | z.infer<typeof quoteTuple>,
  extras: readonly ChosenExtra[],
  coverages: readonly string[],
): PricedKey | undefined {
  const total = roundedMoney(amount, currency);
  const seen = readShown(shown);
  return total && { kind, application, supplier, brand, search, ref, ...seen, total, expiresAt, extras, coverages };
}

/** The two id fields of a body, of which exactly one is set. */
export interface PricedFields {
  readonly offer_id?: string | undefined;
  readonly quote_id?: string | undefined;
}

/** The offer or quote of a body; undefined if the id was not issued by this gateway or is in the wrong field. */
export function pricedOf({ offer_id, quote_id }: PricedFields, keys: OpeningKeys): PricedKey | undefined {
  const priced = readPriced(quote_id ?? offer_id ?? '', keys);
  return priced?.kind === (quote_id === undefined ? 'offer' : 'quote') ? priced : undefined;
}

/** Returns `priced`. Throws ApiError 404 if it is undefined. */
export function knownId(priced: PricedKey | undefined, body: PricedFields): PricedKey {
  if (priced) return priced;
  throw unknownId(body.quote_id === undefined ? 'offer' : 'quote');
}

/** The error for an unknown id and, identically, for one that belongs to another application (ruling 14). */
export function unknownId(kind: PricedKey['kind']): ApiError {
  const field = `${kind}_id`;
  return ApiError.of(
    'resource_failure',
    `No such ${kind}. Send "${field}" exactly as it was returned to your application.`,
    {
      field,
    },
  );
}
