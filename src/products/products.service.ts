import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Inject, Injectable } from '@nestjs/common';
import { sql } from 'drizzle-orm';
import { parse } from 'yaml';
import { z } from 'zod';
import { CONFIG_FOLDER } from '../config/config.module.js';
import type { Database } from '../database/database.js';
import { DATABASE } from '../database/database.module.js';
import { products } from '../database/schema.js';
import type { PolicyLimits } from '../store/limits.js';
import { limitsIn, type ProductSeed, type Tiers, tiersSchema } from './policy.js';

const productsSchema = z.array(
  z.strictObject({
    id: z.string(),
    name: z.string(),
    path: z.string(),
    state: z.enum(['designed', 'beta', 'live', 'deprecated', 'retired']),
  }),
);

/** Products and tiers, read from the configuration folder and kept in the database. */
@Injectable()
export class ProductsService {
  readonly #tiers: Tiers;
  readonly seeds: readonly ProductSeed[];

  constructor(
    @Inject(CONFIG_FOLDER) folder: string,
    @Inject(DATABASE) private readonly database: Database,
  ) {
    this.#tiers = tiersSchema.parse(parse(readFileSync(join(folder, 'tiers.yaml'), 'utf8')));
    this.seeds = productsSchema.parse(parse(readFileSync(join(folder, 'products.yaml'), 'utf8')));
  }

  /** Writes the products of the file; a row that exists keeps its state (ops own it) and takes name and path. */
  async seed(): Promise<void> {
    await this.database.tables
      .insert(products)
      .values([...this.seeds])
      .onConflictDoUpdate({ target: products.id, set: { name: sql`excluded.name`, path: sql`excluded.path` } });
  }

  /** The limits of an application of `tier` whose account is of `accountTier`. Throws for a tier that config/tiers.yaml lacks. */
  limitsOf(tier: string, accountTier = tier): PolicyLimits {
    return limitsIn(this.#tiers, tier, accountTier);
  }

  /** What a call of the route with this path counts in every limit. Needed before any guard knows the route's product. */
  costOf(routePath: string): number {
    for (const { id, path } of this.seeds) if (routePath.startsWith(path)) return this.#tiers.costs[id] ?? 1;
    return 1;
  }
}
