import { decodeSipp } from '../model/acriss.js';
import { countryFacts } from './country-facts.js';
import { FLEET_MODELS, type FleetModel, type Market } from './fleet-models.js';
import { chanceOf } from './random.js';
import type { SimulatedCar, SimulatedLocation } from './world.js';

const FEWEST_CARS = 33;
const ON_REQUEST_SHARE = 0.04;

/** A car of a fleet and the inputs of its price. */
export interface FleetCar {
  readonly car: SimulatedCar;
  readonly dailyUsd: number;
  readonly depositUsd: number;
  readonly minAge: number;
}

interface Choice {
  readonly available: FleetCar;
  readonly onRequest: FleetCar;
}

const choicesByMarket = new Map<Market, readonly Choice[]>();

/**
 * The cars of a location, small to large: at least 33 models of its market, or the `most` first of them and one on
 * request, if it has any. All locations of a market share the same object for the same model.
 */
export function fleetOf(
  location: SimulatedLocation,
  seed: number,
  most = Number.POSITIVE_INFINITY,
): readonly FleetCar[] {
  const choices = choicesOf(countryFacts(location.countryCode).market);
  const ranked = choices.map(({ available }, index) => ({
    index,
    rank: chanceOf(seed, `fleet ${location.code} ${available.car.sippCode}`),
  }));
  const size =
    FEWEST_CARS + Math.floor(chanceOf(seed, `fleet size ${location.code}`) * (choices.length - FEWEST_CARS + 1));
  const isOnRequest = ({ available }: Choice): boolean =>
    chanceOf(seed, `on request ${location.code} ${available.car.sippCode}`) < ON_REQUEST_SHARE;
  const fleet = [...ranked]
    .sort((a, b) => a.rank - b.rank || a.index - b.index)
    .slice(0, size)
    .map(({ index }) => index);
  const kept = new Set(fleet.slice(0, most));
  // Even if only a few models are kept, one is on request, if the location has any.
  const onRequest = fleet.find((index) => isOnRequest(choices[index] as Choice));
  if (onRequest !== undefined) kept.add(onRequest);
  return choices
    .filter((_, index) => kept.has(index))
    .map((choice) => (isOnRequest(choice) ? choice.onRequest : choice.available));
}

function choicesOf(market: Market): readonly Choice[] {
  const known = choicesByMarket.get(market);
  if (known) return known;
  const choices = FLEET_MODELS.filter((row) => row[9].includes(market)).map((row, index) =>
    choiceOf(row, classCodeOf(index), market),
  );
  choicesByMarket.set(market, choices);
  return choices;
}

function choiceOf(row: FleetModel, classCode: string, market: Market): Choice {
  const [sippCode, make, model, fuel, seats, doors, bagsLarge, bagsSmall, dailyUsd] = row;
  const decoded = decodeSipp(sippCode);
  const car = {
    sippCode,
    classCode,
    className: classNameOf(sippCode),
    make,
    model,
    transmission: decoded?.transmission ?? 'manual',
    fuel,
    airConditioning: decoded?.airConditioning ?? true,
    seats,
    doors,
    bagsLarge,
    bagsSmall,
  };
  const terms = { dailyUsd, depositUsd: depositUsdOf(dailyUsd), minAge: minAgeOf(sippCode, market) };
  return {
    available: { car: { ...car, onRequest: false }, ...terms },
    onRequest: { car: { ...car, onRequest: true }, ...terms },
  };
}

/** A…Z, AA…AZ, BA…: unique within a market, and therefore within a location. */
function classCodeOf(index: number): string {
  const letter = String.fromCharCode(65 + (index % 26));
  return index < 26 ? letter : String.fromCharCode(64 + Math.floor(index / 26)) + letter;
}

const PLAIN_TYPES = new Set(['door_2_3', 'door_2_4', 'door_4_5']);

/** The class name at the location: "Economy", "Intermediate SUV Automatic", "Passenger Van 9 Seats". */
function classNameOf(sippCode: string): string {
  const { category, type, transmission, fuel } = decodeSipp(sippCode) ?? {};
  const van = category?.startsWith('seats_');
  const size = van ? `${category?.split('_')[1]} seats` : (category ?? '').replace('_', ' ');
  const shape = !type || PLAIN_TYPES.has(type) ? '' : type.replaceAll('_', ' ');
  const power =
    fuel === 'electric' || fuel === 'electric_plus' ? 'electric' : transmission === 'automatic' ? 'automatic' : '';
  const words = (van ? [shape, size, power] : [size, shape, power]).join(' ').split(' ');
  return words
    .filter((word) => word !== '')
    .map((word) => (word === 'suv' ? 'SUV' : word.charAt(0).toUpperCase() + word.slice(1)))
    .join(' ');
}

const USUAL_MIN_AGE = 21;

function depositUsdOf(dailyUsd: number): number {
  if (dailyUsd < 50) return 200;
  if (dailyUsd < 80) return 350;
  return dailyUsd < 130 ? 700 : 1_500;
}

/** The age from which simulated suppliers rent any car in a country: 21 in North America, 19 elsewhere. */
export function youngestAge(countryCode: string): number {
  return youngestIn(countryFacts(countryCode).market);
}

function youngestIn(market: Market): number {
  return market === 'N' ? USUAL_MIN_AGE : 19;
}

/** Minimum age by class: 30 for the most expensive, 25 for premium, convertibles and large vans; small cars have the least. */
function minAgeOf(sippCode: string, market: Market): number {
  const [category = '', type = ''] = sippCode;
  if (category === 'W') return 30;
  if ('PULXO'.includes(category) || 'TNS'.includes(type)) return 25;
  return 'MNEHC'.includes(category) ? youngestIn(market) : USUAL_MIN_AGE;
}
