import type { z } from 'zod';
import { type Money, parseMoney } from '../model/money.js';
import type { Cancellation } from '../model/offers.js';
import { toLocal } from '../places/places.js';
import type { offerWire } from '../representations/offers.wire.js';
import { clocksAt, termsAt } from '../suppliers/answers/current-terms.js';

type Offer = z.infer<typeof offerWire>;
type Group = { readonly offer: Offer; readonly alternatives: readonly Offer[] };

const FREE_UNTIL = '"free_until":"';
const LOCAL = '2027-01-01T00:00:00'.length;
/** Where the clock shows the latest time. */
const EASTERNMOST = 'Etc/GMT-14';

/**
 * Kept offers and groups, as bytes of JSON, with the cancellation terms that apply at `now` (epoch milliseconds), as when they were
 * found. Only those are read whose deadline may be past.
 */
export function withTermsAt(items: readonly Buffer[], now: number): readonly Buffer[] {
  const latest = toLocal(now, EASTERNMOST);
  return items.map((item) => {
    if (!mayHaveEnded(item, latest)) return item;
    const read = JSON.parse(item.toString()) as Offer | Group;
    if (!('alternatives' in read)) return Buffer.from(JSON.stringify(offerAt(read, now)));
    const { offer, alternatives, ...group } = read;
    const shown = { offer: offerAt(offer, now), alternatives: alternatives.map((one) => offerAt(one, now)), ...group };
    return Buffer.from(JSON.stringify(shown));
  });
}

/** In JSON, quotation marks inside of texts are escaped, so a text can't look like the member. */
function mayHaveEnded(item: Buffer, latest: string): boolean {
  for (let at = item.indexOf(FREE_UNTIL); at !== -1; at = item.indexOf(FREE_UNTIL, at + 1)) {
    const from = at + FREE_UNTIL.length;
    if (item.toString('latin1', from, from + LOCAL) <= latest) return true;
  }
  return false;
}

function offerAt(offer: Offer, now: number): Offer {
  const { cancellation, pickup, price } = offer;
  const { address, iata_code: iataCode, latitude, longitude } = pickup.location;
  const clocks = clocksAt({ address: { countryCode: address.country_code }, iataCode, latitude, longitude }, now);
  const { free_until: freeUntil, refundable, rules, ...rest } = cancellation;
  const stated: Cancellation = {
    source: cancellation.source,
    ...(freeUntil === undefined ? {} : { freeUntil }),
    ...(refundable === undefined ? {} : { refundable }),
    rules: rules.map(({ fee, ...rule }) => ({
      ...rule,
      ...(fee ? { fee: moneyOf(fee) } : {}),
    })) as Cancellation['rules'],
  };
  const terms = termsAt(stated, moneyOf(price.total), clocks);
  if (terms === stated) return offer;
  const left = {
    ...(terms.refundable === undefined ? {} : { refundable: terms.refundable }),
    ...(terms.freeUntil === undefined ? {} : { free_until: terms.freeUntil }),
  };
  return { ...offer, cancellation: { ...rest, ...left, rules } };
}

/** Throws only for what the gateway didn't write. */
function moneyOf({ amount, currency }: Offer['price']['total']): Money {
  const money = parseMoney(amount, currency);
  if (!money) throw new Error('a kept price without an amount');
  return money;
}
