import type { SimulatedCar, SimulatedCarOffer, SimulatedPrice, SimulatedRental } from '../world.js';
import { decimal, type Paid, taxesFeesJson, totalsJson } from './charge-writer.js';
import { exchange } from './exchange.js';
import { quoteIdOf, rateCodesOf } from './rates.js';

/** OTA purpose number of the young driver surcharge. */
const PURPOSE_YOUNG_DRIVER = 13;
const KM_PER_MILE = 1.609344;
const MILE_COUNTRIES = ['GB', 'US'];

/** Parameters of a search other than the rental. */
export interface VehicleJsonOptions {
  readonly brand: string;
  readonly rental: SimulatedRental;
  /** The requested codes that the supplier knows. */
  readonly discountCode: string | undefined;
  readonly couponCode: string | undefined;
  /** requested_rate_currency: adds secondary totals if an exchange rate is known. */
  readonly secondaryCurrency: string | undefined;
  /** Scenario on_request: every car is on request. */
  readonly allOnRequest: boolean;
}

/**
 * One row of `vehicles[]`: counts as text, a numeric model name as a number, pay_later always, pay_now if sold. Amounts
 * are JSON numbers.
 */
export function vehicleJson(offer: SimulatedCarOffer, options: VehicleJsonOptions): object {
  const { car, price } = offer;
  const codes = rateCodesOf(options.brand, car.sippCode);
  return {
    ...carJson(car, { vehicle_status: car.onRequest || options.allOnRequest ? 'OnRequest' : 'Available' }),
    rate_totals: {
      rate: {
        currency: price.currency,
        rate_code: codes.later,
        rate_type: 'LEISURE',
        days: price.days,
        hours: 0,
        amount: decimal(price.dailyRate, price.currency),
        coupon_applied: options.couponCode !== undefined,
        under_age_fee_applied: price.charges.some((charge) => charge.purpose === PURPOSE_YOUNG_DRIVER),
        quote_id: quoteIdOf(options.brand, car.sippCode, options.rental),
        ...(options.discountCode !== undefined && { discount: { code: options.discountCode } }),
        taxes_fees: taxesFeesJson(price.charges, price.currency),
      },
      pay_later: payJson(codes.later, price, price.currency),
      ...(price.prepaid && { pay_now: payJson(codes.now, price.prepaid, price.currency) }),
    },
    ...secondaryJson(price, codes.later, codes.now, options.secondaryCurrency),
    distance: distanceJson(offer, options.rental.pickup.countryCode),
  };
}

/** category, features and capacity of a car; `status` is part of the category. */
export function carJson(car: SimulatedCar, status: object): object {
  return {
    category: {
      name: `Group ${car.classCode} - ${car.make} ${car.model} or similar`,
      make: car.make,
      model: /^[1-9]\d*$/.test(car.model) ? Number(car.model) : car.model,
      sipp_code: car.sippCode,
      ...status,
      vehicle_class_code: car.classCode,
      vehicle_class_name: car.className,
      vehicle_transmission: capital(car.transmission),
    },
    features: { air_conditioned: car.airConditioning, smoke_free: true },
    capacity: {
      doors: String(car.doors),
      seats: String(car.seats),
      luggage_capacity: { large_suitcase: String(car.bagsLarge), small_suitcase: String(car.bagsSmall) },
      fuel_type: capital(car.fuel),
    },
  };
}

function payJson(rateCode: string, paid: Paid, currency: string): object {
  return { rate_code: rateCode, ...totalsJson(paid, currency) };
}

/** Secondary totals are additional to the primary ones; none if the currency is that of the rate or unknown. */
function secondaryJson(
  price: SimulatedPrice,
  laterCode: string,
  nowCode: string,
  currency: string | undefined,
): object {
  if (currency === undefined || currency === price.currency) return {};
  const convert = (rateCode: string, base: number, total: number): object | undefined => {
    const [vehicle, reservation] = [
      exchange(base, price.currency, currency),
      exchange(total, price.currency, currency),
    ];
    if (vehicle === undefined || reservation === undefined) return undefined;
    return {
      rate_code: rateCode,
      vehicle_total: decimal(vehicle, currency),
      reservation_total: decimal(reservation, currency),
    };
  };
  const later = convert(laterCode, price.base, price.total);
  const now = price.prepaid && convert(nowCode, price.prepaid.base, price.prepaid.total);
  if (!later) return {};
  return {
    secondary_rate_totals: { rate: { currency, rate_code: laterCode }, pay_later: later, ...(now && { pay_now: now }) },
  };
}

/** Free distance of the entire rental, in miles or kilometers as usual in the country of pickup. */
export function distanceJson(
  { price, unlimitedDistance, distancePerDayKm }: SimulatedCarOffer,
  countryCode: string,
): object {
  const miles = MILE_COUNTRIES.includes(countryCode);
  const unit = { distance_unit: miles ? 'Miles' : 'Kilometers' };
  if (unlimitedDistance || distancePerDayKm === undefined) return { unlimited_distance: true, ...unit };
  const kilometers = distancePerDayKm * price.days;
  // 0.25 % of the daily rate, in whole minor units.
  const overage = Math.max(1, Math.round(price.dailyRate / 400));
  return {
    unlimited_distance: false,
    distance_covered: miles ? Math.round(kilometers / KM_PER_MILE) : kilometers,
    ...unit,
    distance_overage: decimal(overage, price.currency),
  };
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
