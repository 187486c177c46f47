import { createHash } from 'node:crypto';
import { type SQL, sql } from 'drizzle-orm';
import type { Database } from '../database/database.js';
import type { applications } from '../database/schema.js';

/** A production access request as operators see it. Instants are ISO 8601. */
export interface AccessRequestRow {
  readonly id: string;
  readonly state: 'requested' | 'approved' | 'refused';
  /** The developer's description of what goes live. */
  readonly message: string;
  readonly requestedAt: string;
  readonly decidedAt: string | null;
  readonly decision: string | null;
  readonly applicationId: string;
  readonly applicationName: string;
  readonly description: string;
  readonly redirectUrl: string | null;
  /** Key in config/tiers.yaml. */
  readonly tier: string;
  /** Digest of what approval copies to production. It changes with any of it. */
  readonly copied: string;
  readonly accountId: string;
  readonly accountName: string;
  readonly email: string | null;
  /** Ids of the application's current subscriptions. */
  readonly products: readonly string[];
  /** The production application that approval created or changed; of an open request: that it changes. Null = none. */
  readonly productionApplicationId: string | null;
  /** Ids of the current subscriptions of that application; empty without one. */
  readonly productionProducts: readonly string[];
}

/** A page of open requests, oldest first. */
export interface OpenRequests {
  readonly rows: readonly AccessRequestRow[];
  /** Where the next page begins; undefined = there are no more. */
  readonly next: string | undefined;
}

const PAGE_SIZE = 50;
/** `<epoch µs>.<request id>`. */
const CURSOR = /^(\d{1,16})\.(lau_\w{1,40})$/;

/**
 * Up to 50 open requests, oldest first. `after`: the cursor from which the page continues; an unknown one starts with
 * the oldest.
 */
export async function openRequests(database: Database, after?: string): Promise<OpenRequests> {
  const [, at = '0', id = ''] = CURSOR.exec(after ?? '') ?? [];
  const since = sql`timestamptz 'epoch' + ${at}::bigint * interval '1 microsecond'`;
  const rows = await rowsOf(
    database,
    sql`select * from launch_requests
      where state = 'requested' and (requested_at, id) > (${since}, ${id}) order by requested_at, id limit ${PAGE_SIZE + 1}`,
  );
  const shown = rows.slice(0, PAGE_SIZE);
  const last = rows.length > PAGE_SIZE ? shown.at(-1) : undefined;
  return { rows: shown.map(({ cursor: _, ...row }) => row), next: last?.cursor };
}

/** An open request; undefined = there is none with this id. */
export async function openRequest(database: Database, id: string): Promise<AccessRequestRow | undefined> {
  const [found] = await rowsOf(database, sql`select * from launch_requests where state = 'requested' and id = ${id}`);
  if (!found) return undefined;
  const { cursor: _, ...row } = found;
  return row;
}

/** The 50 most recently decided requests, newest first. */
export async function decidedRequests(database: Database): Promise<readonly AccessRequestRow[]> {
  const rows = await rowsOf(
    database,
    sql`select * from launch_requests where state <> 'requested' order by decided_at desc limit ${PAGE_SIZE}`,
  );
  return rows.map(({ cursor: _, ...row }) => row).reverse();
}

/** The rows of `which`, a query of launch_requests, by the time of the decision (open ones: of the request), oldest first. */
async function rowsOf(database: Database, which: SQL): Promise<(AccessRequestRow & { readonly cursor: string })[]> {
  const rows = await database.rows<Omit<AccessRequestRow, 'copied'> & { readonly cursor: string }>(sql`
      with l as materialized (${which})
      select l.id, l.state, l.message, to_json(l.requested_at) as "requestedAt", to_json(l.decided_at) as "decidedAt", l.decision,
        a.id as "applicationId", a.name as "applicationName", a.description, a.redirect_url as "redirectUrl", a.tier,
        c.id as "accountId", c.name as "accountName", c.email,
        (select coalesce(json_agg(u.product_id order by u.product_id), '[]') from subscriptions u where u.application_id = a.id) as products,
        p.id as "productionApplicationId",
        (select coalesce(json_agg(u.product_id order by u.product_id), '[]') from subscriptions u where u.application_id = p.id) as "productionProducts",
        (extract(epoch from l.requested_at) * 1000000)::bigint || '.' || l.id as cursor
      from l join applications a on a.id = l.application_id join accounts c on c.id = a.account_id
        left join applications p on case when l.state = 'requested' then p.launched_from = a.id and p.state <> 'deleted'
          else p.id = l.production_application_id end
      order by coalesce(l.decided_at, l.requested_at), l.id`);
  return rows.map((row) => ({
    ...row,
    copied: digestOf({ ...row, name: row.applicationName }, row.products, row.productionApplicationId),
  }));
}

/** Digest of what approval copies to production. It changes with any of it. */
export function digestOf(
  {
    name,
    description,
    redirectUrl,
    tier,
    accountName,
  }: Pick<typeof applications.$inferSelect, 'name' | 'description' | 'redirectUrl' | 'tier'> &
    Pick<AccessRequestRow, 'accountName'>,
  products: readonly string[],
  productionApplicationId: string | null,
): string {
  const copied = [name, description, redirectUrl, tier, accountName, [...products].sort(), productionApplicationId];
  return createHash('sha256').update(JSON.stringify(copied)).digest('base64url');
}
