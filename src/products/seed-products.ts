import { and, eq, sql } from 'drizzle-orm';
import type { Database } from '../database/database.js';
import { products, productVersions } from '../database/schema.js';
import type { ProductSeed } from './product-file.js';
import { deprecateOutlived, isForeign, writeProductState } from './product-lifecycle.js';

/**
 * Writes the contents of `config/products.yaml` in one transaction. Products get the name and path of the file;
 * existing versions keep their state. A new version that ships as deprecated shares the audience of its major, so it
 * gets the major's first deprecation date. A new Live major deprecates earlier ones, except in a sandbox whose database also serves
 * production: a gateway of production does that when it starts with the same file (decision 0093).
 */
export async function seedProducts(
  database: Database,
  seeds: readonly ProductSeed[],
  environment: 'sandbox' | 'production',
): Promise<void> {
  await database.tables.transaction(async (tx) => {
    const mayDeprecate = !(await isForeign(tx, environment));
    for (const { id, name, path, versions } of seeds) {
      await tx
        .insert(products)
        .values({ id, name, path, state: 'designed' })
        .onConflictDoUpdate({ target: products.id, set: { name, path } });
      for (const { major, minor, patch, state } of versions) {
        const first = tx
          .select({ at: sql`coalesce(min(${productVersions.deprecatedAt}), now())` })
          .from(productVersions)
          .where(and(eq(productVersions.productId, id), eq(productVersions.major, major)));
        const deprecatedAt = state === 'deprecated' ? sql`(${first})` : null;
        await tx
          .insert(productVersions)
          .values({ productId: id, major, minor, patch, state, deprecatedAt })
          .onConflictDoNothing();
      }
      if (mayDeprecate) await deprecateOutlived({ tables: tx, environment }, id, 'system');
      await writeProductState(tx, id);
    }
  });
}
