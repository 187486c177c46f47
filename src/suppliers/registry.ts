import type { SupplierConfig } from '../config/supplier-config.schema.js';
import type { SupplierRef } from './outcome.js';
import type { Operation, SupplierAdapter } from './supplier.js';
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

/** A booking can only be made where it can be priced before, looked up after and undone. */
const BOOKING_NEEDS = ['priceCheck', 'retrieve', 'cancel', 'booking'] as const;

/** What the registry needs to build suppliers. */
export interface RegistryParts {
  /** The base URL of a supplier (its own, or its embedded simulator's); undefined where it has none. */
  urlOf(config: SupplierConfig): string | undefined;
  /** Told once of each `off` supplier that was asked for by id and cannot be built. */
  unusable(id: string, error: Error): void;
  createAdapter(config: SupplierConfig): SupplierAdapter;
}

/** The configured suppliers in answer order; `off` ones are built only when somebody asks for them by id. */
export class SupplierRegistry {
  readonly suppliers: readonly Supplier[];
  readonly #off: ReadonlyMap<string, SupplierConfig>;
  readonly #builtOff = new Map<string, Supplier | undefined>();

  /** Throws when a supplier that is not off has no URL, its adapter refuses its options or books without all it takes. */
  constructor(
    configs: readonly SupplierConfig[],
    private readonly parts: RegistryParts,
  ) {
    this.suppliers = configs.filter((config) => config.state !== 'off').map((config) => this.#build(config));
    this.#off = new Map(configs.filter((config) => config.state === 'off').map((config) => [config.id, config]));
  }

  /** A supplier in any state, so that what was booked with it can be read and cancelled; undefined when it is gone or cannot be built. */
  byId(id: string): Supplier | undefined {
    return this.suppliers.find((supplier) => supplier.id === id) ?? this.#switchedOff(id);
  }

  #switchedOff(id: string): Supplier | undefined {
    const config = this.#off.get(id);
    if (!config || this.#builtOff.has(id)) return this.#builtOff.get(id);
    let built: Supplier | undefined;
    try {
      built = this.#build(config);
    } catch (error) {
      this.parts.unusable(id, error instanceof Error ? error : new Error(String(error)));
    }
    this.#builtOff.set(id, built);
    return built;
  }

  #build(config: SupplierConfig): Supplier {
    const { id, name } = config;
    const url = this.parts.urlOf(config);
    if (url === undefined)
      throw new Error(`supplier ${id} has no url and its simulator is not started; set SUPPLIER_${id.toUpperCase()}_URL`);
    const adapter = this.parts.createAdapter(config);
    const missing = adapter.book ? BOOKING_NEEDS.filter((part) => adapter[part] === undefined) : [];
    if (missing.length > 0) throw new Error(`suppliers/${id}.yaml: the adapter ${config.adapter} has book but lacks ${missing.join(', ')}`);
    return { id, name, config, connection: new SupplierConnection(config, adapter, url) };
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
    await Promise.all([...this.suppliers, ...this.#builtOff.values()].map((supplier) => supplier?.connection.close()));
  }
}

/** The supplier's brands that are wanted, in its own order; all of them when `wanted` is undefined. */
export function brandsOf(config: SupplierConfig, wanted: readonly string[] | undefined): readonly string[] {
  return wanted === undefined ? config.brands : config.brands.filter((brand) => wanted.includes(brand));
}
