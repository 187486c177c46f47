import { createHmac, type KeyObject, randomInt } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { and, arrayOverlaps, eq, lt, type SQL, sql } from 'drizzle-orm';
import { CONFIG, type Config, KEYS, type Keys } from '../config/config.module.js';
import { type AcceptedKeys, acceptedKeys } from '../config/keys.js';
import { SealedTexts } from '../config/sealed-text.js';
import { changeBy, endBy } from '../database/actor.js';
import { recordAudit } from '../database/audit.js';
import type { Database } from '../database/database.js';
import { DATABASE } from '../database/database.module.js';
import { secondFactors } from '../database/schema.js';
import { AccountMail } from './account-mail.js';
import { BackgroundTasks } from './background-tasks.js';
import { factorPlace } from './factor-resealing.js';
import { SessionsService, type Visitor } from './sessions.service.js';
import { newTotpSecret, stepOfCode, totpUri } from './totp.js';

/** A secret for an authenticator app that is not active yet. */
export interface FactorOffer {
  /** Base32. */
  readonly secret: string;
  readonly uri: string;
  /** The secret for the form that confirms it, readable only by gateways and only for this account. */
  readonly sealed: string;
}

/** `used`: the code was correct, but it has been used before. */
export type CodeCheck = 'right' | 'wrong' | 'used';

/** A new second factor: the recovery codes, shown once, and the Set-Cookie header of the only remaining session. */
export interface NewFactor {
  readonly recoveryCodes: readonly string[];
  readonly cookie: string;
}

const RECOVERY_CODES = 10;
/** Without characters that look alike. Ten of them have 49 bits. */
const ALPHABET = '23456789abcdefghjkmnpqrstuvwxyz';
const RECOVERY_CODE_LENGTH = 10;

/**
 * Second factors: codes of an authenticator app (TOTP, RFC 6238), and recovery codes for when the device is lost. Each
 * code works once. Each change and its row of audit_events are one transaction. Callers must count attempts first
 * (portal/accounts/attempts.ts).
 */
@Injectable()
export class SecondFactors {
  readonly #sealed: SealedTexts;
  readonly #codeKeys: AcceptedKeys;

  constructor(
    @Inject(DATABASE) private readonly database: Database,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(KEYS) keys: Keys,
    private readonly sessions: SessionsService,
    private readonly mail: AccountMail,
    private readonly backgroundTasks: BackgroundTasks,
  ) {
    this.#sealed = new SealedTexts(config, keys, 'CLIENT_SECRET_KEYS');
    this.#codeKeys = acceptedKeys(keys, 'recovery_code');
  }

  /** A new secret for an authenticator app. Nothing is stored until `enroll`. */
  offer({ accountId, email }: Visitor): FactorOffer {
    const secret = newTotpSecret();
    return this.#offerOf(secret, this.#sealed.seal(secret, offerPlace(accountId)), email);
  }

  /** The offer that a form sent back; undefined if it is not one of this account. */
  offerIn(sealed: string, { accountId, email }: Visitor): FactorOffer | undefined {
    try {
      return this.#offerOf(this.#sealed.open(sealed, offerPlace(accountId)), sealed, email);
    } catch {
      // Altered, of another account, or sealed with a key that was removed: the form gets a new one.
      return undefined;
    }
  }

  /**
   * Turns the second factor on if the code is correct, and ends all sessions, because they began without it.
   * `expired`: the session of `cookie` was revoked, or the account has a second factor. Throws SessionRevokedError if all
   * sessions were revoked.
   */
  async enroll(
    visitor: Visitor,
    { secret }: FactorOffer,
    code: string,
    cookie: string | undefined,
  ): Promise<NewFactor | 'wrong' | 'expired'> {
    const { accountId } = visitor;
    const lastStep = stepOfCode(secret, plain(code));
    if (lastStep === undefined) return 'wrong';
    if (!(await this.sessions.take(cookie))) return 'expired';
    const recoveryCodes = newRecoveryCodes();
    const generation = await changeBy(this.database, visitor, async (tx) => {
      const sealed = this.#sealed.seal(secret, factorPlace(accountId));
      const values = { accountId, sealed, lastStep, recoveryCodes: this.#digestsOf(accountId, recoveryCodes) };
      const added = await tx.insert(secondFactors).values(values).onConflictDoNothing().returning();
      if (added.length === 0) return undefined;
      await recordAudit(
        { tables: tx, environment: this.config.environment },
        { actor: accountId, action: 'second_factor_added', subject: accountId },
      );
      return await this.sessions.endAll(accountId, tx);
    });
    if (generation === undefined) return 'expired';
    this.backgroundTasks.run('second factor email', () => this.mail.sendSecondFactorAdded(visitor));
    return { recoveryCodes, cookie: await this.sessions.begin(accountId, generation) };
  }

  /** Checks a code of the app or a recovery code, and uses it up. */
  async check(account: Pick<Visitor, 'accountId' | 'name' | 'email'>, code: string): Promise<CodeCheck> {
    const text = plain(code);
    if (!/^\d{6}$/.test(text)) return await this.#useRecoveryCode(account, text);
    const { accountId } = account;
    const [row] = await this.database.tables
      .select({ sealed: secondFactors.sealed })
      .from(secondFactors)
      .where(eq(secondFactors.accountId, accountId));
    const step = row && stepOfCode(this.#sealed.open(row.sealed, factorPlace(accountId)), text);
    if (step === undefined) return 'wrong';
    // Only one of several concurrent uses of a code moves the step on.
    const isUnused = and(eq(secondFactors.accountId, accountId), lt(secondFactors.lastStep, step));
    const moved = await this.database.tables.update(secondFactors).set({ lastStep: step }).where(isUnused).returning();
    return moved.length > 0 ? 'right' : 'used';
  }

  /**
   * Replaces the recovery codes if the code is correct, and returns the new ones. Throws SessionRevokedError if the
   * visitor's sessions were revoked: then the code is used up and nothing else changes.
   */
  async replaceRecoveryCodes(visitor: Visitor, code: string): Promise<readonly string[] | Exclude<CodeCheck, 'right'>> {
    const check = await this.check(visitor, code);
    if (check !== 'right') return check;
    const { accountId } = visitor;
    const recoveryCodes = newRecoveryCodes();
    await changeBy(this.database, visitor, async (tx) => {
      await tx
        .update(secondFactors)
        .set({ recoveryCodes: this.#digestsOf(accountId, recoveryCodes) })
        .where(eq(secondFactors.accountId, accountId));
      await recordAudit(
        { tables: tx, environment: this.config.environment },
        { actor: accountId, action: 'recovery_codes_replaced', subject: accountId },
      );
    });
    return recoveryCodes;
  }

  /** Turns the second factor off if the code is correct. Throws the same error. */
  async remove(visitor: Visitor, code: string): Promise<CodeCheck> {
    const check = await this.check(visitor, code);
    if (check !== 'right') return check;
    const { accountId } = visitor;
    await endBy(this.database, visitor, async (tx) => {
      await tx.delete(secondFactors).where(eq(secondFactors.accountId, accountId));
      await recordAudit(
        { tables: tx, environment: this.config.environment },
        { actor: accountId, action: 'second_factor_removed', subject: accountId },
      );
    });
    this.backgroundTasks.run('second factor email', () => this.mail.sendSecondFactorRemoved(visitor));
    return 'right';
  }

  /** How many recovery codes are left; undefined if the account has no second factor. */
  async recoveryCodesLeft(accountId: string): Promise<number | undefined> {
    const [row] = await this.database.tables
      .select({ recoveryCodes: secondFactors.recoveryCodes })
      .from(secondFactors)
      .where(eq(secondFactors.accountId, accountId));
    return row?.recoveryCodes.length;
  }

  /** Only one of several concurrent uses of a code removes it. */
  async #useRecoveryCode(account: Pick<Visitor, 'accountId' | 'name' | 'email'>, text: string): Promise<CodeCheck> {
    const { accountId } = account;
    const digests = this.#codeKeys.map((key) => digestOf(accountId, text, key));
    const others = digests.reduce<SQL>(
      (codes, digest) => sql`array_remove(${codes}, ${digest})`,
      sql`${secondFactors.recoveryCodes}`,
    );
    const left = await this.database.tables.transaction(async (tx) => {
      const [row] = await tx
        .update(secondFactors)
        .set({ recoveryCodes: others })
        .where(and(eq(secondFactors.accountId, accountId), arrayOverlaps(secondFactors.recoveryCodes, digests)))
        .returning({ recoveryCodes: secondFactors.recoveryCodes });
      if (!row) return undefined;
      const after = { left: row.recoveryCodes.length };
      await recordAudit(
        { tables: tx, environment: this.config.environment },
        { actor: accountId, action: 'recovery_code_used', subject: accountId, after },
      );
      return after.left;
    });
    if (left === undefined) return 'wrong';
    this.backgroundTasks.run('recovery code email', () => this.mail.sendRecoveryCodeUsed(account, left));
    return 'right';
  }

  #offerOf(secret: string, sealed: string, email: string): FactorOffer {
    const issuer = this.config.environment === 'sandbox' ? 'Forecourt sandbox' : 'Forecourt';
    return { secret, sealed, uri: totpUri(secret, issuer, email) };
  }

  #digestsOf(accountId: string, recoveryCodes: readonly string[]): string[] {
    return recoveryCodes.map((code) => digestOf(accountId, plain(code), this.#codeKeys[0]));
  }
}

function digestOf(accountId: string, text: string, key: KeyObject): string {
  return createHmac('sha256', key).update(`${accountId}\n${text}`).digest('base64url');
}

/** `abcde-fghjk`. */
function newRecoveryCodes(): readonly string[] {
  const character = (): string => ALPHABET.charAt(randomInt(ALPHABET.length));
  return Array.from({ length: RECOVERY_CODES }, () => {
    const text = Array.from({ length: RECOVERY_CODE_LENGTH }, character).join('');
    return `${text.slice(0, RECOVERY_CODE_LENGTH / 2)}-${text.slice(RECOVERY_CODE_LENGTH / 2)}`;
  });
}

/** A code as people may type it, without blanks and hyphens. */
function plain(code: string): string {
  return code.normalize('NFKC').toLowerCase().replace(/[\s-]/g, '');
}

function offerPlace(accountId: string): string {
  return `second_factor_offer:${accountId}`;
}
