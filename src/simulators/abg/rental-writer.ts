import { isKnownCode, isKnownMember } from '../discounts.js';
import { decimal, taxesFeesJson, totalsJson } from './charge-writer.js';
import { rentalPlaceJson, termsJson } from './location-writer.js';
import type { PricedCoverage, PricedExtra } from './option-prices.js';
import { quoteIdOf } from './rates.js';
import { codeIn, type PricedRental } from './rental-reader.js';
import { distanceJson } from './vehicle-writer.js';
import { group, type Wire } from './wire.js';

/** Extras handed out at the location; the others are fitted to the car. */
const SERVICES = ['ADD', 'WFI'];

/**
 * `reservation` of a rate answer and the same part of a reservation answer; `asked` is the request, of which the
 * known codes are confirmed if the price has a discount. A quote without one keeps its price.
 */
export function rentalJson(priced: PricedRental, asked: Wire): object {
  const { brand, rental, offer, paid, options, total } = priced;
  const { currency } = offer.price;
  return {
    ...rentalPartsJson(priced),
    rate_totals: {
      rate: {
        ...rateJson(priced),
        amount: decimal(offer.price.dailyRate, currency),
        ...(rental.discountPercent ? qualifiersJson(asked) : {}),
        taxes_fees: taxesFeesJson(paid.charges, currency),
        quote_id: quoteIdOf(brand, offer.car.sippCode, rental),
      },
      totals: {
        ...totalsJson(paid, currency),
        extras_total: decimal(options.extrasTotal, currency),
        insurance_total: decimal(options.coveragesTotal, currency),
        reservation_total: decimal(total, currency),
      },
    },
  };
}

/** rate and total of a stored booking, which has no single charges. */
export function bookedRateJson(priced: PricedRental, total: number, proof: string | undefined): object {
  return {
    rate: { ...rateJson(priced), rate_guarantee_blob: proof },
    totals: { reservation_total: decimal(total, priced.offer.price.currency) },
  };
}

/** All parts of a rental except its price. */
export function rentalPartsJson({ brand, rental, offer, options }: PricedRental): object {
  const { currency } = offer.price;
  return {
    distance: distanceJson(offer, rental.pickup.countryCode),
    pickup_location: rentalPlaceJson(rental.pickup),
    dropoff_location: rentalPlaceJson(rental.dropoff),
    insurance: options.coverages.map((coverage) => insuranceJson(coverage, currency)),
    extras: options.extras.map((extra) => extraJson(extra, currency)),
    ...termsJson(brand),
  };
}

function rateJson({ rateCode, countryCode, offer }: PricedRental): object {
  const { currency, days } = offer.price;
  return { currency, rate_code: rateCode, country_code: countryCode, rate_type: 'LEISURE', days, hours: 0 };
}

/** The codes that the supplier knows and has applied. */
function qualifiersJson(asked: Wire): object {
  const rate = group(group(asked.rate_totals).rate);
  const [discount, coupon, membership] = [codeIn(rate.discount), codeIn(rate.coupon), codeIn(rate.membership)];
  return {
    discount: isKnownCode(discount) ? { code: discount } : undefined,
    coupon: isKnownCode(coupon) ? { code: coupon, coupon_applied: true } : undefined,
    membership: isKnownMember(membership) ? { code: membership } : undefined,
  };
}

/** Included coverages are DEFAULT and cost nothing; the others show whether they were chosen. */
function insuranceJson({ coverage, chosen, owed }: PricedCoverage, currency: string): object {
  const { abgCode, name, included, perDay, excess } = coverage;
  return {
    code: abgCode,
    name,
    amount: decimal(perDay, currency),
    excess_amount: excess === undefined ? undefined : decimal(excess, currency),
    currency,
    total_owed: decimal(owed, currency),
    included_in_rate: included,
    selection_note: included ? 'DEFAULT' : chosen ? 'ACCEPTED' : 'DECLINED',
    selected: included || chosen,
    tax_included: true,
  };
}

function extraJson({ extra, quantity, owed }: PricedExtra, currency: string): object {
  const isService = SERVICES.includes(extra.abgCode);
  return {
    code: extra.abgCode,
    type: isService ? 'COUNTER_PROD' : 'SPEC_EQUIP',
    description: extra.name,
    quantity,
    amount: decimal(extra.perDay, currency),
    currency,
    total_owed: decimal(owed, currency),
    included_in_rate: quantity > 0,
    max_allowed_quantity: extra.maxQuantity,
    pickup_type: isService ? 'NO_PICKUP_REQUIRED' : 'COUNTER_PICKUP',
    tax_included: true,
  };
}
