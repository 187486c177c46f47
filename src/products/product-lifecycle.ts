import { and, count, eq, sql } from 'drizzle-orm';
import { changeBy, endBy } from '../database/actor.js';
import { type AuditWriter, recordAudit } from '../database/audit.js';
import type { Database, Tables } from '../database/database.js';
import {
  accounts,
  applications,
  betaApplications,
  products,
  productVersions,
  subscriptions,
} from '../database/schema.js';
import { mayBecome, mayBeRestored, outlived, type ProductState, reachesProduction } from './lifecycle.js';
import { isOwn } from './own-versions.js';
import { formatVersion, fulfils, newestFirst, type Version } from './version.js';

/** A version as operators see it. */
export interface VersionRow extends Version {
  readonly productId: string;
  readonly state: ProductState;
  readonly deprecatedAt: Date | null;
  readonly sunsetAt: Date | null;
}

/** A change of a version's state. */
export interface VersionMove {
  readonly productId: string;
  readonly version: Version;
  readonly to: ProductState;
  /** Takes back a retirement; `to` is then deprecated. */
  readonly isUndo?: boolean;
}

/** The effects of a state change, reported before it is made. */
export interface Transition {
  readonly version: VersionRow;
  readonly to: ProductState;
  /** Live versions of earlier majors that the change deprecates; empty unless a new major becomes Live. */
  readonly deprecates: readonly VersionRow[];
  /** The number of subscribed applications, and of those selected for the Beta of the minor. */
  readonly subscribers: number;
  readonly betaApplications: number;
}

/**
 * Moves versions of products through their lifecycle (spec §3.1, §9.6). Each change is checked and audited in one
 * transaction. The states are those of both environments: what production's callers would notice, only production changes (decision 0093).
 * Throws an Error with the reason if a change is not allowed.
 */
export class ProductLifecycle {
  constructor(
    private readonly database: Pick<Database, 'tables'>,
    private readonly environment: 'sandbox' | 'production',
  ) {}

  /** All versions of this environment by product, newest first. */
  async list(): Promise<readonly VersionRow[]> {
    const rows = await this.database.tables.select().from(productVersions).where(isOwn(this.environment));
    return rows.map(toVersionRow).sort((a, b) => a.productId.localeCompare(b.productId) || newestFirst(a, b));
  }

  /** The effects that `move` would have now. */
  async plan(move: VersionMove): Promise<Transition> {
    const tx = this.database.tables;
    const { productId, version, to } = move;
    const { current, deprecates } = check(await rowsOf(tx, productId, this.environment), move);
    await this.#requireProduction(tx, to);
    const [subscribed] = await tx
      .select({ count: count() })
      .from(subscriptions)
      .where(eq(subscriptions.productId, productId));
    const [selected] = await tx.select({ count: count() }).from(betaApplications).where(ofMinor(productId, version));
    return {
      version: current,
      to,
      deprecates,
      subscribers: subscribed?.count ?? 0,
      betaApplications: selected?.count ?? 0,
    };
  }

  /** `sunsetAt` is when the versions that become deprecated will be retired; undefined if not yet known. */
  async move(move: VersionMove, actor: string, sunsetAt?: Date): Promise<void> {
    const { productId, to } = move;
    await changeBy(this.database, actor, async (tx) => {
      // Changes of one product run one after the other, so each sees the results of the previous one.
      await tx.select().from(products).where(eq(products.id, productId)).for('update');
      const { current } = check(await rowsOf(tx, productId, this.environment), move);
      await this.#requireProduction(tx, to);
      const writer = { tables: tx, environment: this.environment };
      await (move.isUndo ? writeRestored(writer, current, actor) : writeState(writer, current, to, actor, sunsetAt));
      await deprecateOutlived(tx, this.environment, productId, actor, sunsetAt);
      await writeProductState(tx, productId);
    });
  }

  /** Adds a sandbox application to the Beta of a minor version; false = it was already added. */
  async selectForBeta(productId: string, version: Version, applicationId: string, actor: string): Promise<boolean> {
    return changeBy(this.database, actor, async (tx) => {
      const { state } = find(await rowsOf(tx, productId, this.environment), version);
      if (state !== 'designed' && state !== 'beta')
        throw new Error(`${formatVersion(version)} is ${state}: only designed and beta versions have a Beta`);
      const [application] = await tx.select().from(applications).where(eq(applications.id, applicationId));
      if (!application) throw new Error(`there is no application ${applicationId}`);
      if (application.environment !== 'sandbox')
        throw new Error(
          `${applicationId} belongs to ${application.environment}: Betas are available only in the sandbox`,
        );
      const { major, minor } = version;
      const added = await tx
        .insert(betaApplications)
        .values({ applicationId, productId, major, minor })
        .onConflictDoNothing()
        .returning();
      if (added.length > 0)
        await auditBeta(
          { tables: tx, environment: this.environment },
          actor,
          'beta_application_added',
          productId,
          version,
          applicationId,
        );
      return added.length > 0;
    });
  }

  /** Removes an application from a Beta; false = it was not in it. */
  async dropFromBeta(productId: string, version: Version, applicationId: string, actor: string): Promise<boolean> {
    return endBy(this.database, actor, async (tx) => {
      find(await rowsOf(tx, productId, this.environment), version);
      const gone = await tx
        .delete(betaApplications)
        .where(and(ofMinor(productId, version), eq(betaApplications.applicationId, applicationId)))
        .returning();
      if (gone.length > 0)
        await auditBeta(
          { tables: tx, environment: this.environment },
          actor,
          'beta_application_removed',
          productId,
          version,
          applicationId,
        );
      return gone.length > 0;
    });
  }

  async #requireProduction(tx: Tables, to: ProductState): Promise<void> {
    if (reachesProduction(to) && (await isForeign(tx, this.environment)))
      throw new Error(
        'this database also serves production, whose callers would notice the change: make it there, with a gateway or gw with FORECOURT_ENV=production',
      );
  }
}

/** Whether callers of another environment than this one, of production, use the same versions: it has accounts there. */
export async function isForeign(tx: Tables, environment: 'sandbox' | 'production'): Promise<boolean> {
  if (environment === 'production') return false;
  const inProduction = eq(accounts.environment, 'production');
  return (await tx.select({ id: accounts.id }).from(accounts).where(inProduction).limit(1)).length > 0;
}

/**
 * Deprecates versions that a newer Live major replaces; nothing in a sandbox whose database also serves production (decision 0093).
 * Must run in a transaction.
 */
export async function deprecateOutlived(
  tx: Tables,
  environment: 'sandbox' | 'production',
  productId: string,
  actor: string,
  sunsetAt?: Date,
): Promise<void> {
  if (await isForeign(tx, environment)) return;
  for (const version of outlived(await rowsOf(tx, productId, environment)))
    await writeState({ tables: tx, environment }, version, 'deprecated', actor, sunsetAt);
}

/** Sets products.state to the most available state of its versions, without those of the sandbox only. */
export async function writeProductState(tx: Tables, productId: string): Promise<void> {
  const order: ProductState[] = ['live', 'deprecated', 'beta', 'designed'];
  const states = (await rowsOf(tx, productId, 'production')).map((version) => version.state);
  const state = order.find((one) => states.includes(one)) ?? 'retired';
  await tx.update(products).set({ state }).where(eq(products.id, productId));
}

async function rowsOf(tx: Tables, productId: string, environment: 'sandbox' | 'production'): Promise<VersionRow[]> {
  const isIt = and(eq(productVersions.productId, productId), isOwn(environment));
  const rows = await tx.select().from(productVersions).where(isIt);
  return rows.map(toVersionRow).sort(newestFirst);
}

/** Only this room writes the column. */
export function toVersionRow(row: typeof productVersions.$inferSelect): VersionRow {
  return { ...row, state: row.state as ProductState };
}

function find(rows: readonly VersionRow[], version: Version): VersionRow {
  const found = rows.find((row) => fulfils(row, version));
  if (found) return found;
  const known = rows.map(formatVersion).join(', ') || 'none: check the product id, and start the gateway once';
  throw new Error(`there is no ${formatVersion(version)}; known versions: ${known}`);
}

function check(
  rows: readonly VersionRow[],
  { version, to, isUndo }: VersionMove,
): { current: VersionRow; deprecates: readonly VersionRow[] } {
  const current = find(rows, version);
  if (isUndo && !mayBeRestored(current.state))
    throw new Error(`${formatVersion(version)} is ${current.state}: only a retired version can be restored`);
  if (!isUndo && !mayBecome(current.state, to))
    throw new Error(`${formatVersion(version)} is ${current.state}: it cannot become ${to}`);
  const after = rows.map((row) => (row === current ? { ...row, state: to } : row));
  const deprecates = outlived(after);
  if (deprecates.some((row) => fulfils(row, version))) {
    throw new Error(
      `${formatVersion(version)} cannot become live because a later major is live. Ship it as deprecated in config/products.yaml.`,
    );
  }
  return { current, deprecates };
}

async function writeState(
  writer: AuditWriter,
  version: VersionRow,
  to: ProductState,
  actor: string,
  sunsetAt: Date | undefined,
): Promise<void> {
  const deprecation = to === 'deprecated' ? { deprecatedAt: sql`now()`, sunsetAt: sunsetAt ?? null } : {};
  await writer.tables
    .update(productVersions)
    .set({ state: to, ...deprecation })
    .where(isVersion(version));
  const sunset = to === 'deprecated' && sunsetAt !== undefined ? { sunset_at: sunsetAt.toISOString() } : {};
  await auditState(writer, version, actor, `version_${to}`, { state: to, ...sunset });
}

/** Keeps the dates, so that the version is available to the same applications as before it was retired. */
async function writeRestored(writer: AuditWriter, version: VersionRow, actor: string): Promise<void> {
  const deprecatedAt = sql`coalesce(${productVersions.deprecatedAt}, now())`;
  await writer.tables.update(productVersions).set({ state: 'deprecated', deprecatedAt }).where(isVersion(version));
  await auditState(writer, version, actor, 'version_restored', { state: 'deprecated' });
}

export async function auditState(
  writer: AuditWriter,
  version: VersionRow,
  actor: string,
  action: string,
  after: object,
): Promise<void> {
  const { productId, state } = version;
  const event = { actor, action, subject: `${productId} ${formatVersion(version)}` };
  await recordAudit(writer, { ...event, before: { state }, after });
}

export function isVersion({ productId, major, minor, patch }: VersionRow) {
  return and(
    eq(productVersions.productId, productId),
    eq(productVersions.major, major),
    eq(productVersions.minor, minor),
    eq(productVersions.patch, patch),
  );
}

function ofMinor(productId: string, { major, minor }: Version) {
  return and(
    eq(betaApplications.productId, productId),
    eq(betaApplications.major, major),
    eq(betaApplications.minor, minor),
  );
}

async function auditBeta(
  writer: AuditWriter,
  actor: string,
  action: string,
  productId: string,
  version: Version,
  applicationId: string,
): Promise<void> {
  await recordAudit(writer, {
    actor,
    action,
    subject: `${productId} ${formatVersion(version)}`,
    after: { application: applicationId },
  });
}
