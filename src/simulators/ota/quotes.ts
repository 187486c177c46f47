import type { SimulatedCarOffer, SimulatedCoverage, SimulatedExtra } from '../world.js';
import { OTA_ERRORS, type OtaError } from './answers.js';
import { chosenTotal } from './option-prices.js';
import type { RentalQuestion } from './rental-reader.js';
import { type PricedRate, ratesOf } from './vehicle-writer.js';

/** The current price of a rental. Amounts are minor units of `currency`. */
export interface Quote {
  readonly offer: SimulatedCarOffer;
  readonly rate: PricedRate;
  readonly currency: string;
  /** Including all chosen options. */
  readonly total: number;
  readonly extras: readonly SimulatedExtra[];
  readonly coverages: readonly SimulatedCoverage[];
}

/** An age at which every car may be driven. */
const OLD_ENOUGH = 40;

/**
 * Prices a rental; an error if the car is not available, the driver is too young, or the rate or an option does not
 * exist.
 */
export function quote(question: RentalQuestion, pricePercent: number | undefined): Quote | OtaError {
  const { inventory, pickup } = question;
  const offer = carOf(question, question.age, pricePercent);
  if (!offer || offer.minAge > question.age)
    return carOf(question, OLD_ENOUGH, pricePercent) ? OTA_ERRORS.driverAge : OTA_ERRORS.soldOut;
  const rate = ratesOf(offer).find(({ code }) => code === question.rateCode);
  if (!rate) return OTA_ERRORS.unknownRate;
  const extras = inventory.extras(pickup);
  const coverages = inventory.coverages(pickup, offer.car);
  const unknown = optionError(question, extras, coverages);
  if (unknown) return unknown;
  const { currency, days } = offer.price;
  return {
    offer,
    rate,
    currency,
    total: rate.total + chosenTotal(question, extras, coverages, days),
    extras,
    coverages,
  };
}

function carOf(
  { inventory, pickup, dropoff, asked, sippCode, terms }: RentalQuestion,
  age: number,
  pricePercent: number | undefined,
) {
  const { pickupDate, dropoffDate } = asked;
  const cars = inventory.carsFor({ pickup, dropoff, pickupDate, dropoffDate, age, pricePercent, ...terms });
  return cars.find(({ car }) => car.sippCode === sippCode);
}

function optionError(
  question: RentalQuestion,
  extras: readonly SimulatedExtra[],
  coverages: readonly SimulatedCoverage[],
): OtaError | undefined {
  for (const { code, quantity } of question.extras) {
    const extra = extras.find(({ equipType }) => String(equipType) === code);
    if (!extra) return OTA_ERRORS.noEquipment;
    if (quantity > extra.maxQuantity) return OTA_ERRORS.tooMuchEquipment;
  }
  const hasAll = question.coverages.every((code) =>
    coverages.some(({ coverageType }) => String(coverageType) === code),
  );
  return hasAll ? undefined : OTA_ERRORS.noCoverage;
}
