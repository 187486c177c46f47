import { isDeepStrictEqual } from 'node:util';
import type { SupplierConfig, SupplierState } from '../config/supplier-config.schema.js';
import type { Operation, SupplierAdapter } from '../model/supplier.js';
import type { SupplierRef } from './outcome.js';
import { type ConnectionRules, SupplierConnection } from './supplier-connection.js';

/** A supplier that can be called. */
export interface Supplier extends SupplierRef {
  readonly config: SupplierConfig;
  readonly connection: SupplierConnection;
}

/** Which suppliers an operation may ask, each list in supplier order. */
export interface Eligible {
  readonly asked: readonly Supplier[];
  /** In maintenance (ruling 6). */
  readonly skipped: readonly Supplier[];
  /** Asked after the answer is out, to be compared with it. */
  readonly shadowed: readonly Supplier[];
}

/** A booking can only be made where it can be priced before, looked up after and undone. */
const BOOKING_NEEDS = ['priceCheck', 'retrieve', 'cancel', 'booking'] as const;

/** What the registry needs to build suppliers. */
export interface RegistryParts {
  /** The base URL of a supplier (its own, or its embedded simulator's); undefined where it has none. */
  urlOf(config: SupplierConfig): string | undefined;
  /** Told once of each supplier of a generation that is needed and cannot be built. */
  unusable(id: string, error: Error): void;
  createAdapter(config: SupplierConfig): SupplierAdapter;
  /** How the connection to a supplier at this URL is kept safe; absent = by nothing. */
  rulesOf?(config: SupplierConfig, url: string): ConnectionRules;
  /** Longest time for which calls of a replaced connection may still be under way, milliseconds. */
  readonly retireMs: number;
}

/** Suppliers of one configuration: built ones are kept, idle ones are built when somebody asks for them. */
interface Generation {
  readonly configs: readonly SupplierConfig[];
  /** By id; undefined = it cannot be built. */
  readonly built: Map<string, Supplier | undefined>;
}

/**
 * The configured suppliers in answer order. A new configuration replaces the old one at once or not at all; a request that began before goes on
 * with what it began with. States that ops gave at run time go before those of the configuration.
 */
export class SupplierRegistry {
  #generation: Generation = { configs: [], built: new Map() };
  #states: ReadonlyMap<string, SupplierState> = new Map();
  #current: readonly Supplier[] = [];
  #shown: readonly Supplier[] = [];
  readonly #retiring = new Map<SupplierConnection, NodeJS.Timeout>();

  /** Throws as `replace` does. */
  constructor(
    configs: readonly SupplierConfig[],
    private readonly parts: RegistryParts,
  ) {
    this.replace(configs);
  }

  /**
   * Throws, and says of each what is wrong, when adapters of changed suppliers that are not off refuse their options or book without all it takes.
   * Changes nothing and needs no URL.
   */
  check(configs: readonly SupplierConfig[]): void {
    const { built } = this.#generation;
    const isChanged = (config: SupplierConfig): boolean => !isDeepStrictEqual(built.get(config.id)?.config, config);
    forAll(
      configs.filter((config) => this.#stateIn(config) !== 'off' && isChanged(config)),
      (config) => this.#adapterOf(config),
    );
  }

  /**
   * Takes a new configuration. Suppliers whose block and URL are unchanged keep their connections. Throws as `check` does, also when a supplier that
   * is not off has no URL, and changes nothing then.
   */
  replace(configs: readonly SupplierConfig[]): void {
    const before = this.#generation.built;
    const built = new Map<string, Supplier | undefined>();
    const changed: SupplierConfig[] = [];
    for (const config of configs) {
      const known = before.get(config.id);
      if (known && isDeepStrictEqual(known.config, config) && known.connection.url === this.parts.urlOf(config))
        built.set(config.id, known);
      else if (this.#stateIn(config) !== 'off') changed.push(config);
    }
    for (const connect of forAll(changed, (config) => this.#prepare(config))) {
      const supplier = connect();
      built.set(supplier.id, supplier);
    }
    this.#generation = { configs, built };
    this.#select();
    for (const supplier of before.values()) {
      if (supplier && built.get(supplier.id) !== supplier) this.#retire(supplier.connection);
    }
  }

  /** Takes the states that ops gave (id → state); suppliers that are not named have that of the configuration. False = they hold already. */
  applyStates(states: ReadonlyMap<string, SupplierState>): boolean {
    if (isDeepStrictEqual(states, this.#states)) return false;
    this.#states = states;
    this.#select();
    return true;
  }

  /** Suppliers that are not off. */
  get suppliers(): readonly Supplier[] {
    return this.#current;
  }

  /** Suppliers that callers may know of: neither off nor in shadow. */
  get shown(): readonly Supplier[] {
    return this.#shown;
  }

  /** The state that holds now; off for a supplier that is not configured. */
  stateOf(id: string): SupplierState {
    const config = this.#generation.configs.find((one) => one.id === id);
    return config ? this.#stateIn(config) : 'off';
  }

  /** A supplier in any state, so that what was booked with it can be read and cancelled; undefined when it is gone or cannot be built. */
  byId(id: string): Supplier | undefined {
    const config = this.#generation.configs.find((one) => one.id === id);
    return config && this.#ensure(config);
  }

  /** Every brand that callers may name, once, in supplier order. */
  get brands(): readonly string[] {
    return [...new Set(this.shown.flatMap((supplier) => supplier.config.brands))];
  }

  /** Ids of the suppliers that callers may name and that a simulator plays: those that a scenario can be for. */
  get played(): readonly string[] {
    return this.shown.flatMap(({ id, config }) => (config.isSimulated ? [id] : []));
  }

  /** Suppliers with the capability that serve one of `brands` (undefined = any) in the country (undefined = any). */
  eligible(operation: Operation, brands: readonly string[] | undefined, countryCode: string | undefined): Eligible {
    const able = this.#current.filter(
      ({ config, connection }) =>
        operation in connection.adapter &&
        brandsOf(config, brands).length > 0 &&
        (countryCode === undefined ||
          countryCode === 'ZZ' ||
          config.countries.length === 0 ||
          config.countries.includes(countryCode)),
    );
    const inState = (state: SupplierState) => able.filter(({ config }) => this.#stateIn(config) === state);
    return { asked: inState('live'), skipped: inState('maintenance'), shadowed: inState('shadow') };
  }

  async close(): Promise<void> {
    for (const timer of this.#retiring.values()) clearTimeout(timer);
    const connections = [...this.#generation.built.values()].flatMap((supplier) =>
      supplier ? [supplier.connection] : [],
    );
    await Promise.all([...connections, ...this.#retiring.keys()].map((connection) => connection.close()));
  }

  #stateIn({ id, state }: SupplierConfig): SupplierState {
    return this.#states.get(id) ?? state;
  }

  #select(): void {
    const wanted = this.#generation.configs.filter((config) => this.#stateIn(config) !== 'off');
    this.#current = wanted.flatMap((config) => this.#ensure(config) ?? []);
    this.#shown = this.#current.filter(({ config }) => this.#stateIn(config) !== 'shadow');
  }

  #ensure(config: SupplierConfig): Supplier | undefined {
    const { built } = this.#generation;
    if (built.has(config.id)) return built.get(config.id);
    let supplier: Supplier | undefined;
    try {
      supplier = this.#prepare(config)();
    } catch (error) {
      this.parts.unusable(config.id, error instanceof Error ? error : new Error(String(error)));
    }
    built.set(config.id, supplier);
    return supplier;
  }

  /** Everything that may go wrong first; what comes back only connects. */
  #prepare(config: SupplierConfig): () => Supplier {
    const { id, name } = config;
    const adapter = this.#adapterOf(config);
    const url = this.parts.urlOf(config);
    if (url === undefined)
      throw new Error(
        `supplier ${id} has no url and its simulator is not started; set SUPPLIER_${id.toUpperCase()}_URL`,
      );
    return () => ({
      id,
      name,
      config,
      connection: new SupplierConnection(config, adapter, url, this.parts.rulesOf?.(config, url)),
    });
  }

  #adapterOf(config: SupplierConfig): SupplierAdapter {
    const adapter = this.parts.createAdapter(config);
    const missing = adapter.book ? BOOKING_NEEDS.filter((part) => adapter[part] === undefined) : [];
    if (missing.length === 0) return adapter;
    throw new Error(
      `suppliers/${config.id}.yaml: the adapter ${config.adapter} has book but lacks ${missing.join(', ')}`,
    );
  }

  /** Closed when nothing that began before can still be under way on it. */
  #retire(connection: SupplierConnection): void {
    connection.policy?.retire();
    const close = async (): Promise<void> => {
      this.#retiring.delete(connection);
      await connection.close();
    };
    this.#retiring.set(connection, setTimeout(() => void close(), this.parts.retireMs).unref());
  }
}

/** Does `work` for all of them, then throws one Error with what each that failed said. */
function forAll<T, R>(items: readonly T[], work: (item: T) => R): R[] {
  const faults: string[] = [];
  const results = items.flatMap((item) => {
    try {
      return [work(item)];
    } catch (error) {
      faults.push(error instanceof Error ? error.message : String(error));
      return [];
    }
  });
  if (faults.length > 0) throw new Error(faults.join('\n'));
  return results;
}

/** The supplier's brands that are wanted, in its own order; all of them when `wanted` is undefined. */
export function brandsOf(config: SupplierConfig, wanted: readonly string[] | undefined): readonly string[] {
  return wanted === undefined ? config.brands : config.brands.filter((brand) => wanted.includes(brand));
}
