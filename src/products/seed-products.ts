import { and, eq, sql } from 'drizzle-orm';
import type { Database } from '../database/database.js';
import { products, productVersions } from '../database/schema.js';
import type { ProductSeed } from './product-file.js';
import { deprecateOutlived, writeProductState } from './product-lifecycle.js';

/**
 * Writes what `config/products.yaml` names, in one transaction: a product takes name and path, a version that exists keeps its state. A new
 * version that begins as deprecated shares the audience of its major: its date is the major's first. A new Live major deprecates the earlier.
 */
export async function seedProducts(database: Database, seeds: readonly ProductSeed[]): Promise<void> {
  await database.tables.transaction(async (tx) => {
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
      await deprecateOutlived(tx, id, 'system');
      await writeProductState(tx, id);
    }
  });
}
