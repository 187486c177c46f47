import type { SupplierConfig } from '../config/supplier-config.schema.js';
import type { Problem } from '../status/api-error.js';
import { isProgramOf, programsOf } from '../suppliers/scoped-codes.js';
import type { VehiclesBody } from './vehicles.schema.js';

/** A supplier that codes and memberships can be scoped to. */
export type ScopeTarget = Pick<SupplierConfig, 'id' | 'name' | 'brands' | 'loyaltyPrograms'>;

/**
 * One invalid_range problem per discount code or membership that is scoped to an unknown supplier, or to one without
 * its program, with the allowed values (ruling 27).
 */
export function scopeProblems(
  { discount_codes = [], loyalty = [] }: Pick<VehiclesBody, 'discount_codes' | 'loyalty'>,
  suppliers: readonly ScopeTarget[],
): Problem[] {
  return [
    ...discount_codes.flatMap(({ supplier }, index) =>
      supplier === undefined || suppliers.some(({ id }) => id === supplier)
        ? []
        : [unknownSupplier(`discount_codes.${index}.supplier`, supplier, suppliers)],
    ),
    ...loyalty.flatMap(({ supplier, program }, index) => {
      if (supplier === undefined) return [];
      const target = suppliers.find(({ id }) => id === supplier);
      if (!target) return [unknownSupplier(`loyalty.${index}.supplier`, supplier, suppliers)];
      const programs = programsOf(target, target.brands);
      if (program === undefined || isProgramOf(program, programs)) return [];
      const field = `loyalty.${index}.program`;
      const details = `"${field}" must be a loyalty program of ${target.name}. Use one of ${programs.join(', ')}.`;
      return [{ reason: 'invalid_range', field, details } as const];
    }),
  ];
}

function unknownSupplier(field: string, id: string, suppliers: readonly ScopeTarget[]): Problem {
  const ids = suppliers.map((supplier) => supplier.id).join(', ');
  return { reason: 'invalid_range', field, details: `"${id}" is not a known supplier. Use one of ${ids}.` };
}
