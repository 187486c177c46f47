import type { BookingKey, BookRequest, ModifyRequest } from '../../model/bookings.js';
import { writtenAmount } from '../../model/money.js';
import type { SupplierContext } from '../../model/supplier.js';
import { element, escapeXml, wrap } from '../xml/write-xml.js';
import { REFERENCE_TYPE, typeToCall } from './booking-ids.js';
import { arrivalDetails, customer, personName, rentalPayment } from './customer.js';
import { message, pointOfSale, type RequestSetting } from './message.js';
import {
  counterAttributes,
  coveragePrefs,
  equipmentPrefs,
  quoteReference,
  rateQualifier,
  rentalCore,
  requestTime,
  tourInfo,
  vehiclePref,
  vendorAttributes,
} from './rental.js';

/** OTA_VehResRQ. Our reference is sent as TransactionIdentifier and as configured in `ownReference`. */
export function bookMessage(request: BookRequest, context: SupplierContext, setting: RequestSetting): string {
  const { options } = setting;
  const own = { Type: REFERENCE_TYPE, ID: request.reference };
  const inCore = options.ownReference === 'unique_id';
  const core = element(
    'VehResRQCore',
    { Status: request.status === 'on_request' ? 'OnRequest' : 'Available' },
    (inCore ? element('UniqueID', own) : '') + reservationCore(request, setting),
  );
  const info = wrap('VehResRQInfo', reservationInfo(request, setting, inCore ? '' : element('Reference', own)));
  return bookingMessage('OTA_VehResRQ', request.countryCode, core + info, request.reference, context, setting);
}

/** OTA_VehModifyRQ: the complete reservation after the change. */
export function modifyMessage(request: ModifyRequest, context: SupplierContext, setting: RequestSetting): string {
  const core = element(
    'VehModifyRQCore',
    { Status: request.status === 'on_request' ? 'OnRequest' : 'Available', ModifyType: 'Modify' },
    element('UniqueID', { Type: typeToCall(request.before?.ref?.numberType), ID: request.confirmationNumber }) +
      element('UniqueID', { Type: REFERENCE_TYPE, ID: request.reference }) +
      reservationCore(request, setting),
  );
  const info = wrap('VehModifyRQInfo', reservationInfo(request, setting, ''));
  return bookingMessage('OTA_VehModifyRQ', request.countryCode, core + info, request.reference, context, setting);
}

/** OTA_VehCancelRQ by the supplier's number. */
export function cancelMessage(
  key: BookingKey,
  confirmationNumber: string,
  context: SupplierContext,
  setting: RequestSetting,
): string {
  const content =
    element(
      'VehCancelRQCore',
      { CancelType: setting.options.cancelType },
      element('UniqueID', { Type: typeToCall(key.ref.numberType), ID: confirmationNumber }) + personName(key),
    ) + wrap('VehCancelRQInfo', element('Vendor', vendorAttributes(key, setting)));
  return bookingMessage('OTA_VehCancelRQ', undefined, content, key.reference, context, setting);
}

/** OTA_VehRetResRQ by the supplier's number. */
export function retrieveByNumberMessage(
  key: BookingKey,
  confirmationNumber: string,
  context: SupplierContext,
  setting: RequestSetting,
): string {
  const content =
    wrap(
      'VehRetResRQCore',
      element('UniqueID', { Type: typeToCall(key.ref.numberType), ID: confirmationNumber }) + personName(key),
    ) + wrap('VehRetResRQInfo', element('Vendor', vendorAttributes(key, setting)));
  return bookingMessage('OTA_VehRetResRQ', undefined, content, undefined, context, setting);
}

/** OTA_VehRetResRQ without a number: by the renter's name and the time and place of pickup. */
export function retrieveByRenterMessage(key: BookingKey, context: SupplierContext, setting: RequestSetting): string {
  const pickup = counterAttributes(key.pickup, key.ref, 'pickup', setting.options.locationCode);
  const content =
    wrap('VehRetResRQCore', personName(key)) +
    element(
      'VehRetResRQInfo',
      { PickUpDateTime: requestTime(key.pickupDate, setting) },
      element('PickUpLocation', pickup) + element('Vendor', vendorAttributes(key, setting)),
    );
  return bookingMessage('OTA_VehRetResRQ', undefined, content, undefined, context, setting);
}

function bookingMessage(
  name: string,
  countryCode: string | undefined,
  content: string,
  reference: string | undefined,
  context: SupplierContext,
  setting: RequestSetting,
): string {
  return message(name, pointOfSale({ countryCode }, setting) + content, context, setting, {
    TransactionIdentifier: reference,
  });
}

function reservationCore(request: BookRequest, setting: RequestSetting): string {
  return (
    rentalCore(request, setting) +
    customer(request) +
    element('VendorPref', vendorAttributes(request, setting)) +
    vehiclePref('VehPref', request.ref) +
    element('DriverType', { Age: request.age }) +
    rateQualifier(request.ref) +
    equipmentPrefs(request.extras) +
    // The price that the renter accepted: a supplier that charges more must refuse.
    element('TotalCharge', {
      EstimatedTotalAmount: writtenAmount(request.total, setting.options.money),
      CurrencyCode: request.total.currency,
    })
  );
}

function reservationInfo(request: BookRequest, setting: RequestSetting, ownReference: string): string {
  return (
    // OTA has no element for a renter who arrives later than booked.
    (request.pickupLater ? wrap('SpecialReqPref', 'The renter collects after the booked pickup time') : '') +
    coveragePrefs(request.coverages) +
    arrivalDetails(request, setting) +
    rentalPayment(request.payment) +
    ownReference +
    quoteReference(request.ref) +
    tourInfo(request.ref) +
    (request.notifyCustomer
      ? element('WrittenConfInst', { ConfirmInd: true }, wrap('Email', escapeXml(request.driver.email)))
      : '') +
    (request.remark === undefined ? '' : wrap('Remark', wrap('Text', escapeXml(request.remark))))
  );
}
