import { Inject, Injectable } from '@nestjs/common';
import { and, asc, eq, ne } from 'drizzle-orm';
import type { Database } from '../../database/database.js';
import { DATABASE } from '../../database/database.module.js';
import { accounts, applications } from '../../database/schema.js';

/** An application of the visitor's account. */
export interface OwnApplication {
  readonly id: string;
  readonly name: string;
  readonly environment: string;
  readonly tier: string;
  readonly accountTier: string;
}

/** The applications whose requests a visitor may see. */
@Injectable()
export class OwnApplications {
  constructor(@Inject(DATABASE) private readonly database: Database) {}

  /** Those of the account that are not deleted, oldest first; empty = it has none. */
  of(accountId: string): Promise<readonly OwnApplication[]> {
    const { id, name, environment, tier } = applications;
    return this.database.tables
      .select({ id, name, environment, tier, accountTier: accounts.tier })
      .from(applications)
      .innerJoin(accounts, eq(accounts.id, applications.accountId))
      .where(and(eq(applications.accountId, accountId), ne(applications.state, 'deleted')))
      .orderBy(asc(applications.createdAt), asc(id));
  }
}

/** The ids of the application chosen, or of all where none or none of the visitor's own is. */
export function chosenIds(own: readonly OwnApplication[], chosen: string | undefined): readonly string[] {
  const found = own.find(({ id }) => id === chosen);
  return found ? [found.id] : own.map(({ id }) => id);
}
