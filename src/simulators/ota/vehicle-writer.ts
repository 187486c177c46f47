import { divideMoney, formatAmount } from '../../model/money.js';
import type {
  Inventory,
  SimulatedCar,
  SimulatedCarOffer,
  SimulatedCharge,
  SimulatedCoverage,
  SimulatedExtra,
  SimulatedLocation,
} from '../world.js';
import type { OtaSimulatorDialect } from './answers.js';
import { cancellationTerms } from './cancellation-terms.js';
import { type ChosenOptions, chosenQuantity, chosenTotal, isChosen } from './option-prices.js';
import { amount, coverageElement, equipElement } from './option-writer.js';
import { type RateTerms, termsSuffix } from './rate-terms.js';
import { CATEGORY_BY_LETTER, SIZE_BY_LETTER } from './sipp-classes.js';
import { element, wrap } from './wire-writer.js';

/** Data shared by all VehAvail elements of one vendor and request. */
export interface AvailSetting {
  readonly vendor: string;
  /** Identifies the request within Reference@ID: location and dates. */
  readonly question: string;
  readonly totalFrom: 'estimated' | 'rate_plus_fees';
  /** Scenario verb on_request: no car is available without a request. */
  readonly allOnRequest: boolean;
  readonly extras: readonly SimulatedExtra[];
  readonly coveragesOf: (car: SimulatedCar) => readonly SimulatedCoverage[];
  readonly terms: RateTerms;
  /** The chosen options; absent = none yet. */
  readonly chosen?: ChosenOptions;
}

/** The setting for a rental of one vendor. */
export function availSetting(
  rental: {
    readonly vendor: string;
    readonly inventory: Inventory;
    readonly pickup: SimulatedLocation;
    readonly dropoff: SimulatedLocation;
    readonly pickupDate: string;
    readonly dropoffDate: string;
    readonly terms: RateTerms;
  },
  dialect: OtaSimulatorDialect,
  allOnRequest: boolean,
): AvailSetting {
  const { vendor, inventory, pickup, dropoff, pickupDate, dropoffDate, terms } = rental;
  return {
    vendor,
    question: `${pickup.code}${dropoff.code}${pickupDate.slice(2, 13)}${dropoffDate.slice(2, 13)}`.replace(/[-T]/g, ''),
    totalFrom: dialect.totalFrom ?? 'estimated',
    allOnRequest,
    terms,
    extras: inventory.extras(pickup),
    coveragesOf: (car) => inventory.coverages(pickup, car),
  };
}

const NOTHING: ChosenOptions = { extras: [], coverages: [] };

/** One payment type for a car. Amounts are minor units without chosen options. */
export interface PricedRate {
  /** RateQualifier: APL paid at pickup, APP prepaid. */
  readonly code: string;
  readonly prepaid: boolean;
  readonly base: number;
  readonly charges: readonly SimulatedCharge[];
  readonly total: number;
}

/** The rates of a car: paid at pickup and, if it is sold, prepaid. */
export function ratesOf({ car, price }: SimulatedCarOffer): readonly PricedRate[] {
  const later: PricedRate = {
    code: `${car.classCode}PL`,
    prepaid: false,
    base: price.base,
    charges: price.charges,
    total: price.total,
  };
  return price.prepaid ? [later, { code: `${car.classCode}PP`, prepaid: true, ...price.prepaid }] : [later];
}

/** The VehAvail elements of one car, one for each rate. */
export function vehAvailElements(offer: SimulatedCarOffer, setting: AvailSetting): string[] {
  return ratesOf(offer).map((rate) => {
    const core = element('VehAvailCore', { Status: statusOf(offer, setting) }, coreContent(offer, rate, setting));
    return wrap('VehAvail', core + wrap('VehAvailInfo', infoContent(offer, rate, setting)));
  });
}

/** The content of an OTA_VehRateRuleRS for one car at one rate with chosen options, which the total includes. */
export function rateRuleContent(offer: SimulatedCarOffer, rate: PricedRate, setting: AvailSetting): string {
  return coreContent(offer, rate, setting, statusOf(offer, setting)) + infoContent(offer, rate, setting);
}

function statusOf({ car }: SimulatedCarOffer, { allOnRequest }: AvailSetting): string {
  return allOnRequest || car.onRequest ? 'OnRequest' : 'Available';
}

/** `rateStatus` is written on the rate if the message has no other place for it. */
function coreContent(offer: SimulatedCarOffer, rate: PricedRate, setting: AvailSetting, rateStatus?: string): string {
  const { car, price } = offer;
  const { extras, chosen = NOTHING } = setting;
  const fees = rate.charges.filter(isFee).map((charge) => chargeElement('Fee', charge, price.currency));
  return (
    vehicleElement(car) +
    rateElement(offer, rate, setting.terms, rateStatus) +
    element('TotalCharge', {
      RateTotalAmount: amount(rate.base, price.currency),
      EstimatedTotalAmount:
        setting.totalFrom === 'estimated' ? amount(totalOf(offer, rate, setting), price.currency) : undefined,
      CurrencyCode: price.currency,
    }) +
    wrap(
      'PricedEquips',
      extras.map((extra) => equipElement(extra, price.days, price.currency, chosenQuantity(extra, chosen))).join(''),
    ) +
    wrap('Fees', fees.join('')) +
    element('Reference', {
      Type: 16,
      ID: `${setting.vendor}-${setting.question}-${rate.code}${termsSuffix(setting.terms)}`,
    })
  );
}

function totalOf(
  { car, price }: SimulatedCarOffer,
  rate: PricedRate,
  { chosen, extras, coveragesOf }: AvailSetting,
): number {
  return chosen ? rate.total + chosenTotal(chosen, extras, coveragesOf(car), price.days) : rate.total;
}

function vehicleElement(car: SimulatedCar): string {
  return element(
    'Vehicle',
    {
      AirConditionInd: car.airConditioning,
      TransmissionType: car.transmission === 'automatic' ? 'Automatic' : 'Manual',
      FuelType: car.fuel.charAt(0).toUpperCase() + car.fuel.slice(1),
      PassengerQuantity: car.seats,
      BaggageQuantity: car.bagsLarge,
      Code: car.sippCode,
      CodeContext: 'SIPP',
      VendorCarType: car.classCode,
    },
    element('VehType', { VehicleCategory: CATEGORY_BY_LETTER[car.sippCode.charAt(1)] ?? 24, DoorCount: car.doors }) +
      element('VehClass', { Size: SIZE_BY_LETTER[car.sippCode.charAt(0)] ?? 32 }) +
      element('VehMakeModel', { Name: `${car.make} ${car.model} or similar` }),
  );
}

function rateElement(
  offer: SimulatedCarOffer,
  rate: PricedRate,
  { corporateCode, promotionCode }: RateTerms,
  status: string | undefined,
): string {
  const { price } = offer;
  const distance = offer.unlimitedDistance
    ? { Unlimited: true, DistUnitName: 'Km', VehiclePeriodUnitName: 'RentalPeriod' }
    : { Unlimited: false, Quantity: offer.distancePerDayKm ?? 200, DistUnitName: 'Km', VehiclePeriodUnitName: 'Day' };
  const charges = rate.charges.filter((charge) => !isFee(charge) && !isTaxOnTop(charge));
  return element(
    'RentalRate',
    { Status: status },
    element('RateDistance', distance) +
      wrap(
        'VehicleCharges',
        rentalElement(offer, rate) +
          charges.map((charge) => chargeElement('VehicleCharge', charge, price.currency)).join('') +
          fuelElement(offer.car, price.currency),
      ) +
      // RTC: 19 prepaid, 3 leisure.
      element('RateQualifier', {
        RateCategory: rate.prepaid ? 19 : 3,
        RateQualifier: rate.code,
        CorpDiscountNmbr: corporateCode,
        PromotionCode: promotionCode,
      }) +
      element('RateRestrictions', { MinimumAge: offer.minAge }),
  );
}

/** The rental charge with its taxes. The daily price is included only if it is exact. */
function rentalElement(offer: SimulatedCarOffer, rate: PricedRate): string {
  const { currency, days } = offer.price;
  const daily = divideMoney({ amountMinor: rate.base, currency }, days);
  const taxes = rate.charges.filter(isTaxOnTop).map((tax) =>
    element('TaxAmount', {
      Total: amount(tax.amount, currency),
      CurrencyCode: currency,
      Percentage: tax.percent,
      Description: tax.description,
    }),
  );
  const exact = daily.amountMinor * days === rate.base ? formatAmount(daily) : undefined;
  return element(
    'VehicleCharge',
    {
      Amount: amount(rate.base, currency),
      CurrencyCode: currency,
      TaxInclusive: false,
      IncludedInEstTotalInd: true,
      Purpose: 1,
    },
    wrap('TaxAmounts', taxes.join('')) + element('Calculation', { UnitCharge: exact, UnitName: 'Day', Quantity: days }),
  );
}

function chargeElement(name: 'VehicleCharge' | 'Fee', charge: SimulatedCharge, currency: string): string {
  return element(name, {
    Amount: amount(charge.amount, currency),
    CurrencyCode: currency,
    TaxInclusive: true,
    RequiredInd: charge.includedInTotal,
    IncludedInEstTotalInd: charge.includedInTotal,
    Description: charge.description,
    Purpose: charge.purpose,
  });
}

/** Fuel is full to full (VCP 116), which OTA expresses as a charge of zero. */
function fuelElement(car: SimulatedCar, currency: string): string {
  if (car.fuel === 'electric') return '';
  return element('VehicleCharge', {
    Amount: amount(0, currency),
    CurrencyCode: currency,
    Description: 'Full to full',
    Purpose: 116,
  });
}

function infoContent(offer: SimulatedCarOffer, rate: PricedRate, setting: AvailSetting): string {
  const { currency, days } = offer.price;
  const { chosen = NOTHING } = setting;
  const coverages = setting
    .coveragesOf(offer.car)
    .map((coverage) => coverageElement(coverage, days, currency, isChosen(coverage, chosen)));
  const total = totalOf(offer, rate, setting);
  const prepay = rate.prepaid
    ? element('PaymentRule', { RuleType: 2, Amount: amount(total, currency), CurrencyCode: currency })
    : '';
  const deposit =
    offer.deposit > 0
      ? element('PaymentRule', { RuleType: 3, Amount: amount(offer.deposit, currency), CurrencyCode: currency })
      : '';
  return (
    wrap('PricedCoverages', coverages.join('')) +
    wrap('PaymentRules', prepay + deposit) +
    wrap('RateRules', penaltyElement(offer, rate))
  );
}

function penaltyElement(offer: SimulatedCarOffer, rate: PricedRate): string {
  const { currency } = offer.price;
  const { freeUntilHours, fee } = cancellationTerms(offer, rate.prepaid);
  const deadline =
    freeUntilHours === undefined
      ? ''
      : element('Deadline', {
          OffsetTimeUnit: 'Hour',
          OffsetUnitMultiplier: freeUntilHours,
          OffsetDropTime: 'BeforeArrival',
        });
  const penalty = fee === undefined ? { Percent: 100 } : { Amount: amount(fee, currency), CurrencyCode: currency };
  return wrap('CancelPenaltyInfo', deadline + element('PenaltyFee', penalty));
}

/** VCP 7: a tax included in the total is in TaxAmounts of the rental. */
function isTaxOnTop(charge: SimulatedCharge): boolean {
  return charge.purpose === 7 && charge.includedInTotal;
}

/**
 * Surcharges and local fees are in Fees, the charges of the rental itself (one-way, young driver, …) in VehicleCharges.
 */
function isFee(charge: SimulatedCharge): boolean {
  return (
    charge.purpose >= 28 ||
    charge.purpose === 5 ||
    charge.purpose === 6 ||
    (charge.purpose === 7 && !charge.includedInTotal)
  );
}
