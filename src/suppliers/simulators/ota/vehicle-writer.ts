import { element, wrap } from '../../adapters/ota-xml/xml-write.js';
import { divideMoney, formatAmount, type Money } from '../../money.js';
import type { SimulatedCar, SimulatedCarOffer, SimulatedCharge, SimulatedCoverage, SimulatedExtra } from '../world.js';
import { CATEGORY_BY_LETTER, SIZE_BY_LETTER } from './sipp-classes.js';

/** What every VehAvail of one vendor and question shares. */
export interface AvailSetting {
  readonly vendor: string;
  /** Identifies the question inside Reference@ID: counter and dates. */
  readonly question: string;
  readonly totalFrom: 'estimated' | 'rate_plus_fees';
  /** Scenario verb on_request: no car is to be had at once. */
  readonly allOnRequest: boolean;
  readonly extras: readonly SimulatedExtra[];
  readonly coveragesOf: (car: SimulatedCar) => readonly SimulatedCoverage[];
}

interface PricedRate {
  readonly prepaid: boolean;
  readonly base: number;
  readonly charges: readonly SimulatedCharge[];
  readonly total: number;
}

/** The VehAvail elements of one car: the rate paid at the counter and, where there is one, the prepaid rate. */
export function vehAvailElements(offer: SimulatedCarOffer, setting: AvailSetting): string[] {
  const { price } = offer;
  const rates: PricedRate[] = [{ prepaid: false, base: price.base, charges: price.charges, total: price.total }];
  if (price.prepaid) rates.push({ prepaid: true, ...price.prepaid });
  return rates.map((rate) => wrap('VehAvail', coreElement(offer, rate, setting) + infoElement(offer, rate, setting)));
}

function coreElement(offer: SimulatedCarOffer, rate: PricedRate, setting: AvailSetting): string {
  const { car, price } = offer;
  const code = `${car.classCode}${rate.prepaid ? 'PP' : 'PL'}`;
  const fees = rate.charges.filter(isFee).map((charge) => chargeElement('Fee', charge, price.currency));
  return element(
    'VehAvailCore',
    { Status: setting.allOnRequest || car.onRequest ? 'OnRequest' : 'Available' },
    vehicleElement(car) +
      rateElement(offer, rate, code) +
      element('TotalCharge', {
        RateTotalAmount: amount(rate.base, price.currency),
        EstimatedTotalAmount: setting.totalFrom === 'estimated' ? amount(rate.total, price.currency) : undefined,
        CurrencyCode: price.currency,
      }) +
      wrap('PricedEquips', setting.extras.map((extra) => equipElement(extra, price.days, price.currency)).join('')) +
      wrap('Fees', fees.join('')) +
      element('Reference', { Type: 16, ID: `${setting.vendor}-${setting.question}-${code}` }),
  );
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

function rateElement(offer: SimulatedCarOffer, rate: PricedRate, code: string): string {
  const { price } = offer;
  const distance = offer.unlimitedDistance
    ? { Unlimited: true, DistUnitName: 'Km', VehiclePeriodUnitName: 'RentalPeriod' }
    : { Unlimited: false, Quantity: offer.distancePerDayKm ?? 200, DistUnitName: 'Km', VehiclePeriodUnitName: 'Day' };
  const charges = rate.charges.filter((charge) => !isFee(charge) && !isTaxOnTop(charge));
  return wrap(
    'RentalRate',
    element('RateDistance', distance) +
      wrap(
        'VehicleCharges',
        rentalElement(offer, rate) +
          charges.map((charge) => chargeElement('VehicleCharge', charge, price.currency)).join('') +
          fuelElement(offer.car, price.currency),
      ) +
      // RTC: 19 prepaid, 3 leisure.
      element('RateQualifier', { RateCategory: rate.prepaid ? 19 : 3, RateQualifier: code }) +
      element('RateRestrictions', { MinimumAge: offer.minAge }),
  );
}

/** The rental itself with the taxes on top of it. The daily price is told only where it is exact. */
function rentalElement(offer: SimulatedCarOffer, rate: PricedRate): string {
  const { currency, days } = offer.price;
  const daily = divideMoney(money(rate.base, currency), days);
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
    { Amount: amount(rate.base, currency), CurrencyCode: currency, TaxInclusive: false, IncludedInEstTotalInd: true, Purpose: 1 },
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

/** Fuel is full to full (VCP 116), told the way OTA tells it: a charge of nothing. */
function fuelElement(car: SimulatedCar, currency: string): string {
  if (car.fuel === 'electric') return '';
  return element('VehicleCharge', { Amount: amount(0, currency), CurrencyCode: currency, Description: 'Full to full', Purpose: 116 });
}

function equipElement(extra: SimulatedExtra, days: number, currency: string): string {
  const whole = extra.perDay * days;
  const capped = extra.maxPerRental > 0 ? Math.min(whole, extra.maxPerRental) : whole;
  return wrap(
    'PricedEquip',
    element('Equipment', { EquipType: extra.equipType }) +
      element(
        'Charge',
        { Amount: amount(capped, currency), CurrencyCode: currency, TaxInclusive: true },
        element('Calculation', {
          UnitCharge: amount(extra.perDay, currency),
          UnitName: 'Day',
          Quantity: days,
          MaxQuantity: extra.maxQuantity,
        }),
      ),
  );
}

function infoElement(offer: SimulatedCarOffer, rate: PricedRate, setting: AvailSetting): string {
  const { currency, days } = offer.price;
  const coverages = setting.coveragesOf(offer.car).map((coverage) => coverageElement(coverage, days, currency));
  const prepay = rate.prepaid ? element('PaymentRule', { RuleType: 2, Amount: amount(rate.total, currency), CurrencyCode: currency }) : '';
  const deposit =
    offer.deposit > 0 ? element('PaymentRule', { RuleType: 3, Amount: amount(offer.deposit, currency), CurrencyCode: currency }) : '';
  return wrap(
    'VehAvailInfo',
    wrap('PricedCoverages', coverages.join('')) + wrap('PaymentRules', prepay + deposit) + wrap('RateRules', penaltyElement(offer, rate)),
  );
}

function coverageElement(coverage: SimulatedCoverage, days: number, currency: string): string {
  const total = coverage.included ? 0 : coverage.perDay * days;
  const calculation = element('Calculation', { UnitCharge: amount(coverage.perDay, currency), UnitName: 'Day', Quantity: days });
  const excess =
    coverage.excess === undefined ? '' : element('Deductible', { ExcessAmount: amount(coverage.excess, currency), CurrencyCode: currency });
  return wrap(
    'PricedCoverage',
    element('Coverage', { CoverageType: coverage.coverageType }) +
      element(
        'Charge',
        { Amount: amount(total, currency), TaxInclusive: true, IncludedInRate: coverage.included },
        coverage.included ? '' : calculation,
      ) +
      excess,
  );
}

/** Free until the hours before pickup, then a day's price (everything for a prepaid rate); no deadline = never refunded. */
function penaltyElement(offer: SimulatedCarOffer, rate: PricedRate): string {
  const { currency, dailyRate } = offer.price;
  const hours = offer.freeCancellationHours;
  const deadline =
    hours === undefined
      ? ''
      : element('Deadline', { OffsetTimeUnit: 'Hour', OffsetUnitMultiplier: hours, OffsetDropTime: 'BeforeArrival' });
  const all = rate.prepaid || hours === undefined;
  const fee = all ? { Percent: 100 } : { Amount: amount(dailyRate, currency), CurrencyCode: currency };
  return wrap('CancelPenaltyInfo', deadline + element('PenaltyFee', fee));
}

/** VCP 7: a counted tax stands in TaxAmounts of the rental. */
function isTaxOnTop(charge: SimulatedCharge): boolean {
  return charge.purpose === 7 && charge.includedInTotal;
}

/** Surcharges and local fees stand in Fees, the charges of the rental itself (one-way, young driver, …) in VehicleCharges. */
function isFee(charge: SimulatedCharge): boolean {
  return charge.purpose >= 28 || charge.purpose === 5 || charge.purpose === 6 || (charge.purpose === 7 && !charge.includedInTotal);
}

function money(amountMinor: number, currency: string): Money {
  return { amountMinor, currency };
}

function amount(amountMinor: number, currency: string): string {
  return formatAmount(money(amountMinor, currency));
}
