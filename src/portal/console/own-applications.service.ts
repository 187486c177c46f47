import { Inject, Injectable } from '@nestjs/common';
import { and, asc, eq } from 'drizzle-orm';
import { CONFIG, type Config } from '../../config/config.module.js';
import type { Database } from '../../database/database.js';
import { DATABASE } from '../../database/database.module.js';
import { applications } from '../../database/schema.js';

/** An application of the visitor, as console and docs offer it. */
export interface OwnApplication {
  readonly id: string;
  readonly name: string;
  readonly clientId: string;
}

/** The applications that an account can call this gateway with. */
@Injectable()
export class OwnApplications {
  constructor(
    @Inject(DATABASE) private readonly database: Database,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** Active ones of this gateway's environment, oldest first; undefined account = none. */
  async of(accountId: string | undefined): Promise<readonly OwnApplication[]> {
    if (accountId === undefined) return [];
    const { id, name, clientId, state, environment, createdAt } = applications;
    return await this.database.tables
      .select({ id, name, clientId })
      .from(applications)
      .where(and(eq(applications.accountId, accountId), eq(state, 'active'), eq(environment, this.config.environment)))
      .orderBy(asc(createdAt), asc(id));
  }
}
