import { currencyDigits } from '../../money.js';
import { hashText } from '../random.js';
import type { SimulatedCarOffer, SimulatedCharge, SimulatedPrice } from '../world.js';
import { exchange } from './exchange.js';

/** OTA purpose numbers of the simulated world that ABG's answer treats apart. */
const PURPOSE_TAX = 7;
const PURPOSE_YOUNG_DRIVER = 13;
const KM_PER_MILE = 1.609344;
const MILE_COUNTRIES = ['GB', 'US'];

/** What a search asks beyond the rental itself. */
export interface VehicleJsonOptions {
  readonly brand: string;
  /** Country of the pickup counter: decides miles or kilometres. */
  readonly countryCode: string;
  readonly discountCode: string | undefined;
  /** requested_rate_currency: adds secondary totals where the desk trades it. */
  readonly secondaryCurrency: string | undefined;
  /** Scenario on_request: every car has to be confirmed by hand. */
  readonly allOnRequest: boolean;
}

/** One `vehicles[]` row: counts as text, a model of digits as a number, pay_later always, pay_now where it is sold. Amounts are JSON numbers. */
export function vehicleJson(offer: SimulatedCarOffer, options: VehicleJsonOptions): object {
  const { car, price } = offer;
  const letter = (hashText(3, `${options.brand} ${car.sippCode}`) % 9) + 1;
  const laterCode = `L${letter}`;
  const nowCode = `P${letter}`;
  return {
    category: {
      name: `Group ${car.classCode} - ${car.make} ${car.model} or similar`,
      make: car.make,
      model: /^[1-9]\d*$/.test(car.model) ? Number(car.model) : car.model,
      sipp_code: car.sippCode,
      vehicle_status: car.onRequest || options.allOnRequest ? 'OnRequest' : 'Available',
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
    rate_totals: {
      rate: {
        currency: price.currency,
        rate_code: laterCode,
        rate_type: 'LEISURE',
        days: price.days,
        hours: 0,
        amount: decimal(price.dailyRate, price.currency),
        coupon_applied: false,
        under_age_fee_applied: price.charges.some((charge) => charge.purpose === PURPOSE_YOUNG_DRIVER),
        quote_id: `q${hashText(5, `${options.brand} ${car.sippCode} ${price.total}`).toString(36)}`,
        ...(options.discountCode !== undefined && { discount: { code: options.discountCode } }),
        taxes_fees: taxesFeesJson(price.charges, price.currency),
      },
      pay_later: payJson(laterCode, price, price.currency),
      ...(price.prepaid && { pay_now: payJson(nowCode, price.prepaid, price.currency) }),
    },
    ...secondaryJson(price, laterCode, nowCode, options.secondaryCurrency),
    distance: distanceJson(offer, options.countryCode),
  };
}

function taxesFeesJson(charges: readonly SimulatedCharge[], currency: string): object {
  const taxes: object[] = [];
  const fees: object[] = [];
  for (const charge of charges) {
    const amount = { amount: decimal(charge.amount, currency), included_in_total: charge.includedInTotal };
    if (charge.purpose === PURPOSE_TAX) taxes.push({ type: charge.description, ...amount });
    else fees.push({ name: charge.description, ...amount });
  }
  return { taxes, fees };
}

function payJson(rateCode: string, paid: Omit<SimulatedPrice, 'currency' | 'days' | 'dailyRate' | 'prepaid'>, currency: string): object {
  let taxes = 0;
  let fees = 0;
  for (const charge of paid.charges) {
    if (!charge.includedInTotal) continue;
    if (charge.purpose === PURPOSE_TAX) taxes += charge.amount;
    else fees += charge.amount;
  }
  return {
    rate_code: rateCode,
    vehicle_total: decimal(paid.base, currency),
    taxes_total: decimal(taxes, currency),
    fees_total: decimal(fees, currency),
    taxes_fees_total: decimal(taxes + fees, currency),
    reservation_total: decimal(paid.total, currency),
  };
}

/** Secondary totals add to the primary ones; nothing when the currency is the rate's own or not traded. */
function secondaryJson(price: SimulatedPrice, laterCode: string, nowCode: string, currency: string | undefined): object {
  if (currency === undefined || currency === price.currency) return {};
  const convert = (rateCode: string, base: number, total: number): object | undefined => {
    const [vehicle, reservation] = [exchange(base, price.currency, currency), exchange(total, price.currency, currency)];
    if (vehicle === undefined || reservation === undefined) return undefined;
    return { rate_code: rateCode, vehicle_total: decimal(vehicle, currency), reservation_total: decimal(reservation, currency) };
  };
  const later = convert(laterCode, price.base, price.total);
  const now = price.prepaid && convert(nowCode, price.prepaid.base, price.prepaid.total);
  if (!later) return {};
  return { secondary_rate_totals: { rate: { currency, rate_code: laterCode }, pay_later: later, ...(now && { pay_now: now }) } };
}

/** Free distance of the whole rental. */
function distanceJson({ price, unlimitedDistance, distancePerDayKm }: SimulatedCarOffer, countryCode: string): object {
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

/** Minor units as the JSON number ABG sends: 25299 USD → 252.99. */
function decimal(amountMinor: number, currency: string): number {
  return amountMinor / 10 ** currencyDigits(currency);
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
