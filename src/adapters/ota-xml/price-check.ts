import type { RentalRequest } from '../../model/bookings.js';
import type { SupplierOffer } from '../../model/offers.js';
import { type SupplierContext, SupplierError } from '../../model/supplier.js';
import type { Warnings } from '../../model/warnings.js';
import { element, wrap } from '../xml/write-xml.js';
import { message, pointOfSale, type RequestSetting } from './message.js';
import { mapOffer, statusOf, vendorAnswer } from './offer-mapping.js';
import {
  coveragePrefs,
  equipmentPrefs,
  linkedRatesOfRef,
  loyaltyPrograms,
  quoteReference,
  rateQualifier,
  rentalCore,
  tourInfo,
  vehiclePref,
  vendorAttributes,
  withOfferCode,
} from './rental.js';
import { withOneRate } from './several-rates.js';
import { attribute, child, type XmlNode } from './wire.js';

/**
 * OTA_VehRateRuleRQ for one offer with the chosen options, including the envelope. OTA has no driver's age here
 * although prices depend on it: DriverType is sent where the other messages have it.
 */
export function rateRuleRequest(request: RentalRequest, context: SupplierContext, setting: RequestSetting): string {
  const rental =
    rentalCore(request, setting) +
    vehiclePref('VehicleInfo', request.ref) +
    element('DriverType', { Age: request.age }) +
    equipmentPrefs(request.extras) +
    // The membership numbers follow with the booking.
    loyaltyPrograms(request.ref)
      .map((program) => element('CustLoyalty', { ProgramID: program }))
      .join('') +
    rateQualifier(request.ref) +
    tourInfo(request.ref) +
    coveragePrefs(request.coverages);
  const content =
    pointOfSale({ countryCode: request.countryCode }, setting) +
    quoteReference(request.ref) +
    wrap('RentalInfo', rental);
  return message('OTA_VehRateRuleRQ', content, context, setting, vendorAttributes(request, setting));
}

/** Whether an OTA_VehRateRuleRS prices a car. */
export function hasPrice(root: XmlNode): boolean {
  return child(root, 'TotalCharge') !== undefined || child(root, 'RentalRate') !== undefined;
}

/**
 * What VehAvail has in VehAvailInfo and Info; everything else of an OTA_VehRateRuleRS is the content of VehAvailCore.
 */
const INFO_ELEMENTS = new Set(['PricedCoverages', 'PaymentRules', 'RateRules', 'VendorMessages']);

/**
 * OTA_VehRateRuleRS → the current offer, with the chosen options in its total. Undefined if the car is no longer
 * available. Its ref is the requested one, updated from the answer; its tour and programs stay. Throws SupplierError
 * `bad_payload` without a usable price.
 */
export function mapRateRule(
  root: XmlNode,
  request: RentalRequest,
  setting: RequestSetting,
  warnings: Warnings,
): SupplierOffer | undefined {
  const rate = child(withOneRate(root, setting.options), 'RentalRate');
  const word = attribute(rate, 'Status') ?? attribute(root, 'Status');
  const status = statusOf(word, request.status);
  if (!status) return undefined;
  const core = part(root, (name) => !INFO_ELEMENTS.has(name));
  const info = part(root, (name) => INFO_ELEMENTS.has(name));
  const places = part(root, (name) => name === 'LocationDetails');
  const vendorCode = vendorAttributes(request, setting).Code;
  const { ref, pickup, dropoff } = request;
  const requested = {
    ...request,
    pickup: withOfferCode(pickup, ref.pickupCode),
    dropoff: withOfferCode(dropoff, ref.dropoffCode),
  };
  const shared = vendorAnswer(
    places,
    child(root, 'VehRentalCore'),
    request.brand,
    vendorCode,
    requested,
    setting.options,
    warnings,
  );
  const chosen = { extras: request.extras, coverages: request.coverages };
  const offer = mapOffer(core, info, status, { ...shared, chosen, linkedOf: () => linkedRatesOfRef(ref) }, warnings);
  if (!offer) throw new SupplierError('bad_payload', 'OTA_VehRateRuleRS without a usable total');
  return { ...offer, supplierRef: { ...request.ref, ...offer.supplierRef } };
}

function part(root: XmlNode, belongs: (name: string) => boolean): XmlNode {
  return { ...root, children: root.children.filter((node) => belongs(node.name)) };
}
