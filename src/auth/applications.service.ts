import { Inject, Injectable } from '@nestjs/common';
import { type SQL, sql } from 'drizzle-orm';
import type { Database } from '../database/database.js';
import { DATABASE } from '../database/database.module.js';
import { aside } from '../database/database-fault.js';
import { ProductsService } from '../products/products.service.js';
import type { ApplicationPolicy } from '../store/store.js';
import { ClientSecrets, type SecretHolder } from './client-secrets.js';
import type { Environment } from './credentials.js';

/**
 * The result of checking a client id and secret: the policy of the application, or why they were rejected (ruling 10).
 */
export type CredentialCheck =
  | { readonly ok: true; readonly policy: ApplicationPolicy; readonly secretId: string }
  | { readonly ok: false; readonly why: 'wrong' | 'expired' };

interface SecretRow {
  readonly id: string;
  readonly live: boolean;
  /** False if the secret was already used in this minute. */
  readonly unused: boolean;
}

interface ApplicationRow {
  readonly id: string;
  readonly account_id: string;
  readonly client_id: string;
  readonly environment: Environment;
  readonly tier: string;
  readonly account_tier: string;
  readonly state: string;
  readonly default_scenario: string | null;
  readonly allowed_origins: readonly string[];
  /** Those that were asked for. */
  readonly secrets: readonly SecretRow[];
  readonly products: readonly string[];
}

/** The characters that RFC 6749 allows in a client id. Other values never reach the database. */
const CLIENT_ID = /^[\x20-\x7e]{1,200}$/;

/** Checks the credentials of client applications. */
@Injectable()
export class ApplicationsService {
  constructor(
    @Inject(DATABASE) private readonly database: Database,
    private readonly secrets: ClientSecrets,
    private readonly products: ProductsService,
  ) {}

  /**
   * Checks credentials for an environment in one statement, plus a second one for the first use of a secret in a
   * minute. Unknown ids take the same work as known ones. Correct credentials that are expired, revoked or suspended
   * give `expired`, and so does any secret for a client id of the other environment, whose keys this one doesn't use.
   * Rejects with the driver's error if the database is unavailable.
   */
  async check(clientId: string, clientSecret: string, environment: Environment): Promise<CredentialCheck> {
    const hmacs = this.secrets.hmacsOf(clientSecret).map((hmac) => sql`${hmac}`);
    const isSent = sql`s.hmac in (${sql.join(hmacs, sql`, `)})`;
    const row = await this.#read(sql`a.client_id = ${CLIENT_ID.test(clientId) ? clientId : ''}`, isSent);
    const secret = row?.secrets[0];
    if (row && row.environment !== environment) return { ok: false, why: 'expired' };
    if (!row || !secret) return { ok: false, why: 'wrong' };
    if (!secret.live || row.state !== 'active') return { ok: false, why: 'expired' };
    if (secret.unused) await this.#used(secret.id);
    return { ok: true, policy: this.#policyOf(row), secretId: secret.id };
  }

  /**
   * Compares FORECOURT_SECRET with the newest secrets of clients of this environment; the demo applications get theirs from it. Throws an Error
   * that names the settings if all were stored with another one: the gateway must then not start, because it would reject the valid secrets of all clients.
   */
  async checkSecret(environment: Environment): Promise<void> {
    const rows = await this.database.rows<SecretHolder & { readonly hmac: string; readonly sealed: string }>(sql`
      select s.hmac, s.sealed, s.application_id as "applicationId", a.environment from client_secrets s join applications a on a.id = s.application_id
      where s.sealed is not null and a.environment = ${environment} and not starts_with(a.id, 'app_demo') order by s.created_at desc limit 5`);
    if (rows.length === 0 || rows.some((row) => this.secrets.isOwn(row, row) !== false)) return;
    throw new Error(
      "the client secrets in the database were stored with another FORECOURT_SECRET than this gateway's, which would reject all of them. Start it with the FORECOURT_SECRET or FORECOURT_SECRET_FILE of the other gateways, or, to change it, as described in docs/configuration.md#change-the-secret; a line break at the end of FORECOURT_SECRET counts as part of it",
    );
  }

  /**
   * The current policy of an application; undefined if the application or the secret (absent = any) is no longer
   * active.
   */
  async policyNow(clientId: string, secretId?: string): Promise<ApplicationPolicy | undefined> {
    const row = await this.#read(sql`a.client_id = ${clientId}`, sql`s.id = ${secretId ?? null}`);
    const isGood = row?.state === 'active' && (secretId === undefined || row.secrets.some(({ live }) => live));
    return row && isGood ? this.#policyOf(row) : undefined;
  }

  /** The current policy of an application in any state; undefined if the id is unknown. */
  async policyOf(applicationId: string): Promise<ApplicationPolicy | undefined> {
    const row = await this.#read(sql`a.id = ${applicationId}`);
    return row && this.#policyOf(row);
  }

  /**
   * The policy of an account's own application, for a token that its owner requests without the secret; undefined if
   * the account has no such application or it is not active in this environment. Rejects with the driver's error if the
   * database is unavailable.
   */
  async policyOfOwn(
    applicationId: string,
    accountId: string,
    environment: Environment,
  ): Promise<ApplicationPolicy | undefined> {
    const row = await this.#read(sql`a.id = ${applicationId} and a.account_id = ${accountId}`);
    return row?.state === 'active' && row.environment === environment ? this.#policyOf(row) : undefined;
  }

  /** `isAsked` selects from the secrets of the application, `s`. */
  async #read(condition: SQL, isAsked: SQL = sql`false`): Promise<ApplicationRow | undefined> {
    const [row] = await this.database.rows<ApplicationRow>(
      sql`
      select a.id, a.account_id, a.client_id, a.environment, a.tier, c.tier as account_tier, a.state, a.default_scenario, a.allowed_origins,
        (select coalesce(json_agg(json_build_object(
            'id', s.id,
            'live', s.revoked_at is null and (s.expires_at is null or s.expires_at > now()),
            'unused', s.last_used_at is null or s.last_used_at < date_trunc('minute', now()))), '[]')
          from client_secrets s where s.application_id = a.id and ${isAsked}) as secrets,
        (select coalesce(json_agg(u.product_id order by u.product_id), '[]') from subscriptions u where u.application_id = a.id) as products
      from applications a join accounts c on c.id = a.account_id where ${condition}`,
      { keepsPlan: true },
    );
    return row;
  }

  async #used(secretId: string): Promise<void> {
    const noted = this.database.rows(sql`update client_secrets set last_used_at = date_trunc('minute', now())
      where id = ${secretId} and (last_used_at is null or last_used_at < date_trunc('minute', now()))`);
    await aside(noted);
  }

  #policyOf(row: ApplicationRow): ApplicationPolicy {
    return {
      accountId: row.account_id,
      applicationId: row.id,
      clientId: row.client_id,
      environment: row.environment,
      limits: this.products.limitsOf(row.tier, row.account_tier),
      products: row.products,
      ...(row.default_scenario === null ? {} : { defaultScenario: row.default_scenario }),
      ...(row.allowed_origins.length === 0 ? {} : { allowedOrigins: row.allowed_origins }),
    };
  }
}
