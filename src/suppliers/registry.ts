import { isDeepStrictEqual } from 'node:util';
import type { SupplierConfig, SupplierState } from '../config/supplier-config.schema.js';
import type { Operation, SupplierAdapter } from '../model/supplier.js';
import type { InShare } from './canary-share.js';
import { forAll } from './for-all.js';
import type { AppliedSwitches, GivenState } from './given-states.js';
import type { SupplierRef } from './outcome.js';
import { serves } from './serves.js';
import { type ConnectionRules, SupplierConnection } from './supplier-connection.js';

/** A supplier that can be called. */
export interface Supplier extends SupplierRef {
  readonly config: SupplierConfig;
  readonly connection: SupplierConnection;
}

/** The suppliers that support a search, each list in supplier order. */
export interface Eligible {
  readonly called: readonly Supplier[];
  /** In maintenance (ruling 6), or all brands that the search is for are switched off. In supplier order. */
  readonly skipped: readonly Supplier[];
  /** Called after the answer is sent, to compare their results with it. */
  readonly shadowed: readonly Supplier[];
}

/** What an adapter that books must also support: a booking is priced before, can be looked up afterwards and canceled. */
const BOOKING_NEEDS = ['priceCheck', 'retrieve', 'cancel', 'booking'] as const;

/** What the registry needs to build suppliers. */
export interface RegistryParts {
  /** The base URL of a supplier or of its embedded simulator; undefined if there is none. */
  urlOf(config: SupplierConfig): string | undefined;
  /** Called once per configuration for each supplier that is needed but can't be created. */
  unusable(id: string, error: Error): void;
  createAdapter(config: SupplierConfig): SupplierAdapter;
  /** Protections of the connection to a supplier; none if absent. */
  rulesOf?(config: SupplierConfig, url: string): ConnectionRules;
  /** How long calls on a replaced connection may take to finish before it is closed. */
  readonly retireMs: number;
}

/** The suppliers of one configuration. Suppliers that are off are created on first use. */
interface Generation {
  readonly configs: readonly SupplierConfig[];
  /** By id; undefined if the supplier can't be created. */
  readonly built: Map<string, Supplier | undefined>;
}

/**
 * The configured suppliers in answer order. A new configuration is applied completely or not at all; requests in progress finish
 * with the previous one. States set by an operator at run time override those of the configuration.
 */
export class SupplierRegistry {
  #generation: Generation = { configs: [], built: new Map() };
  #states: ReadonlyMap<string, GivenState> = new Map();
  #switches: AppliedSwitches = { suppliers: new Map(), brands: new Map() };
  #active: readonly Supplier[] = [];
  #shown: readonly Supplier[] = [];
  readonly #changedAt = new Map<string, number>();
  readonly #retiring = new Map<SupplierConnection, NodeJS.Timeout>();

  /** Throws like `replace`. */
  constructor(
    configs: readonly SupplierConfig[],
    private readonly parts: RegistryParts,
  ) {
    this.replace(configs);
  }

  /**
   * Checks a configuration without applying it; URLs aren't needed. Throws one error that lists every changed supplier,
   * unless it is off, whose adapter rejects its options or supports booking incompletely.
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
   * Applies a new configuration. Suppliers whose settings and URL are unchanged keep their connections. Throws like
   * `check`, and also if a supplier that isn't off has no URL; then nothing changes.
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
    for (const supplier of forAll(changed, (config) => this.#prepare(config)).map((connect) => connect()))
      built.set(supplier.id, supplier);
    for (const { id } of before.size === 0 ? [] : changed) this.#changedAt.set(id, Date.now());
    this.#generation = { configs, built };
    this.#select();
    for (const supplier of before.values()) {
      if (supplier && built.get(supplier.id) !== supplier) this.#retire(supplier.connection);
    }
  }

  /**
   * Applies the states set by operators (by supplier id); all other suppliers have the state of their configuration.
   * False if nothing changed. A supplier whose state changed forgets the answers it keeps.
   */
  applyStates(states: ReadonlyMap<string, GivenState>): boolean {
    if (isDeepStrictEqual(states, this.#states)) return false;
    this.#change(() => {
      this.#states = states;
    });
    return true;
  }

  /** Applies what operators switched off. A supplier whose state changed forgets the answers it keeps. */
  applySwitches(switches: AppliedSwitches): void {
    if (isDeepStrictEqual(switches, this.#switches)) return;
    this.#change(() => {
      this.#switches = switches;
    });
  }

  #change(change: () => void): void {
    const before = this.#generation.configs.map((config) => this.#stateIn(config));
    change();
    this.#select();
    for (const [index, config] of this.#generation.configs.entries())
      if (this.#stateIn(config) !== before[index])
        this.#generation.built.get(config.id)?.connection.rules.memory?.clear();
  }

  /** The settings of all suppliers, in any state, in answer order. */
  get configured(): readonly SupplierConfig[] {
    return this.#generation.configs;
  }

  /** When this process took over other settings or another URL of a supplier, epoch milliseconds; undefined: never. */
  changedAt(id: string): number | undefined {
    return this.#changedAt.get(id);
  }

  /** Suppliers that are not off. */
  get suppliers(): readonly Supplier[] {
    return this.#active;
  }

  /** Suppliers that callers may see: neither off nor in shadow. */
  get shown(): readonly Supplier[] {
    return this.#shown;
  }

  /** The current state; `off` if the supplier isn't configured. */
  stateOf(id: string): SupplierState {
    const config = this.#generation.configs.find((one) => one.id === id);
    return config ? this.#stateIn(config) : 'off';
  }

  /** When the maintenance of a supplier ends, in epoch milliseconds; undefined if that isn't announced. */
  maintenanceEndOf(id: string): number | undefined {
    const given = this.#states.get(id);
    return given?.state === 'maintenance' ? given.untilMs : this.#switches.suppliers.get(id);
  }

  /** Whether an operator switched a brand off. */
  isOff(brand: string): boolean {
    return this.#switches.brands.has(brand);
  }

  /** The brands of a supplier that are in `wanted` and not switched off, in the supplier's order. */
  brandsToCall({ brands }: SupplierConfig, wanted: readonly string[] | undefined): readonly string[] {
    return brands.filter((brand) => !this.isOff(brand) && (wanted === undefined || wanted.includes(brand)));
  }

  /** When a supplier's skipped brands or its maintenance end, epoch milliseconds; undefined if that isn't announced. */
  skippedUntil({ id, config }: Supplier): number | undefined {
    if (this.#stateIn(config) === 'maintenance') return this.maintenanceEndOf(id);
    const ends = config.brands.filter((brand) => this.isOff(brand)).map((brand) => this.#switches.brands.get(brand));
    // None if everything was switched on while a search was under way.
    return ends.length === 0 || ends.includes(undefined) ? undefined : Math.max(...ends.map((end) => end ?? 0));
  }

  /**
   * Finds a supplier in any state, so that its bookings can still be read and canceled. Undefined if it isn't
   * configured or can't be created.
   */
  byId(id: string): Supplier | undefined {
    const config = this.#generation.configs.find((one) => one.id === id);
    return config && this.#ensure(config);
  }

  /** The brands that callers may use, in supplier order without duplicates. */
  get brands(): readonly string[] {
    return [...new Set(this.shown.flatMap((supplier) => supplier.config.brands))];
  }

  /** Ids of the simulated suppliers that callers may see. A scenario can name them. */
  get simulated(): readonly string[] {
    return this.shown.flatMap(({ id, config }) => (config.isSimulated ? [id] : []));
  }

  /**
   * Suppliers that support the operation for one of `brands` in the country. Undefined means any brand or any country.
   * `inShare` decides whether the search belongs to the share of a supplier in canary; without it, none does.
   */
  eligible(
    operation: Operation,
    brands: readonly string[] | undefined,
    countryCode: string | undefined,
    inShare?: InShare,
  ): Eligible {
    const [called, skipped, shadowed]: [Supplier[], Supplier[], Supplier[]] = [[], [], []];
    for (const one of this.#active) {
      if (!(operation in one.connection.adapter) || !serves(one.config, brands, countryCode)) continue;
      const state = this.#stateFor(one.config, inShare);
      const hasBrand = this.brandsToCall(one.config, brands).length > 0;
      if (state === 'maintenance' || (state === 'live' && !hasBrand)) skipped.push(one);
      else if (state === 'live') called.push(one);
      else if (state === 'shadow' && hasBrand) shadowed.push(one);
    }
    return { called, skipped, shadowed };
  }

  async close(): Promise<void> {
    for (const timer of this.#retiring.values()) clearTimeout(timer);
    const connections = [...this.#generation.built.values()].flatMap((one) => (one ? [one.connection] : []));
    await Promise.all([...connections, ...this.#retiring.keys()].map((connection) => connection.close()));
  }

  #stateIn({ id, state: configured }: SupplierConfig): SupplierState {
    const state = this.#states.get(id)?.state ?? configured;
    // A supplier that isn't searched anyway stays as it is.
    return (state === 'live' || state === 'canary') && this.#switches.suppliers.has(id) ? 'maintenance' : state;
  }

  /** The state for one search. */
  #stateFor(config: SupplierConfig, inShare: InShare | undefined): SupplierState {
    const state = this.#stateIn(config);
    if (state !== 'canary') return state;
    return inShare?.(config.id, this.#states.get(config.id)?.percent ?? 0) ? 'live' : 'shadow';
  }

  #select(): void {
    const wanted = this.#generation.configs.filter((config) => this.#stateIn(config) !== 'off');
    this.#active = wanted.flatMap((config) => this.#ensure(config) ?? []);
    this.#shown = this.#active.filter(({ config }) => this.#stateIn(config) !== 'shadow');
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

  /** Does everything that can fail. The returned function only connects. */
  #prepare(config: SupplierConfig): () => Supplier {
    const { id, name } = config;
    const adapter = this.#adapterOf(config);
    const url = this.parts.urlOf(config);
    if (url === undefined)
      throw new Error(
        `supplier ${id} has no URL and its simulator isn't running; set SUPPLIER_${id.toUpperCase()}_URL`,
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
      `suppliers/${config.id}.yaml: the adapter ${config.adapter} implements book but not ${missing.join(', ')}`,
    );
  }

  /** Closes a replaced connection after its last calls have finished. */
  #retire(connection: SupplierConnection): void {
    connection.policy?.retire();
    const close = async (): Promise<void> => {
      this.#retiring.delete(connection);
      await connection.close();
    };
    this.#retiring.set(connection, setTimeout(() => void close(), this.parts.retireMs).unref());
  }
}
