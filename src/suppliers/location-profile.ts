import type { LocationDetailsRequest, LocationProfile } from '../model/location-details.js';
import type { SupplierAdapter, SupplierAnswer, SupplierContext } from '../model/supplier.js';

/**
 * One location of a supplier: its details, or without that operation the result with its code of a search for its airport or code. No items if
 * the supplier has no such location. Throws SupplierError like the operations.
 */
export async function readProfile(
  adapter: SupplierAdapter,
  request: LocationDetailsRequest,
  context: SupplierContext,
): Promise<SupplierAnswer<LocationProfile>> {
  const { brand, location } = request;
  if (adapter.locationDetails) {
    const { items, warnings } = await adapter.locationDetails(request, context);
    return { items: items.map(({ location: own, minAge, maxAge }) => ({ ...own, ...ages(minAge, maxAge) })), warnings };
  }
  const { supplierCode, iataCode, countryCode } = location;
  const keyword = iataCode ?? supplierCode;
  if (keyword === undefined) return { items: [], warnings: [] };
  const found = await adapter.searchLocations?.({ keyword, countryCode, brands: [brand] }, context);
  const items = (found?.items ?? []).filter((own) => own.brand === brand && own.code === supplierCode);
  return { items, warnings: found?.warnings ?? [] };
}

function ages(minAge: number | undefined, maxAge: number | undefined): Pick<LocationProfile, 'minAge' | 'maxAge'> {
  return { ...(minAge === undefined ? {} : { minAge }), ...(maxAge === undefined ? {} : { maxAge }) };
}
