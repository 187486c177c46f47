import type { SupplierLocation } from '../../model/locations.js';
import type { Money } from '../../model/money.js';
import type { Cancellation, SupplierOffer } from '../../model/offers.js';
import { type SupplierAnswer, SupplierError } from '../../model/supplier.js';
import { Warnings } from '../../model/warnings.js';
import { toLocal } from '../../places/places.js';
import type { Whereabouts } from '../../places/zone-of.js';
import { timeZonesOf } from '../time-zones.js';

/**
 * The answer with the cancellation terms that apply at `now` (epoch milliseconds): a free cancellation whose deadline is past isn't
 * one. An answer without such terms is returned as it is.
 */
export function withCurrentTerms(answer: SupplierAnswer<SupplierOffer>, now: number): SupplierAnswer<SupplierOffer> {
  const clocks = new Map<SupplierLocation, Clocks>();
  let isChanged = false;
  const items = answer.items.map((offer) => {
    const { cancellation, pickup, price } = offer;
    if (cancellation.freeUntil === undefined) return offer;
    const clock = clocks.get(pickup) ?? clocksAt(pickup, now);
    clocks.set(pickup, clock);
    const terms = termsAt(cancellation, price.total, clock);
    if (terms === cancellation) return offer;
    isChanged = true;
    return { ...offer, cancellation: terms };
  });
  return isChanged ? { ...answer, items } : answer;
}

/** Terms as they apply by the clocks at the pickup; the same object if they are as stated. `total` is that of the offer. */
export function termsAt(cancellation: Cancellation, total: Money, { earliest, latest }: Clocks): Cancellation {
  const { freeUntil } = cancellation;
  if (freeUntil === undefined || freeUntil > latest) return cancellation;
  return freeUntil > earliest ? unclearTerms(cancellation) : endedTerms(cancellation, total, latest);
}

/** Local times at a location, as YYYY-MM-DDTHH:MM:SS. */
interface Clocks {
  readonly earliest: string;
  readonly latest: string;
}

/** The clock at a location at `now` (epoch milliseconds): if its zone isn't known, the earliest and the latest that it may show. */
export function clocksAt({ address, iataCode, latitude = 91, longitude = 181 }: Whereabouts, now: number): Clocks {
  // Offers at coordinates that don't exist are left out later.
  const exists = Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180;
  const zones = timeZonesOf({ address, iataCode, ...(exists && { latitude, longitude }) });
  const [earliest = '', ...later] = zones.map((zone) => toLocal(now, zone)).sort();
  return { earliest, latest: later.at(-1) ?? earliest };
}

/** An offer that expires sooner can't be booked by anyone who reads the answer. */
const LEAST_LIFE_MS = 60_000;

/**
 * The answer to a search without offers that have expired at `now` (epoch milliseconds) or soon will, with a warning. Throws
 * SupplierError `bad_payload` if that leaves none. An answer without such an offer is returned as it is.
 */
export function withoutExpired(answer: SupplierAnswer<SupplierOffer>, now: number): SupplierAnswer<SupplierOffer> {
  const warnings = new Warnings();
  const items = answer.items.filter(({ expiresAt }) => {
    if (expiresAt === undefined || Date.parse(expiresAt) >= now + LEAST_LIFE_MS) return true;
    warnings.add('contradiction', `an offer that has expired, or will in less than a minute (${expiresAt}), left out`);
    return false;
  });
  if (items.length === answer.items.length) return answer;
  if (items.length === 0)
    throw new SupplierError('bad_payload', `no offer of the answer is still valid: ${warnings.list[0]?.text}`);
  warnings.addAll(answer.warnings);
  return { items, warnings: warnings.list };
}

/** Nothing is said about a free cancellation whose deadline may be past, in another zone of the country. */
function unclearTerms({ freeUntil: _unclear, refundable: _open, ...terms }: Cancellation): Cancellation {
  return terms;
}

/** Without the free cancellation; refundable only if the rule that applies now is known to leave a part of the total. */
function endedTerms(
  { freeUntil: _ended, refundable, ...terms }: Cancellation,
  total: Money,
  now: string,
): Cancellation {
  const applying = terms.rules.filter(({ from = '', until }) => from <= now && (until === undefined || until > now));
  // A fee in another currency can't be compared.
  const comparable = (fee: Money | undefined): Money | undefined =>
    fee?.currency === total.currency ? fee : undefined;
  const known =
    applying.length > 0 && applying.every(({ fee, percent }) => comparable(fee) !== undefined || percent !== undefined);
  const isLost = applying.some(
    ({ fee, percent }) => Number(percent ?? 0) >= 100 || (comparable(fee)?.amountMinor ?? 0) >= total.amountMinor,
  );
  if (isLost) return { refundable: false, ...terms };
  return refundable !== undefined && known ? { refundable, ...terms } : terms;
}
