import type { ChosenExtra, RentalRequest } from '../../model/bookings.js';
import type { LocalDateTime, PlaceRef } from '../../model/locations.js';
import type { SupplierOffer } from '../../model/offers.js';
import { SupplierError } from '../../model/supplier.js';
import { element, wrap } from '../xml/write-xml.js';
import type { LinkedRates } from './linked-rates.js';
import { type LocationAttributes, type PlaceRole, placeAttributes } from './location-codes.js';
import type { RequestSetting } from './message.js';

type OfferRef = SupplierOffer['supplierRef'];

/** VehRentalCore of one offer: time and place, in the supplier's own codes. */
export function rentalCore(request: RentalRequest, setting: RequestSetting): string {
  const { options } = setting;
  return element(
    'VehRentalCore',
    {
      PickUpDateTime: requestTime(request.pickupDate, setting),
      ReturnDateTime: requestTime(request.dropoffDate, setting),
    },
    element('PickUpLocation', counterAttributes(request.pickup, request.ref, 'pickup', options.locationCode)) +
      element('ReturnLocation', counterAttributes(request.dropoff, request.ref, 'dropoff', options.locationCode)),
  );
}

/** A wall clock in the format that this supplier requires in requests. */
export function requestTime(local: LocalDateTime, { options }: RequestSetting): string {
  return (options.dateSeconds ? local : local.slice(0, 16)) + options.dateSuffix;
}

/**
 * The location of an offer: as the supplier wrote it in the offer, otherwise as the place is known. Throws SupplierError
 * `rejected`, unsent, for a place without a known code of this supplier.
 */
export function counterAttributes(
  place: PlaceRef,
  ref: OfferRef,
  role: PlaceRole,
  codes: RequestSetting['options']['locationCode'],
): LocationAttributes {
  const attributes = placeAttributes(withOfferCode(place, ref[`${role}Code`]), codes);
  if (!attributes)
    throw new SupplierError('rejected', 'the supplier has no known code for the place', false, {
      refusal: 'invalid_location',
    });
  const plain = text(ref[`${role}Plain`]);
  const context = text(ref[`${role}Context`]) ?? attributes.CodeContext;
  return plain === undefined
    ? { ...attributes, CodeContext: context }
    : { LocationCode: plain, CodeContext: context, ExtendedLocationCode: text(ref[`${role}Code`]) };
}

/** A place with the location code from the offer. */
export function withOfferCode(place: PlaceRef, offerCode: OfferRef[string] | undefined): PlaceRef {
  return typeof offerCode === 'string' ? { ...place, supplierCode: offerCode } : place;
}

/** The vendor of an offer as `Code`, with the configured context or that of the offer, or by name if the brand has no code. */
export function vendorAttributes(
  { brand, ref }: Pick<RentalRequest, 'brand' | 'ref'>,
  { vendors, options }: RequestSetting,
): { readonly Code?: string; readonly CodeContext?: string | undefined; readonly CompanyShortName?: string } {
  const code = text(ref.vendor) ?? vendors.codeOf(brand);
  return code === undefined
    ? { CompanyShortName: brand }
    : { Code: code, CodeContext: options.vendorCodeContext ?? text(ref.vendorContext) };
}

/** VehPref or VehicleInfo: the car by its code, in the context of the offer, and the supplier's own class. */
export function vehiclePref(
  name: 'VehPref' | 'VehicleInfo',
  { vehicleCode, vehicleContext, classCode }: OfferRef,
): string {
  const code = text(vehicleCode);
  const context = text(vehicleContext) ?? (code !== undefined && /^[A-Z]{4}$/.test(code) ? 'SIPP' : undefined);
  return element(name, { Code: code, CodeContext: context, VendorCarType: text(classCode) });
}

/** RateQualifier of the offer's rate, with the discount it was quoted for. */
export function rateQualifier(ref: OfferRef): string {
  return element('RateQualifier', {
    RateCategory: text(ref.rateCategory),
    RateQualifier: text(ref.rateQualifier),
    RatePeriod: text(ref.ratePeriod),
    CorpDiscountNmbr: text(ref.corporateDiscount),
    PromotionCode: text(ref.promotionCode),
    VendorRateID: text(ref.vendorRateId),
    QuoteID: text(ref.quoteId),
  });
}

/** The tour whose rate was offered; '' for any other rate. */
export function tourInfo(ref: OfferRef): string {
  return ref.tourNumber === undefined ? '' : element('TourInfo', { TourNumber: text(ref.tourNumber) });
}

/** The loyalty programs whose rate was offered; empty for any other rate. */
export function loyaltyPrograms(ref: OfferRef): readonly string[] {
  return text(ref.loyaltyPrograms)?.split('|') ?? [];
}

/** What the rate of the offer is linked to. */
export function linkedRatesOfRef(ref: OfferRef): LinkedRates {
  const programs = loyaltyPrograms(ref);
  return { tourNumber: text(ref.tourNumber), loyaltyPrograms: programs.length === 0 ? undefined : programs };
}

/**
 * The supplier's own quote, which identifies the offer: the quote of the rate, otherwise the reference of the car; '' if
 * the offer had neither.
 */
export function quoteReference(ref: OfferRef): string {
  const quote = text(ref.quoteId);
  if (quote !== undefined) return element('Reference', { Type: '16', ID: quote });
  const id = text(ref.referenceId);
  return id === undefined
    ? ''
    : element('Reference', { Type: text(ref.referenceType) ?? '16', ID: id, ID_Context: text(ref.referenceContext) });
}

/**
 * SpecialEquipPrefs; '' for none. Throws SupplierError `rejected`, unsent, for an extra that the supplier listed
 * without a code.
 */
export function equipmentPrefs(extras: readonly ChosenExtra[]): string {
  const prefs = extras.map(({ code, quantity }) =>
    element('SpecialEquipPref', { EquipType: knownCode(code), Quantity: quantity }),
  );
  return wrap('SpecialEquipPrefs', prefs.join(''));
}

/** CoveragePrefs; '' for none. Throws like `equipmentPrefs`. */
export function coveragePrefs(coverages: readonly string[]): string {
  return wrap(
    'CoveragePrefs',
    coverages.map((code) => element('CoveragePref', { CoverageType: knownCode(code) })).join(''),
  );
}

function knownCode(code: string): string {
  if (code !== 'other') return code;
  throw new SupplierError('rejected', 'an extra or coverage without a code cannot be requested', false, {
    refusal: 'extra_not_available',
  });
}

function text(value: OfferRef[string] | undefined): string | undefined {
  return value === undefined ? undefined : String(value);
}
