import type { CancelResult, SupplierBooking } from '../../model/bookings.js';
import { MOST_BOOKINGS, MOST_ITEMS, MOST_OFFER_BYTES, MOST_TERMS } from '../../model/limits.js';
import type { LocationDetails, LocationOption } from '../../model/location-details.js';
import { identityOf } from '../../model/location-identity.js';
import type { Distance, OpeningHours, SpecialHours, SupplierLocation } from '../../model/locations.js';
import type {
  Cancellation,
  Coverage,
  DistancePolicy,
  Extra,
  PriceItem,
  SupplierOffer,
  Term,
  Vehicle,
} from '../../model/offers.js';
import type { Operation, SupplierAnswer } from '../../model/supplier.js';
import { checkBooking, checkCancelResult } from './booking-limits.js';
import { CODE, Tally } from './tally.js';

/*
 * What a supplier may send (docs/resilience.md#limits-of-an-answer). A supplier that sends more is broken or hostile: its
 * answer is a bad payload. The limits are far above what suppliers send, and low enough that no answer stalls the
 * gateway. Written out instead of derived from a schema, because it runs for each offer of each search.
 */

/** Characters of names and parts of addresses. */
export const NAME = 300;
/** Characters of a charge's description. */
export const LINE = 1_000;
/** Characters of a URL. */
export const ADDRESS = 2_048;
/** Characters of a text. All texts together are bounded by the limits of an offer and of all items. */
export const PROSE = 100_000;
export const MOST_DISTANCE = 1_000_000;
export const MOST_CHARGES = 200;
/** Extras, and coverages, of an offer. ABG's contract has 167 codes of extras, and its answers list those that aren't taken as well. */
export const MOST_OPTIONS = 200;
/** Pickup and dropoff locations of all offers: a search is for one place. Each that differs costs the gateway work. */
const PLACES = 100;

/** Members of a location or offer that are always there, with their punctuation. */
const LOCATION_BYTES = 400;
const OFFER_BYTES = 1_200;
const MEMBER_BYTES = 150;

/**
 * Checks what an operation of an adapter returned. Throws SupplierError `bad_payload` that names the first value beyond
 * a limit, without quoting it.
 */
export function checkAnswer(operation: Operation, answer: unknown): void {
  const tally = new Tally();
  switch (operation) {
    case 'searchLocations':
      tally.items((answer as SupplierAnswer<SupplierLocation>).items, MOST_ITEMS, checkLocation);
      return;
    case 'searchVehicles':
    case 'priceCheck':
      tally.items((answer as SupplierAnswer<SupplierOffer>).items, MOST_ITEMS, checkOffer, MOST_OFFER_BYTES[operation]);
      return;
    case 'retrieve':
      tally.items((answer as SupplierAnswer<SupplierBooking>).items, MOST_BOOKINGS, checkBooking);
      return;
    case 'book':
    case 'modify':
      checkBooking(answer as SupplierBooking, tally);
      return;
    case 'cancel':
      checkCancelResult(answer as CancelResult, tally);
      return;
    case 'locationDetails':
      tally.items((answer as SupplierAnswer<LocationDetails>).items, 1, checkLocationDetails);
  }
}

function checkOffer(offer: SupplierOffer, tally: Tally): void {
  const { vehicle, rate, price, deposit, requirements } = offer;
  tally.add(OFFER_BYTES);
  tally.text(offer.brand, NAME, 'brand');
  tally.text(offer.status, CODE, 'status');
  tally.ref(offer.supplierRef);
  tally.instant(offer.expiresAt, 'expiresAt');
  checkVehicle(vehicle, tally);
  tally.shared(offer.pickup, checkPlace);
  tally.shared(offer.dropoff, checkPlace);
  tally.localTime(offer.pickupDate, 'pickupDate');
  tally.localTime(offer.dropoffDate, 'dropoffDate');
  tally.text(rate.code, CODE, 'rate.code');
  tally.text(rate.type, CODE, 'rate.type');
  tally.text(rate.payment, CODE, 'rate.payment');
  tally.texts(rate.discountsApplied, 20, CODE, 'rate.discountsApplied');
  tally.money(price.total, 'price.total');
  tally.money(price.base, 'price.base');
  tally.money(price.taxes, 'price.taxes');
  tally.money(price.fees, 'price.fees');
  tally.money(price.oneWay, 'price.oneWay');
  tally.money(price.extras, 'price.extras');
  tally.money(price.coverages, 'price.coverages');
  tally.money(price.discount, 'price.discount');
  tally.money(price.dueNow, 'price.dueNow');
  tally.money(price.dueAtCounter, 'price.dueAtCounter');
  tally.list(price.items, MOST_CHARGES, 'price.items', checkPriceItem);
  tally.money(price.unitemised, 'price.unitemised');
  tally.money(price.display, 'price.display');
  tally.count(offer.rentalDays, 'rentalDays');
  tally.list(offer.distancePolicy, 20, 'distancePolicy', checkDistancePolicy);
  tally.text(offer.fuelPolicy, CODE, 'fuelPolicy');
  tally.list(offer.coverages, MOST_OPTIONS, 'coverages', checkCoverage);
  tally.list(offer.extras, MOST_OPTIONS, 'extras', checkExtra);
  tally.money(deposit?.amount, 'deposit.amount');
  tally.text(deposit?.takenAt, CODE, 'deposit.takenAt');
  tally.shared(offer.cancellation, checkCancellation);
  tally.count(requirements.minAge, 'requirements.minAge');
  tally.count(requirements.maxAge, 'requirements.maxAge');
  tally.money(requirements.youngDriverFee, 'requirements.youngDriverFee');
  tally.texts(requirements.acceptedCards ?? [], 30, CODE, 'requirements.acceptedCards');
  tally.shared(offer.terms, checkTerms);
}

function checkVehicle(vehicle: Vehicle, tally: Tally): void {
  tally.text(vehicle.sippCode, CODE, 'vehicle.sippCode');
  tally.text(vehicle.name, NAME, 'vehicle.name');
  tally.text(vehicle.make, NAME, 'vehicle.make');
  tally.text(vehicle.model, NAME, 'vehicle.model');
  tally.text(vehicle.classCode, CODE, 'vehicle.classCode');
  tally.text(vehicle.className, NAME, 'vehicle.className');
  tally.count(vehicle.seats, 'vehicle.seats');
  if (typeof vehicle.doors === 'string') tally.text(vehicle.doors, CODE, 'vehicle.doors');
  else tally.count(vehicle.doors, 'vehicle.doors');
  tally.count(vehicle.bagsLarge, 'vehicle.bagsLarge');
  tally.count(vehicle.bagsSmall, 'vehicle.bagsSmall');
  tally.text(vehicle.imageUrl, ADDRESS, 'vehicle.imageUrl');
  tally.text(vehicle.transmission, CODE, 'vehicle.transmission');
  tally.text(vehicle.fuel, CODE, 'vehicle.fuel');
}

function checkPlace(location: SupplierLocation, tally: Tally): void {
  checkLocation(location, tally);
  tally.distinct(identityOf(location), PLACES, 'different locations');
}

function checkLocation(location: SupplierLocation, tally: Tally): void {
  const { address } = location;
  tally.add(LOCATION_BYTES);
  tally.text(location.brand, NAME, 'brand');
  tally.text(location.code, CODE, 'code');
  tally.text(location.codeContext, CODE, 'codeContext');
  tally.text(location.iataCode, CODE, 'iataCode');
  tally.text(location.name, NAME, 'name');
  tally.text(location.type, CODE, 'type');
  tally.text(location.counter, CODE, 'counter');
  tally.texts(address.lines, 10, NAME, 'address.lines');
  tally.text(address.city, NAME, 'address.city');
  tally.text(address.region, NAME, 'address.region');
  tally.text(address.postalCode, CODE, 'address.postalCode');
  tally.text(address.countryCode, CODE, 'address.countryCode');
  tally.position(location, '');
  tally.text(location.phone, CODE, 'phone');
  tally.list(location.openingHours, 100, 'openingHours', checkOpeningHours);
  tally.list(location.specialHours, 400, 'specialHours', checkSpecialHours);
  tally.texts(location.services, 50, CODE, 'services');
  checkDistance(location.distance, tally);
}

function checkLocationDetails(details: LocationDetails, tally: Tally): void {
  const { shuttle } = details;
  checkLocation(details.location, tally);
  tally.count(details.minAge, 'minAge');
  tally.count(details.maxAge, 'maxAge');
  tally.list(shuttle?.openingHours ?? [], 100, 'shuttle.openingHours', checkOpeningHours);
  checkTerms(shuttle?.texts ?? [], tally);
  tally.list(details.fees, 3 * MOST_TERMS, 'fees', (fee, own) => {
    own.text(fee.kind, CODE, 'fees.kind');
    own.text(fee.name, NAME, 'fees.name');
    own.text(fee.percent, CODE, 'fees.percent');
    checkUnitPrices(fee, own, 'fees');
  });
  tally.list(details.coverages, MOST_TERMS, 'coverages', checkLocationOption);
  tally.list(details.extras, MOST_TERMS, 'extras', checkLocationOption);
  tally.list(details.vehicles, MOST_TERMS, 'vehicles', checkVehicle);
  tally.list(details.terms, 4 * MOST_TERMS, 'terms', checkTerm);
}

function checkLocationOption(option: LocationOption, tally: Tally): void {
  tally.text(option.code, CODE, 'code');
  tally.text(option.type, CODE, 'type');
  tally.text(option.name, NAME, 'name');
  checkUnitPrices(option, tally, 'options');
}

function checkUnitPrices(
  { prices, most, text }: Pick<LocationOption, 'prices' | 'most' | 'text'>,
  tally: Tally,
  name: string,
): void {
  tally.list(prices, MOST_TERMS, `${name}.prices`, ({ amount, per }, own) => {
    own.money(amount, `${name}.prices.amount`);
    own.text(per, CODE, `${name}.prices.per`);
  });
  tally.money(most, `${name}.most`);
  tally.text(text, PROSE, `${name}.text`);
}

function checkOpeningHours(hours: OpeningHours, tally: Tally): void {
  tally.text(hours.day, CODE, 'openingHours.day');
  checkSlot(hours, tally);
}

function checkSpecialHours({ name, from, to, slots }: SpecialHours, tally: Tally): void {
  tally.text(name, NAME, 'specialHours.name');
  tally.text(from, CODE, 'specialHours.from');
  tally.text(to, CODE, 'specialHours.to');
  tally.list(slots, 20, 'specialHours.slots', checkSlot);
}

function checkSlot({ open, close }: { readonly open: string; readonly close: string }, tally: Tally): void {
  tally.text(open, CODE, 'openingHours.open');
  tally.text(close, CODE, 'openingHours.close');
}

function checkDistance(distance: Distance | undefined, tally: Tally): void {
  tally.number(distance?.value, 0, MOST_DISTANCE, 'distance');
  tally.text(distance?.unit, CODE, 'distance.unit');
}

function checkDistancePolicy({ included, per, overage }: DistancePolicy, tally: Tally): void {
  checkDistance(included, tally);
  tally.text(per, CODE, 'distancePolicy.per');
  tally.money(overage, 'distancePolicy.overage');
}

function checkPriceItem(item: PriceItem, tally: Tally): void {
  tally.add(MEMBER_BYTES);
  tally.text(item.kind, CODE, 'price.items.kind');
  tally.text(item.code, CODE, 'price.items.code');
  tally.text(item.description, LINE, 'price.items.description');
  tally.money(item.amount, 'price.items.amount');
  tally.text(item.unit, CODE, 'price.items.unit');
  tally.number(item.quantity, 0, 1_000_000, 'price.items.quantity');
  tally.text(item.payable, CODE, 'price.items.payable');
}

function checkCoverage(coverage: Coverage, tally: Tally): void {
  tally.add(MEMBER_BYTES);
  tally.text(coverage.code, CODE, 'coverages.code');
  tally.text(coverage.type, CODE, 'coverages.type');
  tally.text(coverage.name, NAME, 'coverages.name');
  tally.money(coverage.pricePerDay, 'coverages.pricePerDay');
  tally.money(coverage.priceTotal, 'coverages.priceTotal');
  tally.money(coverage.excess, 'coverages.excess');
}

function checkExtra(extra: Extra, tally: Tally): void {
  tally.add(MEMBER_BYTES);
  tally.text(extra.code, CODE, 'extras.code');
  tally.text(extra.type, CODE, 'extras.type');
  tally.text(extra.name, NAME, 'extras.name');
  tally.money(extra.pricePerDay, 'extras.pricePerDay');
  tally.money(extra.priceTotal, 'extras.priceTotal');
  tally.count(extra.maxQuantity, 'extras.maxQuantity');
}

function checkCancellation({ freeUntil, rules, noShowFee, noShow, source }: Cancellation, tally: Tally): void {
  tally.text(source, CODE, 'cancellation.source');
  tally.localTime(freeUntil, 'cancellation.freeUntil');
  tally.money(noShowFee, 'cancellation.noShowFee');
  tally.localTime(noShow?.cancelBy, 'cancellation.noShow.cancelBy');
  tally.localTime(noShow?.graceUntil, 'cancellation.noShow.graceUntil');
  tally.text(noShow?.text, PROSE, 'cancellation.noShow.text');
  tally.list(rules, MOST_TERMS, 'cancellation.rules', ({ from, until, fee, percent, text }, own) => {
    own.localTime(from, 'cancellation.rules.from');
    own.localTime(until, 'cancellation.rules.until');
    own.money(fee, 'cancellation.rules.fee');
    own.text(percent, CODE, 'cancellation.rules.percent');
    own.text(text, PROSE, 'cancellation.rules.text');
  });
}

function checkTerms(terms: readonly Term[], tally: Tally): void {
  tally.list(terms, MOST_TERMS, 'terms', checkTerm);
}

function checkTerm({ kind, url, text }: Term, tally: Tally): void {
  tally.text(kind, NAME, 'terms.kind');
  tally.text(url, ADDRESS, 'terms.url');
  tally.text(text, PROSE, 'terms.text');
}
