import type { ChosenExtra, RentalRequest } from '../../model/bookings.js';
import type { LocalDateTime, PlaceRef } from '../../model/locations.js';
import type { SupplierOffer } from '../../model/offers.js';
import { SupplierError } from '../../model/supplier.js';
import { type LocationAttributes, placeAttributes } from './location-codes.js';
import type { RequestSetting } from './message.js';
import { element, wrap } from './wire-writer.js';

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
    element('PickUpLocation', counterAttributes(request.pickup, request.ref.pickupCode, options.locationCode)) +
      element('ReturnLocation', counterAttributes(request.dropoff, request.ref.dropoffCode, options.locationCode)),
  );
}

/** A wall clock in the format that this supplier requires in requests. */
export function requestTime(local: LocalDateTime, { options }: RequestSetting): string {
  return (options.dateSeconds ? local : local.slice(0, 16)) + options.dateSuffix;
}

/**
 * The location of an offer: by the code in the offer, otherwise as the place is known. Throws SupplierError `rejected`,
 * unsent, for a place without a known code of this supplier.
 */
export function counterAttributes(
  place: PlaceRef,
  offerCode: OfferRef[string] | undefined,
  codes: RequestSetting['options']['locationCode'],
): LocationAttributes {
  const attributes = placeAttributes(withOfferCode(place, offerCode), codes);
  if (!attributes)
    throw new SupplierError('rejected', 'the supplier has no known code for the place', false, {
      refusal: 'invalid_location',
    });
  return attributes;
}

/** A place with the location code from the offer. */
export function withOfferCode(place: PlaceRef, offerCode: OfferRef[string] | undefined): PlaceRef {
  return typeof offerCode === 'string' ? { ...place, supplierCode: offerCode } : place;
}

/** The vendor of an offer as `Code`, with its context if the dialect has one, or by name if the brand has no code. */
export function vendorAttributes(
  { brand, ref }: Pick<RentalRequest, 'brand' | 'ref'>,
  { vendors, options }: RequestSetting,
): { readonly Code?: string; readonly CodeContext?: string | undefined; readonly CompanyShortName?: string } {
  const code = text(ref.vendor) ?? vendors.codeOf(brand);
  return code === undefined ? { CompanyShortName: brand } : { Code: code, CodeContext: options.vendorCodeContext };
}

/** VehPref or VehicleInfo: the car by its SIPP code and the supplier's own class. */
export function vehiclePref(name: 'VehPref' | 'VehicleInfo', { vehicleCode, classCode }: OfferRef): string {
  const code = text(vehicleCode);
  const context = code !== undefined && /^[A-Z]{4}$/.test(code) ? 'SIPP' : undefined;
  return element(name, { Code: code, CodeContext: context, VendorCarType: text(classCode) });
}

/** RateQualifier of the offer's rate, with the discount it was quoted for. */
export function rateQualifier(ref: OfferRef): string {
  return element('RateQualifier', {
    RateCategory: text(ref.rateCategory),
    RateQualifier: text(ref.rateQualifier),
    CorpDiscountNmbr: text(ref.corporateDiscount),
    PromotionCode: text(ref.promotionCode),
    VendorRateID: text(ref.vendorRateId),
    QuoteID: text(ref.quoteId),
  });
}

/** The supplier's own quote, which identifies the offer; '' if the offer had none. */
export function quoteReference(ref: OfferRef): string {
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
