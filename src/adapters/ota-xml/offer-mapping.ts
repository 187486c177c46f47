import { MOST_ITEMS, refuseMoreThan } from '../../model/limits.js';
import type { PlaceRef } from '../../model/locations.js';
import { UnreadableAmountError } from '../../model/money.js';
import type { FuelPolicy, OfferStatus, SupplierOffer, Term, Vehicle, VehicleSearch } from '../../model/offers.js';
import { SupplierError } from '../../model/supplier.js';
import type { Warnings } from '../../model/warnings.js';
import { atBareAirport } from '../places/bare-airport.js';
import { zonesAt } from '../places/earliest-clock.js';
import { type AmountContext, amountContext } from './amounts.js';
import { cancellationOf } from './cancellation-mapping.js';
import { companyOfCar, placesOfCar, type VendorPlaces } from './car-places.js';
import { type Charges, readCharges } from './charge-mapping.js';
import { type LinkedRates, linkedRatesOf, rateLinksOf } from './linked-rates.js';
import { hasContext, isForeignCode, type StatedPlace, spelledPlace, statedPlace } from './location-codes.js';
import { mapLocation, minimalLocation } from './location-mapping.js';
import { supplierRefOf } from './offer-ref.js';
import { type Choice, optionsOf } from './option-mapping.js';
import { withTexts } from './option-names.js';
import type { OtaOptions } from './options.js';
import { depositOf, paymentOf } from './payment-mapping.js';
import { paymentRulesOf, ruleContradictions, saysPrepaid } from './payment-rules.js';
import { placeDetails } from './place-details.js';
import { currencyOf, priceOf, settledLines, totalOf, withoutOnTop } from './price-mapping.js';
import { changesOf, distancePoliciesOf, expiresAtOf, rateOf, requirementsOf } from './rate-mapping.js';
import { chargedDays, daysOfOptions } from './rental-days.js';
import { withOneRate } from './several-rates.js';
import { type StatedDates, statedDates } from './stated-dates.js';
import { termsOf } from './texts.js';
import { mapVehicle } from './vehicle-mapping.js';
import type { Vendors } from './vendors.js';
import { attribute, child, childrenNamed, flag, items, type XmlNode } from './wire.js';

/** The requested rental. */
type RequestedRental = Pick<VehicleSearch, 'pickup' | 'dropoff' | 'pickupDate' | 'dropoffDate'>;

/** What all offers of one VehVendorAvail share. */
export interface VendorAnswer extends StatedDates, VendorPlaces {
  readonly brand: string;
  readonly vendorCode: string | undefined;
  /** CodeContext of the vendor code, if the supplier stated one and none is configured. */
  readonly vendorContext: string | undefined;
  readonly terms: readonly Term[];
  /** Whether a term says that the rates are prepaid. */
  readonly saysPrepaid: boolean;
  /** Members of the refs: the supplier's spelling of the two places (location-codes.ts). */
  readonly spelledPlaces: Readonly<Record<string, string>>;
  /** What a rate is linked to; undefined if it refers to something unknown. */
  readonly linkedOf: (rate: XmlNode | undefined) => LinkedRates | undefined;
  readonly options: OtaOptions;
  /** One context per currency of the answer. */
  readonly contexts: Map<string, AmountContext>;
  /** What a price check requested besides the car. */
  readonly chosen?: Choice;
}

/** Whether an OTA_VehAvailRateRS has any car, whatever its status. */
export function hasVehicles(root: XmlNode): boolean {
  return vendorAvails(root).some((vendor) => carsOf(vendor).length > 0);
}

/**
 * OTA_VehAvailRateRS → offers, in the supplier's order. Unavailable cars and brands that were not requested are left
 * out; a car without a usable total or currency is left out with a warning. Throws SupplierError bad_payload if that
 * leaves none.
 */
export function mapOffers(
  root: XmlNode,
  requested: VehicleSearch,
  vendors: Vendors,
  options: OtaOptions,
  warnings: Warnings,
): SupplierOffer[] {
  refuseMoreThan(MOST_ITEMS, vendorAvails(root).flatMap(carsOf).length, 'cars');
  const offers: SupplierOffer[] = [];
  let isUnreadable = false;
  const rental = child(child(root, 'VehAvailRSCore'), 'VehRentalCore');
  for (const vendorAvail of vendorAvails(root)) {
    const vendor = child(vendorAvail, 'Vendor');
    const brand = vendors.brandOf(vendor, requested.brands, warnings);
    if (!requested.brands.includes(brand)) continue;
    const info = child(vendorAvail, 'Info');
    const links = rateLinksOf(root, info, requested.loyalty);
    const answer = {
      ...vendorAnswer(
        info,
        rental,
        brand,
        attribute(vendor, 'Code') ?? vendors.codeOf(brand),
        requested,
        options,
        warnings,
      ),
      vendorContext: options.vendorCodeContext === undefined ? attribute(vendor, 'CodeContext') : undefined,
      linkedOf: (rate: XmlNode | undefined) => linkedRatesOf(rate, links),
    };
    for (const avail of carsOf(vendorAvail)) {
      const core = child(avail, 'VehAvailCore');
      const status = statusOf(attribute(core, 'Status'));
      if (!core || !status) continue;
      const offer = readableOffer(core, child(avail, 'VehAvailInfo'), status, answer, warnings);
      if (offer) offers.push(offer);
      else isUnreadable = true;
    }
  }
  // "Nothing found" would be wrong.
  if (offers.length === 0 && isUnreadable) throw new SupplierError('bad_payload', 'no car of the answer could be read');
  return offers;
}

function vendorAvails(root: XmlNode): readonly XmlNode[] {
  return items(child(root, 'VehAvailRSCore'), 'VehVendorAvails', 'VehVendorAvail', MOST_ITEMS);
}

function carsOf(vendorAvail: XmlNode): readonly XmlNode[] {
  return items(vendorAvail, 'VehAvails', 'VehAvail', MOST_ITEMS);
}

/**
 * Reads what the offers of one brand share. `info` has LocationDetails and VendorMessages; `rental` is the answer's
 * VehRentalCore.
 */
export function vendorAnswer(
  info: XmlNode | undefined,
  rental: XmlNode | undefined,
  brand: string,
  vendorCode: string | undefined,
  requested: RequestedRental,
  options: OtaOptions,
  warnings: Warnings,
): VendorAnswer {
  const pickupPlace = statedPlace(child(rental, 'PickUpLocation'), 'LocationCode');
  const dropoffPlace = statedPlace(child(rental, 'ReturnLocation'), 'LocationCode');
  const { pickup: pickupNode, dropoff: dropoffNode } = placeDetails(
    childrenNamed(info, 'LocationDetails'),
    { pickup: pickupPlace, dropoff: dropoffPlace },
    requested,
  );
  const at = (node: XmlNode | undefined, place: PlaceRef, stated: StatedPlace | undefined) => {
    const location =
      node && mapLocation(node, { brand, countryCode: place.countryCode, options, place: stated }, warnings);
    const isOwnCode = flag(node, 'AtAirport') === false || hasContext(statedPlace(node, 'Code'), stated);
    return location && !isOwnCode ? atBareAirport(location, place) : location;
  };
  const minimal = (place: PlaceRef, stated: StatedPlace | undefined) => {
    const named = minimalLocation(place, brand, options, stated);
    const location = hasContext(stated) ? named : atBareAirport(named, place);
    if (location === named && isForeignCode(place, stated))
      warnings.add(
        'contradiction',
        `location ${stated?.code} instead of ${place.iataCode}: taken as the supplier's own code`,
      );
    return location;
  };
  const pickup = at(pickupNode, requested.pickup, pickupPlace) ?? minimal(requested.pickup, pickupPlace);
  const oneWay =
    requested.pickup !== requested.dropoff && JSON.stringify(requested.pickup) !== JSON.stringify(requested.dropoff);
  const isElsewhere = oneWay || (dropoffPlace !== undefined && dropoffPlace.code !== pickupPlace?.code);
  const dropoff =
    at(dropoffNode, requested.dropoff, dropoffPlace) ??
    (isElsewhere ? minimal(requested.dropoff, dropoffPlace) : pickup);
  const terms = termsOf(info);
  const { locationCode } = options;
  return {
    brand,
    vendorCode,
    vendorContext: undefined,
    pickup,
    dropoff: !oneWay && dropoff.code === pickup.code ? pickup : dropoff,
    detailed: { pickup: pickupNode !== undefined, dropoff: dropoffNode !== undefined },
    ...statedDates(rental, requested, warnings),
    terms,
    saysPrepaid: saysPrepaid(terms),
    spelledPlaces: {
      ...spelledPlace('pickup', requested.pickup, statedPlace(pickupNode, 'Code') ?? pickupPlace, locationCode),
      ...spelledPlace('dropoff', requested.dropoff, statedPlace(dropoffNode, 'Code') ?? dropoffPlace, locationCode),
    },
    linkedOf: () => ({}),
    options,
    contexts: new Map(),
  };
}

/** Like `mapOffer`; also undefined, with a warning, if an amount can't be read. */
function readableOffer(...car: Parameters<typeof mapOffer>): SupplierOffer | undefined {
  try {
    return mapOffer(...car);
  } catch (error) {
    if (!(error instanceof UnreadableAmountError)) throw error;
    const [core, , , , warnings] = car;
    warnings.add('amount_rejected', `${mapVehicle(child(core, 'Vehicle')).name} left out: ${error.message}`);
    return undefined;
  }
}

/**
 * One car at one rate; undefined, with a warning, without a usable total or currency. `listed` and `info`: VehAvailCore and VehAvailInfo of VehAvail. Throws
 * UnreadableAmountError if an amount can't be read.
 */
export function mapOffer(
  listed: XmlNode,
  info: XmlNode | undefined,
  status: OfferStatus,
  answer: VendorAnswer,
  warnings: Warnings,
): SupplierOffer | undefined {
  const { options } = answer;
  const vehicle = mapVehicle(child(listed, 'Vehicle'));
  const core = withOneRate(listed, options);
  if (!core) {
    warnings.add('row_dropped', `${vehicle.name} with several rates and totals left out: which belong together?`);
    return undefined;
  }
  const rate = child(core, 'RentalRate');
  const totalCharge = child(core, 'TotalCharge') ?? child(rate, 'TotalCharge');
  const currency = currencyOf(totalCharge, rate, options);
  if (currency === undefined) {
    warnings.add('row_dropped', `${vehicle.name} without currency left out`);
    return undefined;
  }
  const context = contextFor(currency, answer, warnings);
  const charges = readCharges(core, context, options);
  const choice = optionsOf(core, info, context, options, answer.chosen, daysOfOptions(charges, answer));
  const stated = choice.lines.length === 0 ? charges.lines : [...charges.lines, ...choice.lines];
  const lines = settledLines(totalCharge, stated, charges, currency, options, warnings);
  const total = totalOf(totalCharge, lines, currency, options, warnings, charges.unknownPart ?? choice.unknownPart);
  if (!total) {
    warnings.add('row_dropped', `${vehicle.name} without total left out`);
    return undefined;
  }
  const linked = answer.linkedOf(rate);
  if (!linked) {
    warnings.add(
      'row_dropped',
      `${vehicle.name} at a rate for a tour or program that the answer does not name left out`,
    );
    return undefined;
  }
  const rateRules = child(info, 'RateRules') ?? child(core, 'RateRules') ?? child(rate, 'RateRules');
  const restrictions = child(rate, 'RateRestrictions');
  const holders = [rateRules, info, core, rate];
  const rules = paymentRulesOf(holders, restrictions);
  const payment = paymentOf(total, withoutOnTop(total, lines), rules, rate, charges, context);
  const ownTerms = [...companyOfCar(core, answer.brand), ...termsOf(info, rate)];
  const terms = ownTerms.length === 0 ? answer.terms : [...ownTerms, ...answer.terms];
  for (const text of ruleContradictions(rules.rules)) warnings.add('contradiction', text);
  if (payment.dueNow.amountMinor === 0 && (answer.saysPrepaid || saysPrepaid(ownTerms)))
    warnings.add('contradiction', `a text says prepaid, the payment rules do not: read as ${payment.type}`);
  const { pickupDate, dropoffDate } = answer;
  const places = placesOfCar(core, answer);
  return {
    brand: answer.brand,
    status,
    supplierRef: supplierRefOf(core, rate, vehicle, answer, linked),
    expiresAt: expiresAtOf(rate),
    vehicle,
    ...places,
    pickupDate,
    dropoffDate,
    rate: rateOf(rate, payment.type, linked),
    price: priceOf(total, lines, payment),
    rentalDays: chargedDays(charges, answer) ?? answer.days,
    statesDates: answer.statesDates,
    distancePolicy: distancePoliciesOf(rate, charges.overage, options, warnings),
    fuelPolicy: fuelPolicyOf(charges, vehicle),
    coverages: choice.coverages,
    extras: choice.extras,
    deposit: depositOf(rules, rateRules, total, context, charges.deposit),
    cancellation: cancellationOf(
      {
        ...{ holders, paymentRules: rules.rules, restrictions, terms, total },
        pickup: { date: pickupDate, zones: () => zonesAt(answer.pickup) },
      },
      context,
    ),
    changes: changesOf(rate),
    requirements: requirementsOf(rate, lines, rules),
    terms: withTexts(terms, choice.texts),
  };
}

function contextFor(currency: string, answer: VendorAnswer, warnings: Warnings): AmountContext {
  const known = answer.contexts.get(currency);
  if (known) return known;
  const context = amountContext(currency, answer.options.money, warnings);
  answer.contexts.set(currency, context);
  return context;
}

/** InventoryStatus → ours. Unavailable, Waitlist and anything else is not offered. */
export function statusOf(status: string | undefined, unstated: OfferStatus = 'available'): OfferStatus | undefined {
  if (status === undefined) return unstated;
  if (status === 'Available' || status === 'All') return 'available';
  return status === 'OnRequest' ? 'on_request' : undefined;
}

function fuelPolicyOf(charges: Charges, vehicle: Vehicle): FuelPolicy {
  return charges.fuelPolicy ?? (vehicle.fuel === 'electric' ? 'electric' : 'unknown');
}
