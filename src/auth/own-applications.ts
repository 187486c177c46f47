import { Inject, Injectable } from '@nestjs/common';
import { type SQL, sql } from 'drizzle-orm';
import type { Database } from '../database/database.js';
import { DATABASE } from '../database/database.module.js';
import type { Environment } from './credentials.js';

/** The form of an application's id. PostgreSQL can't even look for some texts of another form, such as one with a NUL. */
export const APPLICATION_ID = /^app_[a-z0-9]{1,40}$/;

/** A secret of an application, without its value. Instants are ISO 8601. */
export interface OwnSecret {
  readonly id: string;
  readonly createdAt: string;
  /** Null = never expires. */
  readonly expiresAt: string | null;
  /** Accurate to the minute; null = never. */
  readonly lastUsedAt: string | null;
}

/** An application as its owner sees it. */
export interface OwnApplication {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly clientId: string;
  readonly environment: Environment;
  readonly tier: string;
  readonly accountTier: string;
  readonly state: 'active' | 'suspended';
  readonly redirectUrl: string | null;
  readonly defaultScenario: string | null;
  /** Web origins whose pages may read answers. */
  readonly allowedOrigins: readonly string[];
  /** For a sandbox application: whether it has a production application. That one belongs to an account of production. */
  readonly isLaunched: boolean;
  /** Suspended by an operator: only operators may resume it. */
  readonly isHeld: boolean;
  /** Product ids in alphabetical order. */
  readonly products: readonly string[];
  /** Active secrets, oldest first. */
  readonly secrets: readonly OwnSecret[];
  /** The newest production access request; null = none yet. */
  readonly launch: {
    readonly state: 'requested' | 'approved' | 'refused';
    readonly at: string;
    readonly decision: string | null;
  } | null;
}

/** An audit entry about an application. `before` and `after` are as recorded. */
export interface ApplicationEvent {
  /** ISO 8601. */
  readonly at: string;
  readonly actor: string;
  readonly action: string;
  readonly before: Readonly<Record<string, unknown>> | null;
  readonly after: Readonly<Record<string, unknown>> | null;
}

/** Reads the applications of an account, except deleted ones. They are all of the account's environment. */
@Injectable()
export class OwnApplications {
  constructor(@Inject(DATABASE) private readonly database: Database) {}

  /** Oldest first. */
  async list(accountId: string): Promise<readonly OwnApplication[]> {
    return await this.#read(sql`a.account_id = ${accountId}`);
  }

  /**
   * The active applications of an account, which can call this gateway, oldest first. None if the account is undefined.
   */
  async callable(accountId: string | undefined): Promise<readonly OwnApplication[]> {
    if (accountId === undefined) return [];
    return await this.#read(sql`a.account_id = ${accountId} and a.state = 'active'`);
  }

  /**
   * Uses one statement, so that an application of another account can't be distinguished from one that doesn't exist,
   * not even by timing.
   */
  async find(accountId: string, id: string): Promise<OwnApplication | undefined> {
    return (await this.#read(sql`a.id = ${id} and a.account_id = ${accountId}`))[0];
  }

  /**
   * The audit entries of an application, its secrets and its production access request, newest first. Each subject is read by the index,
   * even if the database has no statistics.
   */
  async events(id: string, limit: number): Promise<readonly ApplicationEvent[]> {
    return await this.database.rows<ApplicationEvent>(sql`
      select to_json(at) as at, actor, action, before, after from (
        (select * from audit_events where subject = ${id} order by id desc limit ${limit})
        union all (select e.* from client_secrets s cross join lateral
          (select * from audit_events where subject = s.id order by id desc limit ${limit}) e where s.application_id = ${id})) own
      order by own.id desc limit ${limit}`);
  }

  async #read(condition: SQL): Promise<readonly OwnApplication[]> {
    return await this.database.rows<OwnApplication>(sql`
      select a.id, a.name, a.description, a.client_id as "clientId", a.environment, a.tier, c.tier as "accountTier", a.state, a.redirect_url as "redirectUrl",
        a.default_scenario as "defaultScenario", a.allowed_origins as "allowedOrigins",
        exists (select from applications p where p.launched_from = a.id and p.state <> 'deleted') as "isLaunched",
        a.is_held as "isHeld",
        (select coalesce(json_agg(u.product_id order by u.product_id), '[]') from subscriptions u where u.application_id = a.id) as products,
        (select coalesce(json_agg(json_build_object('id', s.id, 'createdAt', s.created_at, 'expiresAt', s.expires_at,
            'lastUsedAt', s.last_used_at) order by s.created_at, s.id), '[]')
          from client_secrets s where s.application_id = a.id and s.revoked_at is null
            and (s.expires_at is null or s.expires_at > now())) as secrets,
        (select json_build_object('state', l.state, 'at', coalesce(l.decided_at, l.requested_at), 'decision', l.decision)
          from launch_requests l where l.application_id = a.id order by l.requested_at desc, l.id limit 1) as launch
      from applications a join accounts c on c.id = a.account_id where ${condition} and a.state <> 'deleted' order by a.created_at, a.id`);
  }
}
