import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { and, asc, eq, isNull, sql } from 'drizzle-orm';
import { changeBy, endBy } from '../database/actor.js';
import { adminKeys } from '../database/admin-tables.js';
import { recordAudit } from '../database/audit.js';
import type { Database } from '../database/database.js';
import { aside } from '../database/database-fault.js';
import { isSignedBy, type ReceivedSignature, type SignedCall } from './message-signature.js';

/** What a key may do: a viewer reads; an operator also changes, and runs commands. */
export const ADMIN_ROLES = ['viewer', 'operator'] as const;
export type AdminRole = (typeof ADMIN_ROLES)[number];

/** How far the time of a signature may be from the database's, in seconds. */
export const MOST_SKEW_SECONDS = 300;
/** How long a nonce is kept after its signature expired: clocks of both statements are the database's. */
const NONCE_MARGIN_SECONDS = 10;

/** A key in a list. */
export interface AdminKeyRow {
  /** `adk_…`. */
  readonly id: string;
  readonly name: string;
  readonly role: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly revokedAt: Date | null;
  /** Accurate to the minute; null = never. */
  readonly lastUsedAt: Date | null;
}

/** Who signed a call. */
export interface Signer {
  readonly id: string;
  readonly name: string;
  readonly role: AdminRole;
}

/** Why a signature isn't accepted; `unknown` also for a wrong signature, so that it doesn't say which keys exist. */
export type SignatureProblem = 'unknown' | 'revoked' | 'expired' | 'skewed' | 'replayed';

/**
 * The keys with which operators of one environment sign calls of the admin API. Only public keys are stored. Every change
 * is audited. Rejects with the driver's error if the database is unavailable.
 */
export class AdminKeys {
  constructor(
    private readonly database: Pick<Database, 'tables' | 'rows'>,
    private readonly environment: 'sandbox' | 'production',
  ) {}

  /** Creates a key pair and returns its id and the private key (PKCS #8, PEM), which is stored nowhere. */
  async create(
    key: { readonly name: string; readonly role: AdminRole; readonly expiresAt: Date },
    actor: string,
  ): Promise<{ readonly id: string; readonly privateKey: string }> {
    const pair = generateKeyPairSync('ed25519');
    const { x = '' } = pair.publicKey.export({ format: 'jwk' });
    const id = `adk_${randomBytes(12).toString('hex')}`;
    const row = { id, environment: this.environment, ...key };
    await changeBy(this.database, actor, async (tx) => {
      await tx.insert(adminKeys).values({ ...row, publicKey: x });
      await recordAudit(
        { tables: tx, environment: this.environment },
        { actor, action: 'admin_key_created', subject: id, after: row },
      );
    });
    return { id, privateKey: pair.privateKey.export({ format: 'pem', type: 'pkcs8' }).toString() };
  }

  /** Oldest first, including revoked and expired ones. */
  async list(): Promise<readonly AdminKeyRow[]> {
    const { id, name, role, createdAt, expiresAt, revokedAt, lastUsedAt } = adminKeys;
    return await this.database.tables
      .select({ id, name, role, createdAt, expiresAt, revokedAt, lastUsedAt })
      .from(adminKeys)
      .where(eq(adminKeys.environment, this.environment))
      .orderBy(asc(createdAt), asc(id));
  }

  /** Revokes a key: its next call is refused. False if there is none with this id, or it is revoked already. */
  async revoke(id: string, actor: string): Promise<boolean> {
    return await endBy(this.database, actor, async (tx) => {
      const isIt = and(eq(adminKeys.environment, this.environment), eq(adminKeys.id, id), isNull(adminKeys.revokedAt));
      const [revoked] = await tx
        .update(adminKeys)
        .set({ revokedAt: sql`now()` })
        .where(isIt)
        .returning({ name: adminKeys.name });
      if (revoked)
        await recordAudit(
          { tables: tx, environment: this.environment },
          { actor, action: 'admin_key_revoked', subject: id, before: revoked },
        );
      return revoked !== undefined;
    });
  }

  /** Accepts a signature once, on every gateway of the database, or returns why not. */
  async accept(call: SignedCall, received: ReceivedSignature): Promise<Signer | SignatureProblem> {
    const [key] = await this.database.rows<{
      name: string;
      role: string;
      publicKey: string;
      isRevoked: boolean;
      isExpired: boolean;
      now: number;
    }>(sql`
      select name, role, public_key as "publicKey", revoked_at is not null as "isRevoked", expires_at <= now() as "isExpired",
        extract(epoch from now())::float8 as now
      from admin_keys where environment = ${this.environment} and id = ${received.keyId}`);
    if (!key || !isSignedBy(key.publicKey, call, received)) return 'unknown';
    if (key.isRevoked) return 'revoked';
    if (key.isExpired) return 'expired';
    const isOver = received.expires !== undefined && received.expires < key.now;
    if (isOver || Math.abs(key.now - received.created) > MOST_SKEW_SECONDS) return 'skewed';
    if (!(await this.#useNonce(received))) return 'replayed';
    // A newer version of the gateway may have stored a role that this one doesn't know.
    return { id: received.keyId, name: key.name, role: ADMIN_ROLES.find((role) => role === key.role) ?? 'viewer' };
  }

  /** False if the nonce was used before. Forgets those whose signatures expired. */
  async #useNonce({ keyId, nonce, created }: ReceivedSignature): Promise<boolean> {
    const until = created + MOST_SKEW_SECONDS + NONCE_MARGIN_SECONDS;
    const stored = this.database.rows(sql`
      with forgotten as (delete from admin_nonces where expires_at < now()),
      noted as (update admin_keys set last_used_at = now()
        where id = ${keyId} and coalesce(last_used_at < now() - interval '1 minute', true))
      insert into admin_nonces (key_id, nonce, expires_at) values (${keyId}, ${nonce}, to_timestamp(${until}::float8))
      on conflict do nothing returning nonce`);
    return (await aside(stored)).length === 1;
  }
}
