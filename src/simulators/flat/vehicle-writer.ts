import { toUtc } from '../../places/zone-clock.js';
import { PURPOSE, rentalDays } from '../pricing.js';
import type { Inventory, SimulatedLocation, SimulatedRental } from '../world.js';
import { depotJson, numberOfDepot } from './location-writer.js';
import { type FlatQuote, groupOf } from './quotes.js';

const FUELS = { petrol: 'P', diesel: 'D', hybrid: 'H', electric: 'E' } as const;
const HOUR_MS = 3_600_000;

/** The answer of quotes and price: depots and addons once, then the cars. */
export function carsJson(rental: SimulatedRental, quotes: readonly FlatQuote[], inventory: Inventory): object {
  const { pickup, dropoff } = rental;
  const days = rentalDays(rental.pickupDate, rental.dropoffDate);
  return {
    cur: pickup.currency,
    days,
    from: numberOfDepot(pickup),
    to: numberOfDepot(dropoff),
    from_ts: epochSeconds(rental.pickupDate, pickup),
    to_ts: epochSeconds(rental.dropoffDate, dropoff),
    depots: pickup === dropoff ? [depotJson(pickup)] : [depotJson(pickup), depotJson(dropoff)],
    addons: inventory.extras(pickup).map(({ equipType, name, perDay, maxPerRental, maxQuantity }) => ({
      id: equipType,
      title: name,
      day_cents: perDay,
      sum_cents: Math.min(perDay * days, maxPerRental),
      max: maxQuantity,
    })),
    cars: quotes.map((quote) => carJson(quote, inventory)),
  };
}

/** Epoch seconds of a local time at a location. */
export function epochSeconds(local: string, { timeZone }: SimulatedLocation): number {
  return Date.parse(toUtc(local, timeZone)) / 1_000;
}

/** When cancellation stops being free, in epoch milliseconds; undefined = it is never free. */
export function freeUntilMs({ offer, rental }: FlatQuote): number | undefined {
  const hours = offer.freeCancellationHours;
  return hours === undefined ? undefined : epochSeconds(rental.pickupDate, rental.pickup) * 1_000 - hours * HOUR_MS;
}

/** The fee of a late cancellation, minor units. */
export function lateFee({ offer, total }: FlatQuote): number {
  return offer.freeCancellationHours === undefined ? total : Math.min(offer.price.dailyRate, total);
}

function carJson(quote: FlatQuote, inventory: Inventory): object {
  const { offer, prepaid, paid, rental } = quote;
  const { car, price } = offer;
  const freeUntil = freeUntilMs(quote);
  const charge = (purpose: number) => paid.charges.find((one) => one.purpose === purpose);
  return {
    grp: groupOf(offer),
    acriss: car.sippCode,
    brand: car.make,
    type: car.model,
    cls: car.className,
    seats: car.seats,
    doors: String(car.doors),
    bags_l: car.bagsLarge,
    bags_s: car.bagsSmall,
    gear: car.transmission === 'manual' ? 1 : 2,
    fuel: FUELS[car.fuel],
    ac: car.airConditioning ? 1 : 0,
    pay: prepaid ? 1 : 2,
    ask: quote.onRequest ? 1 : 0,
    total_cents: quote.total,
    base_cents: paid.base,
    oneway_cents: charge(PURPOSE.oneWay)?.amount,
    young_cents: charge(PURPOSE.youngDriver)?.amount,
    airport_cents: charge(PURPOSE.airport)?.amount,
    licence_cents: charge(PURPOSE.licence)?.amount,
    facility_cents: charge(PURPOSE.customerFacility)?.amount,
    winter_cents: charge(PURPOSE.winter)?.amount,
    toll_cents: charge(PURPOSE.tolls)?.amount,
    tax_cents: charge(PURPOSE.tax)?.amount,
    tax_pct: charge(PURPOSE.tax)?.percent,
    picked: quote.picked,
    km_day: offer.unlimitedDistance ? 0 : (offer.distancePerDayKm ?? 0),
    km_more_cents: Math.max(1, Math.round(price.dailyRate / 400)),
    deposit_cents: offer.deposit,
    free_until_ts: freeUntil === undefined ? 0 : freeUntil / 1_000,
    cancel_cents: lateFee(quote),
    min_age: offer.minAge,
    covers: inventory.coverages(rental.pickup, car).map(({ coverageType, name, perDay, included, excess }) => ({
      id: coverageType,
      title: name,
      incl: included ? 1 : 0,
      day_cents: included ? undefined : perDay,
      sum_cents: included ? undefined : perDay * price.days,
      excess_cents: excess,
    })),
  };
}
