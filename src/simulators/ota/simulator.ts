import { toLocal } from '../../places/zone-clock.js';
import type { BookingLedger } from '../bookings.js';
import type {
  DialectSimulator,
  Inventory,
  SimulatedAnswer,
  SimulatedCarOffer,
  SimulatedLocation,
  SimulatedRequest,
} from '../world.js';
import { createAccessCheck } from './access.js';
import {
  accessRefused,
  errorContent,
  httpAnswer,
  messageAnswer,
  OTA_ERRORS,
  type OtaError,
  type OtaSimulatorDialect,
  successContent,
} from './answers.js';
import { createBookingHandlers } from './booking-handlers.js';
import { rentalCoreElement } from './booking-writer.js';
import { locationDetailsContent } from './location-details-writer.js';
import { codeOfElement, locationBySpelling, locationElement } from './location-writer.js';
import { askedTerms, type RateTerms, termsSuffix } from './rate-terms.js';
import { type AskedRental, readRental } from './rental-reader.js';
import { isMisspelt } from './spelling.js';
import { availSetting, vehAvailElements } from './vehicle-writer.js';
import { attribute, child, items, readXml, textOf, type XmlNode } from './wire.js';
import { element, wrap } from './wire-writer.js';

export type { OtaSimulatorDialect } from './answers.js';

export interface OtaSimulatorOptions {
  /** The inventory of each brand by its vendor code. */
  readonly inventories: Readonly<Record<string, Inventory>>;
  readonly dialect: OtaSimulatorDialect;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly ledger: BookingLedger;
}

/** The parameters of an OTA_VehAvailRateRQ. */
interface Question extends AskedRental {
  readonly age: number;
  readonly vendors: readonly string[];
  readonly limit: number;
  readonly terms: RateTerms;
}

/** The cars of one vendor for a request. */
interface Found {
  readonly vendor: string;
  readonly inventory: Inventory;
  readonly pickup: SimulatedLocation;
  readonly dropoff: SimulatedLocation;
}

const LOCATION_LIMIT = 20;

/**
 * Simulates an OTA supplier over the inventories of its brands: OTA_VehLocSearchRQ, OTA_VehLocDetailRQ, OTA_VehAvailRateRQ and everything
 * from the price check to the cancellation (booking-handlers.ts) by POST on the dialect's paths. It refuses like OTA
 * suppliers do (Errors in HTTP 200) and implements the verbs empty, auth, throttled, sold_out, on_request and price.
 */
export function createOtaSimulator(options: OtaSimulatorOptions): DialectSimulator {
  const { dialect, inventories, now } = options;
  const handlers = createBookingHandlers(options);
  const refusalOf = createAccessCheck(dialect.access ?? {}, now);
  /**
   * Caches written cars by the list of cars, which a caching inventory returns again for the same request (load runs).
   */
  const written = new WeakMap<readonly SimulatedCarOffer[], readonly string[]>();

  function answer(request: SimulatedRequest): SimulatedAnswer {
    if (!Object.values(dialect.paths).includes(request.path)) return httpAnswer(404, 'no such path');
    if (request.method !== 'POST') return httpAnswer(405, 'POST only', { allow: 'POST' });
    if (request.directive.verb === 'throttled') return httpAnswer(429, 'too many requests', { 'retry-after': '1' });
    const refused = refusalOf(request);
    if (refused) return accessRefused(refused, dialect);
    const root = readRequest(request.body);
    if (!root || request.path !== pathOf(root) || isMisspelt(request, dialect))
      return messageAnswer('OTA_ErrorRS', errorContent(OTA_ERRORS.badMessage, dialect), {}, now(), dialect);
    const echo = { token: attribute(root, 'EchoToken'), target: attribute(root, 'Target') };
    const content = !isAuthentic(root, request) ? OTA_ERRORS.authentication : contentFor(root, request);
    const name = /^OTA_\w+RQ$/.test(root.name) ? root.name.replace(/RQ$/, 'RS') : 'OTA_ErrorRS';
    return messageAnswer(
      name,
      typeof content === 'string' ? content : errorContent(content, dialect),
      echo,
      now(),
      dialect,
    );
  }

  function pathOf({ name }: XmlNode): string {
    const { locations, vehicles, bookings } = dialect.paths;
    return name === 'OTA_VehLocSearchRQ' || name === 'OTA_VehLocDetailRQ'
      ? locations
      : name === 'OTA_VehAvailRateRQ'
        ? vehicles
        : bookings;
  }

  function contentFor(root: XmlNode, request: SimulatedRequest): string | OtaError {
    if (root.name === 'OTA_VehLocSearchRQ') return locationsContent(root, request);
    if (root.name === 'OTA_VehLocDetailRQ') return detailsContent(root, request);
    if (root.name === 'OTA_VehAvailRateRQ') return vehiclesContent(root, request);
    if (!isTaken(root, dialect)) return OTA_ERRORS.notTaken;
    return handlers.contentFor(root, request.directive) ?? OTA_ERRORS.noImplementation;
  }

  function isAuthentic(root: XmlNode, request: SimulatedRequest): boolean {
    if (request.directive.verb === 'auth') return false;
    const requestor = child(child(child(root, 'POS'), 'Source'), 'RequestorID');
    const rightId = dialect.requestorId === undefined || attribute(requestor, 'ID') === dialect.requestorId;
    return rightId && (dialect.password === undefined || attribute(requestor, 'MessagePassword') === dialect.password);
  }

  function locationsContent(root: XmlNode, request: SimulatedRequest): string | OtaError {
    const criterion = child(root, 'VehLocSearchCriterion');
    if (!criterion) return OTA_ERRORS.missingField;
    const vendorNode = child(root, 'Vendor');
    const vendor = attribute(vendorNode, 'Code') ?? textOf(vendorNode) ?? Object.keys(inventories)[0] ?? '';
    const inventory = inventories[vendor];
    const locations = !inventory || request.directive.verb === 'empty' ? [] : findLocations(criterion, inventory);
    const matched = locations.map((location) =>
      wrap('VehMatchedLoc', locationElement('LocationDetail', location, dialect.locationTemplate)),
    );
    return successContent(wrap('VehMatchedLocs', matched.join('')) + element('Vendor', { Code: vendor }));
  }

  function detailsContent(root: XmlNode, request: SimulatedRequest): string | OtaError {
    const code = codeOfElement(child(root, 'Location'));
    const vendorNode = child(root, 'Vendor');
    const vendor = attribute(vendorNode, 'Code') ?? textOf(vendorNode);
    if (code === undefined || vendor === undefined) return OTA_ERRORS.missingField;
    const inventory = inventories[vendor];
    if (!inventory) return OTA_ERRORS.unknownVendor;
    if (request.directive.verb === 'empty') return successContent('');
    const location = locationBySpelling(code, inventory, dialect.locationTemplate);
    if (!location) return OTA_ERRORS.unknownPickup;
    return successContent(
      locationDetailsContent(location, vendor, inventory.extras(location), dialect.locationTemplate),
    );
  }

  function findLocations(criterion: XmlNode, inventory: Inventory): readonly SimulatedLocation[] {
    const code = codeOfElement(child(criterion, 'CodeRef')) ?? textOf(child(criterion, 'RefPoint'));
    if (code !== undefined) {
      const location = locationBySpelling(code.toUpperCase(), inventory, dialect.locationTemplate);
      return location ? [location] : [];
    }
    const address = child(criterion, 'Address');
    const keyword = textOf(child(address, 'CityName'));
    const country = attribute(child(address, 'CountryName'), 'Code');
    return keyword === undefined ? [] : inventory.findLocations(keyword, country, LOCATION_LIMIT);
  }

  function vehiclesContent(root: XmlNode, request: SimulatedRequest): string | OtaError {
    const question = readQuestion(root, Object.keys(inventories));
    if ('code' in question) return question;
    const { verb } = request.directive;
    if (verb === 'empty') return nothing();
    if (verb === 'sold_out') return OTA_ERRORS.soldOut;
    const found = locate(question);
    if ('code' in found) return found;
    const pickup = found[0]?.pickup;
    if (pickup && question.pickupDate < toLocal(now(), pickup.timeZone)) return OTA_ERRORS.pickupPassed;
    const vendorAvails = found.map((vendor) => vendorAvail(vendor, question, request)).join('');
    if (vendorAvails === '') return nothing();
    return successContent(wrap('VehAvailRSCore', rentalCoreElement(question) + wrap('VehVendorAvails', vendorAvails)));
  }

  /** The requested vendors that have both locations; an error if none has one of them. */
  function locate(question: Question): Found[] | OtaError {
    const places = question.vendors.flatMap((vendor) => {
      const inventory = inventories[vendor];
      if (!inventory) return [];
      const pickup = locationBySpelling(question.pickupCode, inventory, dialect.locationTemplate);
      const dropoff = locationBySpelling(question.dropoffCode, inventory, dialect.locationTemplate);
      return [{ vendor, inventory, pickup, dropoff }];
    });
    if (!places.some((place) => place.pickup)) return OTA_ERRORS.unknownPickup;
    if (!places.some((place) => place.dropoff)) return OTA_ERRORS.unknownReturn;
    return places.flatMap(({ vendor, inventory, pickup, dropoff }) =>
      pickup && dropoff ? [{ vendor, inventory, pickup, dropoff }] : [],
    );
  }

  function vendorAvail(found: Found, question: Question, request: SimulatedRequest): string {
    const { vendor, inventory, pickup, dropoff } = found;
    const { pickupDate, dropoffDate, age, terms } = question;
    const { directive } = request;
    const pricePercent = directive.verb === 'price' ? directive.percent : undefined;
    const cars = inventory.carsFor({ pickup, dropoff, pickupDate, dropoffDate, age, pricePercent, ...terms });
    const rental = { ...found, pickupDate, dropoffDate, terms };
    const setting = availSetting(rental, dialect, directive.verb === 'on_request');
    // Codes are part of what is written, but not of the cars.
    const isCached = !setting.allOnRequest && termsSuffix(terms) === '';
    const known = isCached ? written.get(cars) : undefined;
    const elements = known ?? cars.flatMap((offer) => vehAvailElements(offer, setting));
    if (!known && isCached) written.set(cars, elements);
    const avails = elements.slice(0, question.limit);
    if (avails.length === 0) return '';
    const details = [pickup, dropoff].map((location) =>
      locationElement('LocationDetails', location, dialect.locationTemplate),
    );
    return wrap(
      'VehVendorAvail',
      element('Vendor', { Code: vendor }) + wrap('VehAvails', avails.join('')) + wrap('Info', details.join('')),
    );
  }

  function nothing(): string | OtaError {
    return dialect.emptyAs === 'error' ? OTA_ERRORS.noCars : successContent('');
  }

  return {
    answer,
    changesBookings: ({ body }) => handlers.changesBookings(readRequest(body)?.name),
    ledger: options.ledger,
  };
}

/** Elements of a booking, and what a supplier must take to accept them. */
const TAKEN: readonly (readonly [name: string, what: string])[] = [
  ['PaymentCard', 'cards'],
  ['Voucher', 'vouchers'],
  ['SpecialEquipPref', 'extras'],
  ['CoveragePref', 'coverages'],
];

/** Whether the supplier has the message and takes everything in it. */
function isTaken(root: XmlNode, { takes, changes }: OtaSimulatorDialect): boolean {
  if (root.name === 'OTA_VehModifyRQ' && changes?.length === 0) return false;
  const isRefused = (node: XmlNode): boolean =>
    TAKEN.some(([name, what]) => node.name === name && takes?.includes(what) === false) ||
    node.children.some(isRefused);
  return !isRefused(root);
}

/** The OTA message of a request, without its SOAP envelope; undefined if it is invalid. */
function readRequest(body: string): XmlNode | undefined {
  const root = readXml(body);
  return root?.name === 'Envelope' ? child(root, 'Body')?.children[0] : root;
}

function readQuestion(root: XmlNode, allVendors: readonly string[]): Question | OtaError {
  const core = child(root, 'VehAvailRQCore');
  const rental = readRental(child(core, 'VehRentalCore'));
  if ('code' in rental) return rental;
  const asked = items(core, 'VendorPrefs', 'VendorPref').flatMap(
    (pref) => attribute(pref, 'Code') ?? attribute(pref, 'CompanyShortName') ?? [],
  );
  return {
    ...rental,
    age: Number(attribute(child(core, 'DriverType'), 'Age') ?? 35),
    vendors: asked.length > 0 ? asked : allVendors,
    limit: Number(attribute(root, 'MaxResponses') ?? 99),
    terms: askedTerms(core, child(root, 'VehAvailRQInfo')),
  };
}
