import type pg from 'pg';
import { type DatabaseServer, parseDatabaseUrl } from '../config/database-url.js';
import { connectPostgres, isThroughPooler } from '../database/postgres-servers.js';
import { type Finding, fine, reasonOf, wrong } from './finding.js';

const MOST_MS = 3_000;

const ROLE = `select pg_is_in_recovery() as standby, current_setting('synchronous_standby_names') as names`;
const POOLED = `select current_setting('statement_timeout') as limit, (select reset_val from pg_settings where name = 'default_transaction_isolation') as isolation`;
const ISOLATION = 'read committed';

/** Checks each server of a URL with several: one must be the primary, the others its standbys. No findings for one server. */
export async function checkServers(url: string): Promise<Finding[]> {
  const { servers } = parseDatabaseUrl(url);
  return servers.length === 1 ? [] : Promise.all(servers.map(checkServer));
}

async function checkServer({ name, url }: DatabaseServer): Promise<Finding> {
  const subject = `server ${name}`;
  // Its own URL says that it must accept writes, which a standby must not.
  const any = new URL(url);
  any.searchParams.set('target_session_attrs', 'any');
  let client: pg.Client | undefined;
  try {
    client = await connectPostgres(any.href, { connectionTimeoutMillis: MOST_MS, query_timeout: MOST_MS });
    const { rows } = await client.query<{ standby: boolean; names: string }>(ROLE);
    if (rows[0]?.standby !== false) return fine(subject, 'standby');
    if (rows[0].names !== '') return fine(subject, `primary; its commits wait for a standby (${rows[0].names})`);
    return wrong(
      subject,
      'primary, and its commits do not wait for a standby: a failover may lose bookings that were answered',
      'set synchronous_standby_names once a standby follows',
    );
  } catch (error) {
    return wrong(subject, `is not usable: ${reasonOf(error)}`, 'start it: there is nothing to fail over to without it');
  } finally {
    await client?.end();
  }
}

/**
 * Checks that a pooler in front of the database limits statements, and that its connections have the isolation that gateways need, which
 * they can set only on their own. No findings without a pooler.
 */
export async function checkPooler(client: pg.Client): Promise<Finding[]> {
  if (!(await isThroughPooler(client))) return [];
  const { rows } = await client.query<{ limit: string; isolation: string }>(POOLED);
  const { limit, isolation } = rows[0] ?? {};
  const findings = [
    limit === '0'
      ? wrong(
          'pooler',
          'sets no time limit of statements: one that waits for a lock would be carried out after its failure was answered',
          "add connect_query='set statement_timeout = 4500' to the database in pgbouncer.ini",
        )
      : fine('pooler', `its connections are shared, and end statements after ${limit}`),
  ];
  if (isolation === ISOLATION) return findings;
  const problem = `its connections have default_transaction_isolation '${isolation}', so that PostgreSQL refuses changes made at the same time`;
  const remedy = `alter the role: alter role … set default_transaction_isolation = '${ISOLATION}'`;
  return [...findings, wrong('pooler', problem, remedy)];
}
