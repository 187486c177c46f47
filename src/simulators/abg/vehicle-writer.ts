import type { SimulatedCar, SimulatedCarOffer, SimulatedPrice, SimulatedRental } from '../world.js';
import { decimal, type Paid, taxesFeesJson, totalsJson } from './charge-writer.js';
import { exchange } from './exchange.js';
import { quoteIdOf, rateCodesOf } from './rates.js';

/** OTA purpose number of the young driver surcharge. */
const PURPOSE_YOUNG_DRIVER = 13;
const KM_PER_MILE = 1.609344;
const MILE_COUNTRIES = ['GB', 'US'];

/** What a search asks beyond the rental itself. */
export interface VehicleJsonOptions {
  readonly brand: string;
  readonly rental: SimulatedRental;
  readonly discountCode: string | undefined;
  /** requested_rate_currency: adds secondary totals where the desk trades it. */
  readonly secondaryCurrency: string | undefined;
  /** Scenario on_request: every car has to be confirmed by hand. */
  readonly allOnRequest: boolean;
}

/** One `vehicles[]` row: counts as text, a model of digits as a number, pay_later always, pay_now where it is sold. Amounts are JSON numbers. */
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
        coupon_applied: false,
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

/** category, features and capacity of a car; `status` joins the category. */
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

/** Secondary totals add to the primary ones; nothing when the currency is the rate's own or not traded. */
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

/** Free distance of the whole rental; miles or kilometres by the country of the pickup counter. */
export function distanceJson(
  { price, unlimitedDistance, distancePerDayKm }: SimulatedCarOffer,
  countryCode: string,
): object {
  const miles = MILE_COUNTRIES.includes(countryCode);
  const unit = { distance_unit: miles ? 'Miles' : 'Kilometers' };
  if (unlimitedDistance || distancePerDayKm === undefined) return { unlimited_distance: true, ...unit };
  const kilometres = distancePerDayKm * price.days;
  // A quarter of a hundredth of the daily rate, whole minor units.
  const overage = Math.max(1, Math.round(price.dailyRate / 400));
  return {
    unlimited_distance: false,
    distance_covered: miles ? Math.round(kilometres / KM_PER_MILE) : kilometres,
    ...unit,
    distance_overage: decimal(overage, price.currency),
  };
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
