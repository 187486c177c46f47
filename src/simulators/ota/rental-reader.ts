import { toLocal } from '../../places/zone-clock.js';
import type { Inventory, SimulatedLocation } from '../world.js';
import { OTA_ERRORS, type OtaError } from './answers.js';
import { wallClock } from './local-time.js';
import { codeOfElement, locationBySpelling } from './location-writer.js';
import type { ChosenOptions } from './option-prices.js';
import { quotedTerms, type RateTerms } from './rate-terms.js';
import { attribute, child, childrenNamed, items, type XmlNode } from './wire.js';

/** A VehRentalCore of a request, with codes in the supplier's spelling. */
export interface AskedRental {
  readonly pickupCode: string;
  readonly dropoffCode: string;
  readonly pickupDate: string;
  readonly dropoffDate: string;
}

/** One car at one rate with chosen options, as in a price check, a booking or a change. */
export interface RentalQuestion extends ChosenOptions {
  readonly asked: AskedRental;
  readonly vendor: string;
  readonly inventory: Inventory;
  readonly pickup: SimulatedLocation;
  readonly dropoff: SimulatedLocation;
  readonly age: number;
  /** Country of residence; '' if missing. */
  readonly countryCode: string;
  readonly sippCode: string;
  readonly rateCode: string;
  readonly terms: RateTerms;
}

/** Where a message has the parts of a rental: their names differ between a rate rule and a reservation. */
export interface QuestionParts {
  /** Contains VehRentalCore, DriverType, RateQualifier, SpecialEquipPrefs. */
  readonly core: XmlNode | undefined;
  readonly vehicle: XmlNode | undefined;
  /** Contains CoveragePrefs. */
  readonly info: XmlNode | undefined;
  /** Identifies the vendor by Code or CompanyShortName. */
  readonly vendor: XmlNode | undefined;
  readonly pointOfSale: XmlNode | undefined;
  /** Contains the Reference of the offer. */
  readonly quoted: XmlNode | undefined;
}

/** The supplier that receives the request. */
export interface Asked {
  readonly inventories: Readonly<Record<string, Inventory>>;
  readonly locationTemplate: string;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** Reads VehRentalCore; an error for a missing member, an invalid date, or a return before the pickup. */
export function readRental(rental: XmlNode | undefined): AskedRental | OtaError {
  const pickupCode = codeOfElement(child(rental, 'PickUpLocation'));
  const pickupText = attribute(rental, 'PickUpDateTime');
  const dropoffText = attribute(rental, 'ReturnDateTime');
  if (pickupCode === undefined || pickupText === undefined || dropoffText === undefined) return OTA_ERRORS.missingField;
  const pickupDate = wallClock(pickupText);
  const dropoffDate = wallClock(dropoffText);
  if (pickupDate === undefined) return OTA_ERRORS.startDate;
  if (dropoffDate === undefined) return OTA_ERRORS.endDate;
  if (dropoffDate <= pickupDate) return OTA_ERRORS.returnBeforePickup;
  const dropoffCode = codeOfElement(childrenNamed(rental, 'ReturnLocation')[0]) ?? pickupCode;
  return { pickupCode, dropoffCode, pickupDate, dropoffDate };
}

/** Reads a complete rental; an error for a missing or unknown member or a pickup in the past. */
export function readQuestion(
  parts: QuestionParts,
  { inventories, locationTemplate, now }: Asked,
): RentalQuestion | OtaError {
  const { core } = parts;
  const asked = readRental(child(core, 'VehRentalCore'));
  if ('code' in asked) return asked;
  const vendor = attribute(parts.vendor, 'Code') ?? attribute(parts.vendor, 'CompanyShortName');
  const sippCode = attribute(parts.vehicle, 'Code');
  const rateCode = attribute(child(core, 'RateQualifier'), 'RateQualifier');
  if (vendor === undefined || sippCode === undefined || rateCode === undefined) return OTA_ERRORS.missingField;
  const inventory = inventories[vendor];
  if (!inventory) return OTA_ERRORS.unknownVendor;
  const pickup = locationBySpelling(asked.pickupCode, inventory, locationTemplate);
  const dropoff = locationBySpelling(asked.dropoffCode, inventory, locationTemplate);
  if (!pickup) return OTA_ERRORS.unknownPickup;
  if (!dropoff) return OTA_ERRORS.unknownReturn;
  if (asked.pickupDate < toLocal(now, pickup.timeZone)) return OTA_ERRORS.pickupPassed;
  return {
    asked,
    vendor,
    inventory,
    pickup,
    dropoff,
    age: Number(attribute(child(core, 'DriverType'), 'Age') ?? 35),
    countryCode: attribute(child(parts.pointOfSale, 'Source'), 'ISOCountry') ?? '',
    sippCode,
    rateCode,
    terms: quotedTerms(
      core,
      childrenNamed(parts.quoted, 'Reference').find((one) => attribute(one, 'ID')?.startsWith(`${vendor}-`)),
    ),
    extras: items(core, 'SpecialEquipPrefs', 'SpecialEquipPref').flatMap((pref) => {
      const code = attribute(pref, 'EquipType');
      return code === undefined ? [] : [{ code, quantity: Number(attribute(pref, 'Quantity') ?? 1) }];
    }),
    coverages: items(parts.info, 'CoveragePrefs', 'CoveragePref').flatMap(
      (pref) => attribute(pref, 'CoverageType') ?? [],
    ),
  };
}
