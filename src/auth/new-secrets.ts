import { Inject, Injectable } from '@nestjs/common';
import { and, eq, sql } from 'drizzle-orm';
import { CONFIG, type Config } from '../config/config.module.js';
import { type Actor, changeBy } from '../database/actor.js';
import { recordAudit } from '../database/audit.js';
import type { Database, Tables } from '../database/database.js';
import { DATABASE } from '../database/database.module.js';
import { auditEvents } from '../database/schema.js';
import { liveSecrets, lockApplication } from './application-records.js';
import { ClientSecrets } from './client-secrets.js';
import type { OwnApplication } from './own-applications.js';

/** How long after its creation a secret can be shown without the password. */
const NEW_MS = 600_000;

/** Shows the secret of a new application once, on the page that a form redirects to. */
@Injectable()
export class NewSecrets {
  constructor(
    @Inject(DATABASE) private readonly database: Database,
    @Inject(CONFIG) private readonly config: Config,
    private readonly secrets: ClientSecrets,
  ) {}

  /**
   * The only secret of an application, in plain text, if it was created less than NEW_MS ago and never shown or used; otherwise undefined: then
   * showing it takes the password (ApplicationAdmin.show). Of concurrent calls, one gets it. The access is audited. Throws as changeBy does.
   */
  async takeFirst({ id, secrets }: Pick<OwnApplication, 'id' | 'secrets'>, actor: Actor): Promise<string | undefined> {
    const [only] = secrets;
    // Without a transaction for all other applications.
    if (!only || secrets.length > 1 || only.lastUsedAt !== null || isOld(only.createdAt)) return undefined;
    return await changeBy(this.database, actor, async (tx) => {
      const { environment } = await lockApplication(tx, id, this.config.environment);
      const [row, ...more] = await liveSecrets(tx, id);
      if (row?.id !== only.id || more.length > 0 || row.sealed === null || (await wasShown(tx, id))) return undefined;
      const after = { secrets: [row.id] };
      await recordAudit(
        { tables: tx, environment: this.config.environment },
        { actor, action: 'secret_shown', subject: id, after },
      );
      return this.secrets.open(row.sealed, { applicationId: id, environment });
    });
  }
}

function isOld(createdAt: string): boolean {
  return Date.now() - Date.parse(createdAt) >= NEW_MS;
}

async function wasShown(tx: Tables, applicationId: string): Promise<boolean> {
  const isIt = and(eq(auditEvents.subject, applicationId), eq(auditEvents.action, 'secret_shown'));
  const [shown] = await tx.select({ found: sql`1` }).from(auditEvents).where(isIt).limit(1);
  return shown !== undefined;
}
