import { toLocal } from '../../places/zone-clock.js';
import type { Inventory, SimulatedCounter } from '../world.js';
import { OTA_ERRORS, type OtaError } from './answers.js';
import { codeOfElement, counterBySpelling } from './location-writer.js';
import type { ChosenOptions } from './option-prices.js';
import { wallClock } from './wall-clock.js';
import { attribute, child, childrenNamed, items, type XmlNode } from './wire.js';

/** A VehRentalCore as asked: codes in the supplier's spelling. */
export interface AskedRental {
  readonly pickupCode: string;
  readonly dropoffCode: string;
  readonly pickupDate: string;
  readonly dropoffDate: string;
}

/** One car at one rate with all that was chosen, as a price check, a booking or a change asks for it. */
export interface RentalQuestion extends ChosenOptions {
  readonly asked: AskedRental;
  readonly vendor: string;
  readonly inventory: Inventory;
  readonly pickup: SimulatedCounter;
  readonly dropoff: SimulatedCounter;
  readonly age: number;
  /** Residence; '' when not told. */
  readonly countryCode: string;
  readonly sippCode: string;
  readonly rateCode: string;
}

/** Where a message holds the parts of a wish: OTA gives them other names in a rate rule than in a reservation. */
export interface WishParts {
  /** Holds VehRentalCore, DriverType, RateQualifier, SpecialEquipPrefs. */
  readonly core: XmlNode | undefined;
  readonly vehicle: XmlNode | undefined;
  /** Holds CoveragePrefs. */
  readonly info: XmlNode | undefined;
  /** Names the vendor by Code or CompanyShortName. */
  readonly vendor: XmlNode | undefined;
  readonly pointOfSale: XmlNode | undefined;
}

/** The supplier that is asked. */
export interface Asked {
  readonly inventories: Readonly<Record<string, Inventory>>;
  readonly locationTemplate: string;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** Reads VehRentalCore; an error for what is missing, no date, or the wrong way round. */
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

/** Reads a whole wish; an error for what is missing, unknown or past. */
export function readWish(parts: WishParts, { inventories, locationTemplate, now }: Asked): RentalQuestion | OtaError {
  const { core } = parts;
  const asked = readRental(child(core, 'VehRentalCore'));
  if ('code' in asked) return asked;
  const vendor = attribute(parts.vendor, 'Code') ?? attribute(parts.vendor, 'CompanyShortName');
  const sippCode = attribute(parts.vehicle, 'Code');
  const rateCode = attribute(child(core, 'RateQualifier'), 'RateQualifier');
  if (vendor === undefined || sippCode === undefined || rateCode === undefined) return OTA_ERRORS.missingField;
  const inventory = inventories[vendor];
  if (!inventory) return OTA_ERRORS.unknownVendor;
  const pickup = counterBySpelling(asked.pickupCode, inventory, locationTemplate);
  const dropoff = counterBySpelling(asked.dropoffCode, inventory, locationTemplate);
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
    extras: items(core, 'SpecialEquipPrefs', 'SpecialEquipPref').flatMap((pref) => {
      const code = attribute(pref, 'EquipType');
      return code === undefined ? [] : [{ code, quantity: Number(attribute(pref, 'Quantity') ?? 1) }];
    }),
    coverages: items(parts.info, 'CoveragePrefs', 'CoveragePref').flatMap(
      (pref) => attribute(pref, 'CoverageType') ?? [],
    ),
  };
}
