import type { SupplierConfig } from '../config/supplier-config.schema.js';

/** Whether a supplier has one of the brands and serves the country. Undefined means any brand or any country. */
export function serves(
  { brands: own, countries }: Pick<SupplierConfig, 'brands' | 'countries'>,
  brands: readonly string[] | undefined,
  countryCode: string | undefined,
): boolean {
  if (brands !== undefined && !own.some((brand) => brands.includes(brand))) return false;
  return countryCode === undefined || countryCode === 'ZZ' || countries.length === 0 || countries.includes(countryCode);
}
