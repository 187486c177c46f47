import { beforeEach, describe, expect, it } from '@jest/globals';
import { sql } from 'drizzle-orm';
import { claim } from '../../test/support/claim.js';
import { migratedDatabase, withoutTriggers } from '../../test/support/migrated-database.js';
import type { ProductState } from './lifecycle.js';
import { ProductLifecycle } from './product-lifecycle.js';
import { seedProducts } from './seed-products.js';
import { exactVersion, formatVersion, parseVersion } from './version.js';

const database = migratedDatabase();
beforeEach(async () => {
  await database().rows(sql`truncate products, accounts cascade`);
  await withoutTriggers(database(), 'truncate audit_events');
});

async function seed(
  states: Readonly<Record<string, ProductState>>,
  name = 'P',
  environment: 'sandbox' | 'production' = 'sandbox',
): Promise<void> {
  const versions = Object.entries(states).flatMap(([text, state]) => {
    const wish = parseVersion(text);
    return wish ? [{ ...exactVersion(wish), state }] : [];
  });
  await seedProducts(database(), [{ id: 'p', name, path: '/p', versions }], environment);
}

const stored = async () => {
  const rows = await database().rows<{ version: string; state: string }>(
    sql`select concat_ws('.', major, minor, patch) as version, state from product_versions order by major, minor, patch`,
  );
  return rows.map(({ version, state }) => `${version} ${state}`);
};

describe('seedProducts', () => {
  it('writes each version in its initial state and does not change existing versions', async () => {
    await seed({ v1: 'live', 'v1.1': 'beta' });
    await database().rows(sql`update product_versions set state = 'live' where minor = 1`);
    await seed({ v1: 'retired', 'v1.1': 'designed', 'v1.2': 'beta' }, 'Renamed');
    expect(await stored()).toEqual(['1.0.0 live', '1.1.0 live', '1.2.0 beta']);
    expect(await database().rows(sql`select name, state from products`)).toEqual([{ name: 'Renamed', state: 'live' }]);
  });

  it('deprecates the earlier major once when a new one ships as Live, and audits it', async () => {
    await seed({ v1: 'live', 'v1.1': 'live' });
    for (const _start of [1, 2]) await seed({ v1: 'deprecated', 'v1.1': 'deprecated', v2: 'live' });
    expect(await stored()).toEqual(['1.0.0 deprecated', '1.1.0 deprecated', '2.0.0 live']);
    expect(await database().rows(sql`select actor, action, subject from audit_events order by subject`)).toEqual([
      { actor: 'system', action: 'version_deprecated', subject: 'p v1' },
      { actor: 'system', action: 'version_deprecated', subject: 'p v1.1' },
    ]);
  });

  it('deprecates nothing from a sandbox that shares the database with production, until production starts', async () => {
    await database().rows(
      sql`insert into accounts (id, environment, name, tier) values ('acc_p', 'production', 'P', 'demo')`,
    );
    await seed({ v1: 'live' }, 'P', 'production');
    await seed({ v1: 'deprecated', v2: 'live' });
    expect(await stored()).toEqual(['1.0.0 live', '2.0.0 live']);
    await seed({ v1: 'deprecated', v2: 'live' }, 'P', 'production');
    expect(await stored()).toEqual(['1.0.0 deprecated', '2.0.0 live']);
  });

  claim(
    ['environments', 'V8.4.1'],
    'A sandbox that shares the database with production decides nothing about versions there, with its configuration either: production has those of its own file, in the states of that file.',
    async () => {
      const lifecycle = (environment: 'sandbox' | 'production') => new ProductLifecycle(database(), environment);
      const versionsIn = async (environment: 'sandbox' | 'production') =>
        (await lifecycle(environment).list()).map((row) => `${formatVersion(row)} ${row.state}`);
      await database().rows(
        sql`insert into accounts (id, environment, name, tier) values ('acc_p', 'production', 'P', 'demo')`,
      );
      await seed({ v1: 'live' }, 'P', 'production');
      await seed({ v1: 'retired', 'v1.0.1': 'deprecated', 'v1.1': 'retired', v2: 'live', v3: 'designed' }, 'Renamed');
      expect(await versionsIn('sandbox')).toEqual([
        ...['v3 designed', 'v2 live', 'v1.1 retired', 'v1.0.1 deprecated', 'v1 live'],
      ]);
      const version = { major: 3, minor: 0, patch: 0 };
      await lifecycle('sandbox').move({ productId: 'p', version, to: 'beta' }, 'ops');
      // Production starts again with its file.
      await seed({ v1: 'live' }, 'P', 'production');
      expect(await versionsIn('production')).toEqual(['v1 live']);
      expect(await database().rows(sql`select name, state from products`)).toEqual([{ name: 'P', state: 'live' }]);
      await seed({ v1: 'live', 'v1.1': 'live', v3: 'designed' }, 'P', 'production');
      expect(await versionsIn('production')).toEqual(['v3 designed', 'v1.1 live', 'v1 live']);
      await seed({ v1: 'deprecated', 'v1.1': 'deprecated', v2: 'live' }, 'P', 'production');
      expect(await versionsIn('production')).toEqual(['v3 designed', 'v2 live', 'v1.1 deprecated', 'v1 deprecated']);
      expect(await versionsIn('sandbox')).toContain('v1.0.1 deprecated');
      const changes = await database().rows(
        sql`select action, subject, environment from audit_events where subject in ('p v1.1', 'p v2') order by id`,
      );
      expect(changes).toEqual([
        { action: 'version_live', subject: 'p v1.1', environment: 'production' },
        { action: 'version_deprecated', subject: 'p v1.1', environment: 'production' },
      ]);
    },
  );

  it('gives a patch of a deprecated major the date of its major, so that the same subscribers may call it', async () => {
    await seed({ v1: 'deprecated', v2: 'live' });
    await database().rows(sql`update product_versions set deprecated_at = '2026-01-01T00:00:00Z' where major = 1`);
    await seed({ v1: 'deprecated', 'v1.0.1': 'deprecated', v2: 'live' });
    const dates = await database().rows(
      sql`select distinct deprecated_at = '2026-01-01T00:00:00Z' as shared from product_versions where major = 1`,
    );
    expect(dates).toEqual([{ shared: true }]);
  });
});
