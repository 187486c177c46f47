import { countryFacts, taxPercent } from './country-facts.js';
import type { FleetCar } from './fleet.js';
import { minutesBetween } from './opening-hours.js';
import { localPrice } from './price-level.js';
import { chanceOf } from './random.js';
import type { SimulatedCharge, SimulatedLocation, SimulatedPrice, SimulatedRental } from './world.js';

/** OTA VehicleChargePurpose numbers of the simulated charges (docs/trade.md#ota-amounts). */
export const PURPOSE = {
  oneWay: 2,
  tax: 7,
  additionalDriver: 12,
  youngDriver: 13,
  airport: 30,
  licence: 33,
  winter: 34,
  tolls: 38,
  customerFacility: 71,
} as const;

const MINUTES_PER_DAY = 1_440;
const GRACE_MINUTES = 59;
const PREPAID_FACTOR = 0.92;
const PREPAID_SHARE = 0.6;
const YOUNG_UNDER = 25;
const DRIVER_DOLLARS = 13;

/** Facts shared by all cars of one rental, computed once. */
export interface RentalTerms {
  readonly location: SimulatedLocation;
  readonly currency: string;
  readonly days: number;
  /** Product of the factors for brand, country, location, season, weekend, length, scenario and discount. */
  readonly factor: number;
  /** Charges that do not depend on the car. */
  readonly fixedCharges: readonly SimulatedCharge[];
  readonly airportPercent: number;
  readonly taxPercent: number;
  readonly seed: number;
  /** Seed of the demand on a day, which makes the prices of a car vary a little between pickup dates. */
  readonly demandName: string;
}

/** Billable days: at least one, started days count, with 59 minutes of grace. NaN if a date is invalid. */
export function rentalDays(pickupDate: string, dropoffDate: string): number {
  return Math.max(1, Math.ceil((minutesBetween(pickupDate, dropoffDate) - GRACE_MINUTES) / MINUTES_PER_DAY));
}

/** The terms of a rental with a brand (`brandFactor`, 1 = average) and its one-way fee in dollars. */
export function rentalTerms(
  rental: SimulatedRental,
  brandFactor: number,
  oneWayDollars: number,
  seed: number,
): RentalTerms {
  const { pickup, pickupDate } = rental;
  const days = rentalDays(pickupDate, rental.dropoffDate);
  const country = 0.85 + chanceOf(1, `price level ${pickup.countryCode}`) * 0.35;
  const location = (pickup.atAirport ? 1 : 0.93) + chanceOf(seed, `price level ${pickup.code}`) * 0.08;
  const scenario = (1 + (rental.pricePercent ?? 0) / 100) * (1 - (rental.discountPercent ?? 0) / 100);
  return {
    location: pickup,
    currency: pickup.currency,
    days,
    factor:
      brandFactor *
      country *
      location *
      seasonFactor(pickup, pickupDate) *
      weekendFactor(pickup, pickupDate, days) *
      lengthFactor(days) *
      scenario,
    fixedCharges: fixedCharges(rental, days, oneWayDollars * brandFactor),
    airportPercent: pickup.atAirport ? airportPercent(pickup, seed) : 0,
    taxPercent: taxPercent(pickup.countryCode, pickup.regionCode),
    seed,
    demandName: `${pickup.code} ${pickupDate.slice(0, 10)}`,
  };
}

/** The price of a car: base and charges add up to the total exactly, for both payment types. */
export function priceOf({ car, dailyUsd }: FleetCar, terms: RentalTerms): SimulatedPrice {
  const { currency, days, seed } = terms;
  const demand = 0.94 + chanceOf(seed, `demand ${car.sippCode} ${terms.demandName}`) * 0.12;
  const dailyRate = localPrice(dailyUsd * terms.factor * demand, currency);
  const later = { currency, days, dailyRate, ...totalled(dailyRate * days, terms) };
  if (chanceOf(seed, `prepaid ${terms.location.code} ${car.sippCode}`) >= PREPAID_SHARE) return later;
  return { ...later, prepaid: totalled(Math.round(later.base * PREPAID_FACTOR), terms) };
}

function totalled(base: number, terms: RentalTerms) {
  const charges = [...terms.fixedCharges];
  if (terms.airportPercent > 0)
    charges.push(percentCharge(PURPOSE.airport, 'Airport surcharge', base, terms.airportPercent));
  const taxable = base + includedSum(charges);
  if (terms.taxPercent > 0)
    charges.push(percentCharge(PURPOSE.tax, taxName(terms.location), taxable, terms.taxPercent));
  return { base, charges, total: base + includedSum(charges) };
}

function includedSum(charges: readonly SimulatedCharge[]): number {
  let sum = 0;
  for (const charge of charges) if (charge.includedInTotal) sum += charge.amount;
  return sum;
}

function percentCharge(purpose: number, description: string, base: number, percent: number): SimulatedCharge {
  return {
    purpose,
    description,
    amount: Math.round((base * Math.round(percent * 1_000)) / 100_000),
    includedInTotal: true,
    percent,
  };
}

function fixedCharges(
  { pickup: location, pickupDate, age, additionalDrivers = 0 }: SimulatedRental,
  days: number,
  oneWay: number,
): readonly SimulatedCharge[] {
  const { countryCode, currency } = location;
  const perDay = (dollars: number, mostDays = days) => localPrice(dollars, currency) * Math.min(days, mostDays);
  const charges: SimulatedCharge[] = [];
  const add = (purpose: number, description: string, amount: number, includedInTotal = true) =>
    charges.push({ purpose, description, amount, includedInTotal });
  if (oneWay > 0) add(PURPOSE.oneWay, 'One-way fee', localPrice(oneWay, currency));
  if (age < YOUNG_UNDER) add(PURPOSE.youngDriver, 'Young driver surcharge', perDay(countryCode === 'US' ? 27 : 18, 10));
  if (additionalDrivers > 0)
    add(PURPOSE.additionalDriver, 'Additional driver fee', perDay(DRIVER_DOLLARS, 5) * additionalDrivers);
  add(PURPOSE.licence, 'Vehicle licence fee', perDay(countryCode === 'US' ? 1.89 : 1.2));
  if (countryCode === 'US' && location.atAirport)
    add(PURPOSE.customerFacility, 'Customer facility charge', perDay(4.5, 7));
  if (countryFacts(countryCode).winterTires && isWinter(pickupDate)) add(PURPOSE.winter, 'Winter tyres', perDay(9, 10));
  if (countryCode === 'US') add(PURPOSE.tolls, 'Toll pass, only on days of use', perDay(6.95, 5), false);
  return charges;
}

function taxName({ countryCode }: SimulatedLocation): string {
  if (countryCode === 'US') return 'State and local tax';
  return ['AU', 'CA', 'IN', 'NZ', 'SG'].includes(countryCode)
    ? 'GST'
    : countryFacts(countryCode).market === 'E'
      ? 'VAT'
      : 'Sales tax';
}

function airportPercent({ countryCode, code }: SimulatedLocation, seed: number): number {
  const most = countryCode === 'US' ? 13 : 18;
  return Math.round((8 + chanceOf(seed, `airport percent ${code}`) * (most - 8)) * 100) / 100;
}

const monthOf = (date: string) => Number(date.slice(5, 7));

function isWinter(date: string): boolean {
  const month = monthOf(date);
  return month >= 11 || month <= 3;
}

/** Prices rise in summer, which depends on the hemisphere, and slightly around New Year. */
function seasonFactor({ latitude }: SimulatedLocation, date: string): number {
  const month = monthOf(date);
  const northern = latitude >= 0 ? month : ((month + 5) % 12) + 1;
  if (northern === 7 || northern === 8) return 1.18;
  if (northern === 6 || northern === 9) return 1.08;
  return month === 12 ? 1.05 : 0.97;
}

/**
 * Weekends are more expensive at airports and cheaper in town, in proportion to the Fridays and Saturdays of the
 * rental.
 */
function weekendFactor({ atAirport }: SimulatedLocation, date: string, days: number): number {
  const first = new Date(`${date}Z`).getUTCDay();
  const counted = Math.min(days, 7);
  let weekend = 0;
  for (let day = first; day < first + counted; day += 1) if (day % 7 === 5 || day % 7 === 6) weekend += 1;
  return 1 + (weekend / counted) * (atAirport ? 0.1 : -0.12);
}

function lengthFactor(days: number): number {
  if (days < 3) return 1;
  if (days < 7) return 0.94;
  if (days < 14) return 0.84;
  return days < 28 ? 0.79 : 0.7;
}
