import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Inject, Injectable } from '@nestjs/common';
import { parse } from 'yaml';
import { z } from 'zod';
import { CONFIG_FOLDER } from '../config/config.module.js';
import type { Database } from '../database/database.js';
import { DATABASE } from '../database/database.module.js';
import type { LimitRate } from '../store/gcra.js';
import type { Tiers } from './policy.js';
import { type ProductSeed, readProductFile } from './product-file.js';
import { seedProducts } from './seed-products.js';
import { VersionRegistry } from './version-registry.js';

const tiersSchema = z.record(z.string(), z.strictObject({ perMinute: z.number().int().min(1), burst: z.number().int().min(1) }));

/** Products and tiers, read from the configuration folder and kept in the database. */
@Injectable()
export class ProductsService {
  readonly #tiers: Tiers;
  readonly seeds: readonly ProductSeed[];

  constructor(
    @Inject(CONFIG_FOLDER) folder: string,
    @Inject(DATABASE) private readonly database: Database,
    private readonly versions: VersionRegistry,
  ) {
    this.#tiers = tiersSchema.parse(parse(readFileSync(join(folder, 'tiers.yaml'), 'utf8')));
    this.seeds = readProductFile(folder).products;
  }

  /** Writes the products and versions of the file (a version that exists keeps its state: ops own it) and reads what requests then see. */
  async seed(): Promise<void> {
    await seedProducts(this.database, this.seeds);
    await this.versions.refresh();
  }

  /** The limit of a tier. Throws for a tier that config/tiers.yaml lacks. */
  rateOf(tier: string): LimitRate {
    const rate = this.#tiers[tier];
    if (!rate) throw new Error(`config/tiers.yaml has no tier "${tier}"`);
    return rate;
  }
}
