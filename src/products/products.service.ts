import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, CONFIG_FOLDER, type Config } from '../config/config.module.js';
import type { Database } from '../database/database.js';
import { DATABASE } from '../database/database.module.js';
import type { PolicyLimits } from '../store/limits.js';
import { limitsIn, type Tiers } from './policy.js';
import { type ProductSeed, readProductFile, readTiers } from './product-file.js';
import { seedProducts } from './seed-products.js';
import { VersionRegistry } from './version-registry.js';

/** Products and tiers, read from the configuration folder and kept in the database. */
@Injectable()
export class ProductsService {
  readonly #tiers: Tiers;
  readonly seeds: readonly ProductSeed[];

  constructor(
    @Inject(CONFIG_FOLDER) folder: string,
    @Inject(DATABASE) private readonly database: Database,
    private readonly versions: VersionRegistry,
    @Inject(CONFIG) private readonly config: Config,
  ) {
    this.#tiers = readTiers(folder, config);
    this.seeds = readProductFile(folder).products;
  }

  /**
   * Writes the products and versions of the file and reads the snapshot for requests. Existing versions keep their
   * state, which operators control.
   */
  async seed(): Promise<void> {
    await seedProducts(this.database, this.seeds, this.config.environment);
    await this.versions.refresh();
  }

  /** The names of the tiers, in the order of the file. */
  get tiers(): readonly string[] {
    return [...this.#tiers.tiers.keys()];
  }

  /**
   * The limits of an application of `tier` whose account is of `accountTier`. Throws if config/tiers.yaml lacks a tier.
   */
  limitsOf(tier: string, accountTier = tier): PolicyLimits {
    return limitsIn(this.#tiers, tier, accountTier);
  }

  /** What a call of a product counts in every limit; an undefined product means a call of none. */
  costOf(productId: string | undefined): number {
    return (productId === undefined ? undefined : this.#tiers.costs[productId]) ?? 1;
  }
}
