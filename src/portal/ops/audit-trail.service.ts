import { Inject, Injectable } from '@nestjs/common';
import { inArray } from 'drizzle-orm';
import { CONFIG, type Config, KEYS, type Keys } from '../../config/config.module.js';
import { type AcceptedKeys, acceptedKeys } from '../../config/keys.js';
import { verifyAudit } from '../../database/audit-chain.js';
import { type AuditFilter, AuditLog, type AuditRecord } from '../../database/audit-log.js';
import type { Database } from '../../database/database.js';
import { DATABASE } from '../../database/database.module.js';
import { accounts } from '../../database/schema.js';

/** A page verifies at least so many of the newest events; `gw audit verify` verifies all. */
const VERIFIED = 2_000;

/** A change with the name of the person or program that made it. */
export interface NamedChange extends AuditRecord {
  /** The name of the account; otherwise the actor as it is recorded. */
  readonly who: string;
}

/** What the verification of the newest events found. */
export interface ChainCheck {
  /** Events that agree with their seals. */
  readonly events: number;
  /** The last seal that is right; undefined for an empty log. */
  readonly head: number | undefined;
  /** The first thing that is wrong; undefined = nothing. */
  readonly problem: string | undefined;
}

/** Reads the audit log for its page. Rejects with the driver's error if the database is unavailable. */
@Injectable()
export class AuditTrail {
  readonly #keys: AcceptedKeys;

  constructor(
    @Inject(DATABASE) private readonly database: Database,
    @Inject(CONFIG) private readonly config: Pick<Config, 'environment'>,
    @Inject(KEYS) keys: Keys,
  ) {
    this.#keys = acceptedKeys(keys, 'audit_checkpoint');
  }

  /** Newest first. */
  async list(filter: AuditFilter): Promise<readonly NamedChange[]> {
    const records = await new AuditLog(this.database, this.config.environment).list(filter);
    const ids = [...new Set(records.map(({ actor }) => actor))].filter((id) => id.startsWith('acc_'));
    const named = ids.length === 0 ? [] : await this.#names(ids);
    const names = new Map(named.map(({ id, name }) => [id, name]));
    return records.map((record) => ({ ...record, who: names.get(record.actor) || record.actor }));
  }

  /** All events in the order of the chain, one JSON object per line (docs/audit-log.md#in-an-export). */
  export(): AsyncIterable<string> {
    return new AuditLog(this.database, this.config.environment).export();
  }

  /** Computes the chain of the newest events again, from a checkpoint with the right signature before them or the beginning. */
  async verify(): Promise<ChainCheck> {
    const { environment } = this.config;
    const { events, head, problem } = await verifyAudit(this.database, environment, this.#keys, { newest: VERIFIED });
    return { events, head: head?.sequence, problem: problem && problemText(problem) };
  }

  #names(ids: readonly string[]) {
    const { id, name } = accounts;
    return this.database.tables
      .select({ id, name })
      .from(accounts)
      .where(inArray(id, [...ids]));
  }
}

function problemText({
  sequence,
  event,
  message,
}: {
  readonly sequence: number | null;
  readonly event: string | null;
  readonly message: string;
}): string {
  return `${sequence === null ? '' : `Seal ${sequence}, `}event ${event ?? 'unknown'}: ${message}.`;
}
