import type { SupplierConfig } from '../config/supplier-config.schema.js';
import { createAdapter } from './create-adapter.js';
import type { SupplierRef } from './outcome.js';
import type { Operation } from './supplier.js';
import { SupplierConnection } from './supplier-connection.js';

/** A supplier that can be called. */
export interface Supplier extends SupplierRef {
  readonly config: SupplierConfig;
  readonly connection: SupplierConnection;
}

/** Which suppliers an operation may ask, and which are skipped for maintenance (ruling 6). Both in supplier order. */
export interface Eligible {
  readonly asked: readonly Supplier[];
  readonly skipped: readonly Supplier[];
}

/** The configured suppliers in answer order; `off` ones are not built at all. */
export class SupplierRegistry {
  readonly suppliers: readonly Supplier[];

  /** `urlOf` gives the base URL of a supplier (its own, or its embedded simulator's). Throws when an adapter refuses its options. */
  constructor(configs: readonly SupplierConfig[], urlOf: (config: SupplierConfig) => string) {
    this.suppliers = configs
      .filter((config) => config.state !== 'off')
      .map((config) => ({
        id: config.id,
        name: config.name,
        config,
        connection: new SupplierConnection(config, createAdapter(config), urlOf(config)),
      }));
  }

  /** Every brand once, in supplier order. */
  get brands(): readonly string[] {
    return [...new Set(this.suppliers.flatMap((supplier) => supplier.config.brands))];
  }

  get ids(): readonly string[] {
    return this.suppliers.map((supplier) => supplier.id);
  }

  /** Suppliers with the capability that serve one of `brands` (undefined = any) in the country (undefined = any). */
  eligible(operation: Operation, brands: readonly string[] | undefined, countryCode: string | undefined): Eligible {
    const able = this.suppliers.filter(
      ({ config, connection }) =>
        operation in connection.adapter &&
        brandsOf(config, brands).length > 0 &&
        (countryCode === undefined || countryCode === 'ZZ' || config.countries.length === 0 || config.countries.includes(countryCode)),
    );
    return {
      asked: able.filter((supplier) => supplier.config.state === 'live'),
      skipped: able.filter((supplier) => supplier.config.state === 'maintenance'),
    };
  }

  async close(): Promise<void> {
    await Promise.all(this.suppliers.map((supplier) => supplier.connection.close()));
  }
}

/** The supplier's brands that are wanted, in its own order; all of them when `wanted` is undefined. */
export function brandsOf(config: SupplierConfig, wanted: readonly string[] | undefined): readonly string[] {
  return wanted === undefined ? config.brands : config.brands.filter((brand) => wanted.includes(brand));
}
