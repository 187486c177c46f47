import { isDeepStrictEqual } from 'node:util';
import { Inject, Injectable } from '@nestjs/common';
import { eq } from 'drizzle-orm';
import { CONFIG, type Config } from '../config/config.module.js';
import { type Actor, changeBy } from '../database/actor.js';
import { recordAudit } from '../database/audit.js';
import type { Database } from '../database/database.js';
import { DATABASE } from '../database/database.module.js';
import { applications } from '../database/schema.js';
import { claimName, lockApplication } from './application-records.js';
import { ChangeRefused } from './change-refused.js';
import { PolicyUpdates } from './policy-updates.js';

/** The settings that a developer may change. Setting the same value again is not a change and is not audited. */
@Injectable()
export class ApplicationSettings {
  constructor(
    @Inject(DATABASE) private readonly database: Database,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(PolicyUpdates) private readonly policies: Pick<PolicyUpdates, 'publish'>,
  ) {}

  /** Throws ChangeRefused if another application of the account has the name. */
  async describe(id: string, values: { name: string; description: string }, actor: Actor): Promise<void> {
    await this.#change(id, values, 'application_described', actor);
  }

  /** `redirectUrl` must have passed checkRedirectUrl; null = none. */
  async setRedirectUrl(id: string, redirectUrl: string | null, actor: Actor): Promise<void> {
    await this.#change(id, { redirectUrl }, 'redirect_url_set', actor);
  }

  /**
   * `defaultScenario` must have passed parseScenario; null = none. Sandbox only. Once it resolves, calls with existing
   * tokens use the new value.
   */
  async setDefaultScenario(id: string, defaultScenario: string | null, actor: Actor): Promise<void> {
    await this.#change(id, { defaultScenario }, 'default_scenario_set', actor);
    await this.policies.publish(id);
  }

  /**
   * `origins` must have passed checkOrigins; empty = none. Once it resolves, answers to calls with existing tokens use the
   * new value; preflights do within a second.
   */
  async setAllowedOrigins(id: string, origins: readonly string[], actor: Actor): Promise<void> {
    await this.#change(id, { allowedOrigins: [...origins] }, 'allowed_origins_set', actor);
    await this.policies.publish(id);
  }

  /** Only requests from now on count in the certification of the application (docs/certification.md). */
  async beginCertification(id: string, actor: Actor): Promise<void> {
    await this.#change(id, { judgedFrom: new Date() }, 'certification_begun', actor);
  }

  async #change(id: string, values: Changeable, action: string, actor: Actor): Promise<void> {
    await changeBy(this.database, actor, async (tx) => {
      // The account is locked before the application, as everywhere.
      const [found] = await tx.select().from(applications).where(eq(applications.id, id));
      if (found && values.name !== undefined)
        await claimName(tx, { accountId: found.accountId, name: values.name }, id);
      const row = await lockApplication(tx, id, this.config.environment);
      if (row.environment !== 'sandbox' && values.defaultScenario !== undefined) {
        throw new ChangeRefused('Scenarios are available only in the sandbox.', 'scenario');
      }
      const changed = Object.entries(values).filter(
        ([name, value]) => !isDeepStrictEqual(row[name as keyof Changeable], value),
      );
      if (changed.length === 0) return;
      await tx.update(applications).set(values).where(eq(applications.id, id));
      const before = Object.fromEntries(changed.map(([name]) => [name, row[name as keyof Changeable]]));
      await recordAudit(
        { tables: tx, environment: this.config.environment },
        { actor, action, subject: id, before, after: Object.fromEntries(changed) },
      );
    });
  }
}

type Changeable = Partial<
  Pick<
    typeof applications.$inferSelect,
    'name' | 'description' | 'redirectUrl' | 'defaultScenario' | 'allowedOrigins' | 'judgedFrom'
  >
>;
