import type { Warnings } from '../../model/warnings.js';
import type { OtaOptions } from './options.js';
import { attribute, textOf, type XmlNode } from './wire.js';

/** Brands of one supplier in both directions: to vendor codes for requests, from a Vendor element in answers. */
export interface Vendors {
  /** The vendor code of a brand; undefined if the dialect has none (the brand is then sent by name). */
  codeOf(brand: string): string | undefined;
  /**
   * The brand of a Vendor element: by code, then by a name or code that is a configured brand (case-insensitive),
   * otherwise the first of `requested`, with a warning. Without an element it is the first of `requested`, with no warning: the
   * answer is for the requested brands.
   */
  brandOf(vendor: XmlNode | undefined, requested: readonly string[], warnings: Warnings): string;
}

/** Builds the two tables once per adapter. `brands` is never empty. */
export function createVendors(brands: readonly string[], options: OtaOptions): Vendors {
  const brandByCode = new Map(Object.entries(options.vendorCodes).map(([brand, code]) => [code.toLowerCase(), brand]));
  const brandByName = new Map(brands.map((brand) => [brand.toLowerCase(), brand]));
  const known = (text: string | undefined): string | undefined =>
    text === undefined ? undefined : (brandByCode.get(text.toLowerCase()) ?? brandByName.get(text.toLowerCase()));
  return {
    codeOf: (brand) => options.vendorCodes[brand],
    brandOf(vendor, requested, warnings) {
      const fallback = requested[0] ?? brands[0] ?? '';
      if (!vendor) return fallback;
      const code = attribute(vendor, 'Code');
      const name = attribute(vendor, 'CompanyShortName') ?? textOf(vendor);
      const brand = known(code) ?? known(name);
      if (brand !== undefined) return brand;
      warnings.add('unknown_code', `unknown vendor ${code ?? name ?? 'without code'}, treated as ${fallback}`);
      return fallback;
    },
  };
}
