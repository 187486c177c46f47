import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { AuditWriter } from '../database/audit.js';
import type { Database } from '../database/database.js';
import { products, productVersions } from '../database/schema.js';
import type { ProductState } from './lifecycle.js';
import { isOwn } from './own-versions.js';
import type { ProductSeed } from './product-file.js';
import {
  auditState,
  deprecateOutlived,
  isForeign,
  isVersion,
  toVersionRow,
  writeProductState,
} from './product-lifecycle.js';
import { fulfils, type Version } from './version.js';

/**
 * Writes the contents of `config/products.yaml` in one transaction. Products get the name and path of the file;
 * existing versions keep their state. A new version that ships as deprecated shares the audience of its major, so it
 * gets the major's first deprecation date. A new Live major deprecates earlier ones. A sandbox whose database also serves
 * production only adds: its products keep their names, and what it adds is a version of the sandbox only, until production
 * starts with a file that has it, in the state of that file (decision 0093).
 */
export async function seedProducts(
  database: Database,
  seeds: readonly ProductSeed[],
  environment: 'sandbox' | 'production',
): Promise<void> {
  await database.tables.transaction(async (tx) => {
    const isSandboxOnly = await isForeign(tx, environment);
    for (const { id, name, path, versions } of seeds) {
      const added = tx.insert(products).values({ id, name, path, state: 'designed' });
      await (isSandboxOnly
        ? added.onConflictDoNothing()
        : added.onConflictDoUpdate({ target: products.id, set: { name, path } }));
      const deprecatedAt = ({ major, state }: ProductSeed['versions'][number]): SQL | null => {
        const first = tx
          .select({ at: sql`coalesce(min(${productVersions.deprecatedAt}), now())` })
          .from(productVersions)
          .where(and(eq(productVersions.productId, id), eq(productVersions.major, major), isOwn(environment)));
        return state === 'deprecated' ? sql`(${first})` : null;
      };
      const dated = versions.map((version) => ({ ...version, deprecatedAt: deprecatedAt(version) }));
      for (const { major, minor, patch, state, deprecatedAt: at } of dated)
        await tx
          .insert(productVersions)
          .values({ productId: id, major, minor, patch, state, deprecatedAt: at, isSandboxOnly })
          .onConflictDoNothing();
      if (!isSandboxOnly) await takeOver({ tables: tx, environment }, id, dated);
      await deprecateOutlived(tx, environment, id, 'system');
      await writeProductState(tx, id);
    }
  });
}

/**
 * Gives production the versions of a product that only a sandbox had added, in the states of its own file. Must run in a
 * transaction.
 */
async function takeOver(
  writer: AuditWriter,
  productId: string,
  versions: readonly (Version & { readonly state: ProductState; readonly deprecatedAt: SQL | null })[],
): Promise<void> {
  const ofSandbox = and(eq(productVersions.productId, productId), productVersions.isSandboxOnly);
  const rows = (await writer.tables.select().from(productVersions).where(ofSandbox).for('update')).map(toVersionRow);
  for (const { state, deprecatedAt, ...version } of versions) {
    const row = rows.find((one) => fulfils(one, version));
    if (!row) continue;
    const values = { state, deprecatedAt, sunsetAt: null, isSandboxOnly: false };
    await writer.tables.update(productVersions).set(values).where(isVersion(row));
    if (row.state !== state) await auditState(writer, row, 'system', `version_${state}`, { state });
  }
}
