import type { SupplierOffer, Vehicle } from '../../model/offers.js';
import type { LinkedRates } from './linked-rates.js';
import { attribute, child, type XmlNode } from './wire.js';

/** What the refs of all offers of one vendor share. */
interface SharedRef {
  readonly vendorCode: string | undefined;
  readonly vendorContext: string | undefined;
  readonly pickup: { readonly code: string };
  readonly dropoff: { readonly code: string };
  /** The supplier's own spelling of the two places, where it differs from how the gateway would write them. */
  readonly spelledPlaces: Readonly<Record<string, string>>;
}

/**
 * What pricing and booking this offer later needs: the supplier's codes with their contexts as it wrote them, its quote
 * and what the rate is linked to. Never a membership number, because a ref becomes part of the offer id.
 */
export function supplierRefOf(
  core: XmlNode,
  rate: XmlNode | undefined,
  vehicle: Vehicle,
  shared: SharedRef,
  linked: LinkedRates,
): SupplierOffer['supplierRef'] {
  const reference = child(core, 'Reference');
  const car = child(core, 'Vehicle');
  const qualifier = child(rate, 'RateQualifier');
  const ref: Record<string, string> = {};
  const keep = (name: string, value: string | undefined): void => {
    if (value !== undefined) ref[name] = value;
  };
  const carContext = attribute(car, 'CodeContext');
  keep('vendor', shared.vendorCode);
  keep('vendorContext', shared.vendorContext);
  keep('pickupCode', shared.pickup.code);
  keep('dropoffCode', shared.dropoff.code);
  Object.assign(ref, shared.spelledPlaces);
  keep('vehicleCode', attribute(car, 'Code'));
  if (carContext !== 'SIPP') keep('vehicleContext', carContext);
  keep('classCode', vehicle.classCode);
  keep('rateQualifier', attribute(qualifier, 'RateQualifier'));
  keep('rateCategory', attribute(qualifier, 'RateCategory'));
  keep('ratePeriod', attribute(qualifier, 'RatePeriod'));
  keep('corporateDiscount', attribute(qualifier, 'CorpDiscountNmbr'));
  keep('promotionCode', attribute(qualifier, 'PromotionCode'));
  keep('vendorRateId', attribute(qualifier, 'VendorRateID'));
  keep('quoteId', attribute(rate, 'QuoteID') ?? attribute(qualifier, 'QuoteID'));
  keep('tourNumber', linked.tourNumber);
  keep('loyaltyPrograms', linked.loyaltyPrograms?.join('|'));
  keep('referenceId', attribute(reference, 'ID'));
  keep('referenceType', attribute(reference, 'Type'));
  keep('referenceContext', attribute(reference, 'ID_Context'));
  return ref;
}
