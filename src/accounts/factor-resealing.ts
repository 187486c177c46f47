import { and, eq, gt, sql } from 'drizzle-orm';
import type { Config } from '../config/config.schema.js';
import type { Keys } from '../config/keys.js';
import { SealedTexts } from '../config/sealed-text.js';
import type { Database } from '../database/database.js';
import { accounts, secondFactors } from '../database/schema.js';

const BATCH = 500;

/** What the sealed secret of an account's second factor is bound to. */
export function factorPlace(accountId: string): string {
  return `second_factor:${accountId}`;
}

/**
 * Re-encrypts the second factors of this environment that use an older key. Returns their number and the accounts whose
 * secret can't be decrypted and stays unchanged.
 */
export async function resealFactors(
  database: Database,
  config: Config,
  keys: Keys,
): Promise<{ readonly resealed: number; readonly unreadable: readonly string[] }> {
  const sealing = new SealedTexts(config, keys, 'CLIENT_SECRET_KEYS');
  const { accountId, sealed } = secondFactors;
  const isOlder = sql`split_part(${sealed}, '.', 1) <> ${sealing.newest}`;
  const unreadable: string[] = [];
  let resealed = 0;
  for (let last = ''; ; ) {
    const rows = await database.tables
      .select({ accountId, sealed })
      .from(secondFactors)
      .innerJoin(accounts, eq(accounts.id, accountId))
      .where(and(eq(accounts.environment, config.environment), gt(accountId, last), isOlder))
      .orderBy(accountId)
      .limit(BATCH);
    for (const row of rows) {
      const again = resealedText(sealing, row);
      if (again === undefined) unreadable.push(row.accountId);
      else {
        const isSame = and(eq(accountId, row.accountId), eq(sealed, row.sealed));
        await database.tables.update(secondFactors).set({ sealed: again }).where(isSame);
        resealed += 1;
      }
      last = row.accountId;
    }
    if (rows.length < BATCH) return { resealed, unreadable };
  }
}

function resealedText(
  sealing: SealedTexts,
  { accountId, sealed }: Pick<typeof secondFactors.$inferSelect, 'accountId' | 'sealed'>,
): string | undefined {
  try {
    return sealing.seal(sealing.open(sealed, factorPlace(accountId)), factorPlace(accountId));
  } catch {
    // Report only the id: the cipher's error isn't useful.
    return undefined;
  }
}
