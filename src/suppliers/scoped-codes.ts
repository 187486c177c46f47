import type { SupplierConfig } from '../config/supplier-config.schema.js';
import type { DiscountCode, Loyalty, VehicleSearch } from '../model/offers.js';

/**
 * What a caller sent, and the id of the only supplier it is for. Without one, a code is for every supplier; for memberships,
 * see membershipsOf.
 */
export type Scoped<T> = T & { readonly supplier?: string };

/** A search before it is limited to one supplier: its codes and memberships may be those of others. */
export type ScopedSearch = Omit<VehicleSearch, 'brands' | 'discountCodes' | 'loyalty'> & {
  readonly discountCodes: readonly Scoped<DiscountCode>[];
  readonly loyalty: readonly Scoped<Loyalty>[];
};

/** The part of a supplier's configuration that says which memberships are its own. */
export type LoyaltyScope = Pick<SupplierConfig, 'id' | 'brands' | 'loyaltyPrograms'>;

/** The search as one call to a supplier gets it, for these brands of it: without what belongs to others. */
export function searchForCall(supplier: LoyaltyScope, brands: readonly string[], search: ScopedSearch): VehicleSearch {
  return {
    ...search,
    brands,
    discountCodes: search.discountCodes.flatMap(({ supplier: only = supplier.id, type, value }) =>
      only === supplier.id ? [{ type, value }] : [],
    ),
    loyalty: membershipsOf(supplier, brands, search.loyalty),
  };
}

/**
 * The memberships that belong to a program of one of these brands, in the caller's order; empty if none does. One
 * without a program belongs to the supplier it is scoped to, and to none if it isn't scoped.
 */
export function membershipsOf(
  supplier: LoyaltyScope,
  brands: readonly string[],
  loyalty: readonly Scoped<Loyalty>[],
): readonly Loyalty[] {
  return loyalty.flatMap(({ supplier: only, ...membership }) => {
    if (only !== undefined && only !== supplier.id) return [];
    const { program } = membership;
    const isOwn = program === undefined ? only !== undefined : isProgramOf(program, programsOf(supplier, brands));
    return isOwn ? [membership] : [];
  });
}

/** The programs of these brands of a supplier: each brand's own name, then the names in its file. Never empty. */
export function programsOf({ loyaltyPrograms }: LoyaltyScope, brands: readonly string[]): readonly string[] {
  return brands.flatMap((brand) => [brand, ...(loyaltyPrograms[brand] ?? [])]);
}

/** Whether a program is in the list; case, spaces and punctuation don't matter. */
export function isProgramOf(program: string, programs: readonly string[]): boolean {
  return programs.some((name) => plain(name) === plain(program));
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');
}
