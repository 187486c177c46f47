import { toLocal } from '../../places/zone-clock.js';
import { rentalDays } from '../pricing.js';
import type { SimulatedAnswer, SimulatedCounter, SimulatedRental, SimulatedRequest } from '../world.js';
import { json, Problem } from './answers.js';
import type { HoldHandlers } from './handlers.js';
import { stationJson } from './location-writer.js';
import { pricePercentOf, quotesFor, requote } from './quotes.js';
import { readRateId } from './rates.js';
import { availabilityBody, pricesBody, readBody } from './rental-reader.js';
import { vehiclesJson } from './vehicle-writer.js';

const MOST_STATIONS = 20;

/** GET /v1/stations?q=&country=: stations that answer to the words, best first. */
export function answerStations({ query, directive }: SimulatedRequest, { inventory }: HoldHandlers): SimulatedAnswer {
  const words = query.get('q');
  if (!words) throw new Problem('INVALID_REQUEST', 'q: is missing');
  const found =
    directive.verb === 'empty' ? [] : inventory.findCounters(words, query.get('country') ?? undefined, MOST_STATIONS);
  return json(200, { stations: found.map(stationJson) });
}

/** POST /v1/availability: everything that can be had. */
export function answerAvailability({ body, directive }: SimulatedRequest, desk: HoldHandlers): SimulatedAnswer {
  const { pickup, dropoff, driver } = readBody(body, availabilityBody);
  const rental: SimulatedRental = {
    pickup: stationOf(pickup.station, desk),
    dropoff: stationOf(dropoff.station, desk),
    pickupDate: pickup.at,
    dropoffDate: dropoff.at,
    age: driver.age,
    ...pricePercentOf(directive),
  };
  if (pickup.at < toLocal(desk.now(), rental.pickup.timeZone))
    throw new Problem('INVALID_REQUEST', 'pickup.at: lies in the past');
  if (dropoff.at <= pickup.at) throw new Problem('INVALID_REQUEST', 'dropoff.at: is not after pickup.at');
  if (directive.verb === 'sold_out') throw new Problem('SOLD_OUT', 'No car is left at the station.');
  const quotes = directive.verb === 'empty' ? [] : quotesFor(rental, desk, directive);
  return json(200, vehiclesJson(rental, rentalDays(pickup.at, dropoff.at), quotes, desk.inventory));
}

/** POST /v1/prices: one rate priced anew with extras and protections; creates nothing. No vehicle = the car is gone. */
export function answerPrices({ body, directive }: SimulatedRequest, desk: HoldHandlers): SimulatedAnswer {
  const { rateId, driver, extras, protections } = readBody(body, pricesBody);
  const rate = readRateId(rateId, desk);
  if (directive.verb === 'sold_out') throw new Problem('SOLD_OUT', 'The car is sold out.');
  const quote =
    directive.verb === 'empty' ? undefined : requote(rateId, driver.age, { extras, protections }, desk, directive);
  return json(
    200,
    vehiclesJson(rate, rentalDays(rate.pickupDate, rate.dropoffDate), quote ? [quote] : [], desk.inventory),
  );
}

function stationOf(code: string, { inventory }: HoldHandlers): SimulatedCounter {
  const station = inventory.counterByCode(code);
  if (!station) throw new Problem('UNKNOWN_STATION', 'There is no station with this code.');
  return station;
}
