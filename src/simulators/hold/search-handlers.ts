import { toLocal } from '../../places/zone-clock.js';
import { rentalDays } from '../pricing.js';
import type { SimulatedAnswer, SimulatedLocation, SimulatedRental, SimulatedRequest } from '../world.js';
import { json, Problem } from './answers.js';
import type { HoldContext } from './context.js';
import { stationJson } from './location-writer.js';
import { pricePercentOf, quotesFor, requote } from './quotes.js';
import { readRateId } from './rates.js';
import { availabilityBody, pricesBody, readBody } from './rental-reader.js';
import { vehiclesJson } from './vehicle-writer.js';

const MOST_STATIONS = 20;

/** GET /v1/stations?q=&country=: matching stations, best first. */
export function answerStations({ query, directive }: SimulatedRequest, { inventory }: HoldContext): SimulatedAnswer {
  const words = query.get('q');
  if (!words) throw new Problem('INVALID_REQUEST', 'q: is missing');
  const found =
    directive.verb === 'empty' ? [] : inventory.findLocations(words, query.get('country') ?? undefined, MOST_STATIONS);
  return json(200, { stations: found.map(stationJson) });
}

/** POST /v1/availability: every available car. */
export function answerAvailability({ body, directive }: SimulatedRequest, context: HoldContext): SimulatedAnswer {
  const { pickup, dropoff, driver } = readBody(body, availabilityBody);
  const rental: SimulatedRental = {
    pickup: stationOf(pickup.station, context),
    dropoff: stationOf(dropoff.station, context),
    pickupDate: pickup.at,
    dropoffDate: dropoff.at,
    age: driver.age,
    ...pricePercentOf(directive),
  };
  if (pickup.at < toLocal(context.now(), rental.pickup.timeZone))
    throw new Problem('INVALID_REQUEST', 'pickup.at: is in the past');
  if (dropoff.at <= pickup.at) throw new Problem('INVALID_REQUEST', 'dropoff.at: is not after pickup.at');
  if (directive.verb === 'sold_out') throw new Problem('SOLD_OUT', 'No car is available at the station.');
  const quotes = directive.verb === 'empty' ? [] : quotesFor(rental, context, directive);
  return json(200, vehiclesJson(rental, rentalDays(pickup.at, dropoff.at), quotes, context.inventory));
}

/**
 * POST /v1/prices: the current price of one rate with extras and protections. Creates nothing. No vehicle = sold out.
 */
export function answerPrices({ body, directive }: SimulatedRequest, context: HoldContext): SimulatedAnswer {
  const { rateId, driver, extras, protections } = readBody(body, pricesBody);
  const rate = readRateId(rateId, context);
  if (directive.verb === 'sold_out') throw new Problem('SOLD_OUT', 'The car is sold out.');
  const quote =
    directive.verb === 'empty' ? undefined : requote(rateId, driver.age, { extras, protections }, context, directive);
  return json(
    200,
    vehiclesJson(rate, rentalDays(rate.pickupDate, rate.dropoffDate), quote ? [quote] : [], context.inventory),
  );
}

function stationOf(code: string, { inventory }: HoldContext): SimulatedLocation {
  const station = inventory.locationByCode(code);
  if (!station) throw new Problem('UNKNOWN_STATION', 'There is no station with this code.');
  return station;
}
