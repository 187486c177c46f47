import { formatAmount } from '../../model/money.js';
import type { Inventory, SimulatedCarOffer, SimulatedLocation, SimulatedRental } from '../world.js';
import { cancellationTerms } from './cancellation-terms.js';
import { CHARGE_CODES, EXTRA_CODES, PROTECTION_CODES } from './equipment-codes.js';
import { stationJson } from './location-writer.js';
import type { Quote } from './quotes.js';
import { rateIdOf } from './rates.js';

/**
 * The answer of availability and prices: stations, extras and terms once, then one row for each car and payment type.
 */
export function vehiclesJson(
  rental: Pick<SimulatedRental, 'pickup' | 'dropoff' | 'pickupDate' | 'dropoffDate'>,
  days: number,
  quotes: readonly Quote[],
  inventory: Inventory,
): object {
  const { pickup, dropoff } = rental;
  return {
    currency: pickup.currency,
    days,
    from: rental.pickupDate,
    to: rental.dropoffDate,
    pickup: stationJson(pickup),
    dropoff: stationJson(dropoff),
    extras: extrasJson(pickup, days, inventory),
    terms: [{ kind: 'rental_conditions', url: `https://terms.example.com/${pickup.countryCode.toLowerCase()}` }],
    vehicles: quotes.map((quote) => vehicleJson(quote, inventory)),
  };
}

function extrasJson(pickup: SimulatedLocation, days: number, inventory: Inventory): readonly object[] {
  return inventory.extras(pickup).flatMap(({ equipType, name, perDay, maxPerRental, maxQuantity }) => {
    const code = EXTRA_CODES[equipType];
    if (code === undefined) return [];
    const total = Math.min(perDay * days, maxPerRental);
    return [
      { code, name, perDay: amount(perDay, pickup.currency), total: amount(total, pickup.currency), maxQuantity },
    ];
  });
}

function vehicleJson(quote: Quote, inventory: Inventory): object {
  const { offer, rental, prepaid } = quote;
  const { car, price } = offer;
  const cancellation = cancellationTerms(quote);
  return {
    rateId: rateIdOf(rental, car.classCode, prepaid),
    onRequest: quote.onRequest,
    sipp: car.sippCode,
    name: `${car.make} ${car.model}`,
    orSimilar: true,
    make: car.make,
    model: car.model,
    class: { code: car.classCode, name: car.className },
    seats: car.seats,
    doors: car.doors,
    bags: { large: car.bagsLarge, small: car.bagsSmall },
    transmission: car.transmission,
    fuel: car.fuel,
    airConditioning: car.airConditioning,
    payment: prepaid ? 'prepaid' : 'at_desk',
    price: priceJson(quote),
    distance: distanceJson(offer),
    fuelPolicy: car.fuel === 'electric' ? 'electric' : 'full_to_full',
    deposit: { amount: amount(offer.deposit, price.currency), takenAt: 'pickup' },
    cancellation: { ...cancellation, fee: amount(cancellation.fee, price.currency) },
    protections: protectionsJson(quote, inventory),
    minAge: offer.minAge,
  };
}

function priceJson({ paid, options, total, offer }: Quote): object {
  const { currency } = offer.price;
  return {
    total: amount(total, currency),
    base: amount(paid.base, currency),
    charges: paid.charges.map((charge) => ({
      code: CHARGE_CODES[charge.purpose] ?? 'OTHER',
      name: charge.description,
      amount: amount(charge.amount, currency),
      inTotal: charge.includedInTotal,
      percent: charge.percent,
    })),
    options: options.map((option) => ({ ...option, amount: amount(option.amount, currency) })),
  };
}

function distanceJson({ unlimitedDistance, distancePerDayKm, price }: SimulatedCarOffer): object {
  if (unlimitedDistance || distancePerDayKm === undefined) return { unlimited: true };
  // 0.25 % of the daily rate per kilometer, in whole minor units.
  const overage = Math.max(1, Math.round(price.dailyRate / 400));
  return {
    unlimited: false,
    included: distancePerDayKm,
    unit: 'km',
    per: 'day',
    overage: amount(overage, price.currency),
  };
}

function protectionsJson({ rental, offer }: Quote, inventory: Inventory): readonly object[] {
  const { currency, days } = offer.price;
  return inventory.coverages(rental.pickup, offer.car).flatMap(({ coverageType, name, perDay, included, excess }) => {
    const code = PROTECTION_CODES[coverageType];
    if (code === undefined) return [];
    const price = included ? {} : { perDay: amount(perDay, currency), total: amount(perDay * days, currency) };
    return [{ code, name, included, ...price, excess: excess === undefined ? undefined : amount(excess, currency) }];
  });
}

function amount(amountMinor: number, currency: string): string {
  return formatAmount({ amountMinor, currency });
}
