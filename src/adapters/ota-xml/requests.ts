import type { LocationSearch } from '../../model/locations.js';
import type { DiscountCode, Loyalty, VehicleSearch } from '../../model/offers.js';
import type { SupplierContext } from '../../model/supplier.js';
import { element, escapeXml, wrap } from '../xml/write-xml.js';
import { airportAttributes, type LocationAttributes } from './location-codes.js';
import { message, pointOfSale, type RequestSetting, vendorElement } from './message.js';
import type { OtaOptions } from './options.js';
import { requestTime } from './rental.js';

/** The search criterion of OTA_VehLocSearchRQ: a code, a city's name, or a circle. */
export type Criterion =
  | { readonly by: 'code'; readonly code: string }
  | { readonly by: 'city'; readonly name: string; readonly countryCode?: string }
  | { readonly by: 'position'; readonly latitude: number; readonly longitude: number; readonly radiusKm: number };

/** OTA_VehLocSearchRQ for one brand, including the envelope. */
export function locationRequest(
  brand: string,
  criterion: Criterion,
  request: LocationSearch,
  context: SupplierContext,
  setting: RequestSetting,
): string {
  const { options } = setting;
  const content =
    pointOfSale({ countryCode: request.countryCode }, setting) +
    wrap('VehLocSearchCriterion', criterionContent(criterion, options)) +
    vendorElement(brand, setting);
  return message('OTA_VehLocSearchRQ', content, context, setting, { MaxResponses: options.pageSize });
}

/**
 * OTA_VehAvailRateRQ for all brands of the request, including the envelope. The two places are in the supplier's own
 * codes.
 */
export function vehiclesRequest(
  request: VehicleSearch,
  pickup: LocationAttributes,
  dropoff: LocationAttributes,
  context: SupplierContext,
  setting: RequestSetting,
): string {
  const { options } = setting;
  const pos = pointOfSale(
    { countryCode: request.countryCode, currency: request.currency, iata: codeOf(request.discountCodes, 'iata') },
    setting,
  );
  const rental = element(
    'VehRentalCore',
    {
      PickUpDateTime: requestTime(request.pickupDate, setting),
      ReturnDateTime: requestTime(request.dropoffDate, setting),
    },
    element('PickUpLocation', pickup) + element('ReturnLocation', dropoff),
  );
  const core =
    rental +
    wrap('VendorPrefs', request.brands.map((brand) => vendorPref(brand, request, setting)).join('')) +
    wrap(
      'VehPrefs',
      request.sippCodes
        .filter(isWholeCode)
        .map((code) => element('VehPref', { Code: code, CodeContext: 'SIPP' }))
        .join(''),
    ) +
    element('DriverType', { Age: request.age }) +
    rateQualifiers(request.discountCodes) +
    wrap(
      'SpecialEquipPrefs',
      request.additionalDrivers > 0
        ? element('SpecialEquipPref', { EquipType: 67, Quantity: request.additionalDrivers })
        : '',
    );
  const info =
    wrap('Customer', element('Primary', { BirthDate: request.dateOfBirth }, customerContent(request))) +
    tourInfo(request.discountCodes);
  const content = pos + element('VehAvailRQCore', { Status: 'All' }, core) + wrap('VehAvailRQInfo', info);
  return message('OTA_VehAvailRateRQ', content, context, setting, {
    MaxResponses: options.pageSize,
    MaxPerVendorInd: true,
  });
}

function criterionContent(criterion: Criterion, options: OtaOptions): string {
  switch (criterion.by) {
    case 'position':
      return (
        element('Position', { Latitude: criterion.latitude, Longitude: criterion.longitude }) +
        element('Radius', { Distance: criterion.radiusKm, DistanceMeasure: 'Km' })
      );
    case 'city':
      return wrap(
        'Address',
        wrap('CityName', escapeXml(criterion.name)) +
          (criterion.countryCode ? element('CountryName', { Code: criterion.countryCode }) : ''),
      );
    case 'code': {
      const airport = /^[A-Z]{3}$/.test(criterion.code);
      if (options.locationCriterion === 'ref_point') return wrap('RefPoint', escapeXml(criterion.code));
      return element(
        'CodeRef',
        airport
          ? airportAttributes(criterion.code, options.locationCode)
          : { LocationCode: criterion.code, CodeContext: options.locationCode.supplierContext },
      );
    }
  }
}

function vendorPref(brand: string, request: VehicleSearch, setting: RequestSetting): string {
  const code = setting.vendors.codeOf(brand);
  return element('VendorPref', {
    Code: code,
    CodeContext: code === undefined ? undefined : setting.options.vendorCodeContext,
    CompanyShortName: code === undefined ? brand : undefined,
    CorpDiscountNmbr: codeOf(request.discountCodes, 'corporate'),
  });
}

function rateQualifiers(codes: readonly DiscountCode[]): string {
  const promotions = codes.filter((code) => code.type === 'promo' || code.type === 'coupon').map((code) => code.value);
  const corporate = codeOf(codes, 'corporate');
  const first = element('RateQualifier', { CorpDiscountNmbr: corporate, PromotionCode: promotions[0] });
  const more = promotions.slice(1).map((code) => element('RateQualifier', { PromotionCode: code }));
  return (corporate === undefined && promotions.length === 0 ? '' : first) + more.join('');
}

function customerContent(request: VehicleSearch): string {
  return element('CitizenCountryName', { Code: request.countryCode }) + request.loyalty.map(loyaltyElement).join('');
}

/** A membership of the renter. Its RPH, by which rates refer to it, counts from 1 (linked-rates.ts). */
export function loyaltyElement(loyalty: Loyalty, index: number): string {
  return element('CustLoyalty', { ProgramID: loyalty.program, MembershipID: loyalty.number, RPH: index + 1 });
}

function tourInfo(codes: readonly DiscountCode[]): string {
  const tour = codeOf(codes, 'tour');
  return tour === undefined ? '' : element('TourInfo', { TourNumber: tour });
}

function codeOf(codes: readonly DiscountCode[], type: DiscountCode['type']): string | undefined {
  return codes.find((code) => code.type === type)?.value;
}

/** OTA has no wildcards; the gateway applies such a filter. */
function isWholeCode(code: string): boolean {
  return /^[A-Z]{4}$/.test(code);
}
