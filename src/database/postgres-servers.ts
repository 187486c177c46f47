import pg from 'pg';
import { type DatabaseServer, parseDatabaseUrl } from '../config/database-url.js';
import { statedFault } from './database-fault.js';

/** SQLSTATE of a write that a standby or a read-only session refuses. */
const READ_ONLY = '25006';
const UNREACHABLE = '08001';

/** Why no server of a URL can be used, with the reason of each. `code` is that of the most important reason. */
export class NoServerError extends Error {
  readonly code: string;

  constructor(failures: readonly { readonly server: DatabaseServer; readonly error: unknown }[]) {
    const reasons = failures.map(({ server, error }) => `${server.name}: ${reasonOf(error)}`);
    super(`no server accepts writes: ${reasons.join('; ')}`);
    this.name = 'NoServerError';
    const codes = failures.map(({ error }) => codeOf(error) ?? UNREACHABLE);
    this.code = codes.find((code) => code !== READ_ONLY) ?? READ_ONLY;
  }
}

/** A server that answers but accepts only reads, such as a standby. */
class ReadOnlyServerError extends Error {
  readonly code = READ_ONLY;

  constructor() {
    super('accepts only reads (a standby, or default_transaction_read_only)');
  }
}

/** What the servers know about a connection: to which of them it leads, and how often that one had failed before. */
interface Origin {
  readonly server: DatabaseServer;
  readonly failures: number;
}

/**
 * The servers of a URL, and which of them a new connection tries first: the last one that accepted writes. It learns from every
 * connection of its pool.
 */
export class PostgresServers {
  readonly needsWrites: boolean;
  readonly #servers: readonly DatabaseServer[];
  #first = 0;
  readonly #failures = new Map<DatabaseServer, { count: number; error: unknown }>();
  readonly #origins = new WeakMap<pg.ClientBase, Origin>();

  constructor(url: string) {
    const { servers, needsWrites } = parseDatabaseUrl(url);
    this.#servers = servers;
    this.needsWrites = needsWrites;
  }

  get count(): number {
    return this.#servers.length;
  }

  /** The server that the next connection tries. */
  get next(): DatabaseServer {
    return this.#servers[this.#first] as DatabaseServer;
  }

  /** Notes where a new connection leads. */
  made(client: pg.ClientBase, server: DatabaseServer): void {
    this.#origins.set(client, { server, failures: this.#countOf(server) });
  }

  /**
   * Notes why a connection, or a statement on it, failed. Connections to a server that doesn't answer or accepts only reads are
   * not used again, and the next connection tries another server. What is known of a server already isn't news.
   */
  failed(client: pg.ClientBase, error: unknown): void {
    const { server } = this.#origins.get(client) ?? {};
    // One broken connection is reported up to three times, and some time after others were made that work.
    if (!server || this.isOutdated(client)) return;
    // A server that is only full keeps the connections that it has.
    this.#failures.set(server, { count: this.#countOf(server) + (isServerFault(error) ? 1 : 0), error });
    if (this.next === server) this.#first = (this.#first + 1) % this.count;
  }

  /** Whether the server of a connection has failed since it was made, so that it must not be used again. */
  isOutdated(client: pg.ClientBase): boolean {
    const origin = this.#origins.get(client);
    return origin !== undefined && origin.failures < this.#countOf(origin.server);
  }

  /** `error` for one server; for several, one that names them all. */
  failure(error: unknown): unknown {
    if (this.count === 1) return error;
    return new NoServerError(
      this.#servers.flatMap((server) => {
        const failure = this.#failures.get(server);
        return failure ? [{ server, error: failure.error }] : [];
      }),
    );
  }

  #countOf(server: DatabaseServer): number {
    return this.#failures.get(server)?.count ?? 0;
  }
}

/**
 * What every statement is written for, whatever the default of the server, the database or the user is: reading again after a lock sees
 * what the other transaction committed, and dates are read in ISO format. All who share a connection want the same.
 */
const SETTINGS = `set_config('default_transaction_isolation', 'read committed', false), set_config('datestyle', 'ISO', false)`;

/**
 * Throws if the server accepts only reads. A connection of a pool also gets SETTINGS and its time limit of statements. Through a pooler,
 * where `pg_backend_pid()` is not that of the greeting, a setting would stay on a connection that others use after it, so that the
 * pooler must have set a time limit; if it has not, `shared` is set. Resolves with whether there is no pooler.
 */
export async function prepareConnection(
  client: pg.ClientBase,
  needsWrites: boolean,
  limits: { readonly own: number; readonly shared: number; readonly answerMs: number },
): Promise<boolean> {
  const text = `select ${isOwn(client)} as is_own, case when ${isOwn(client)} then set_config('statement_timeout', '${limits.own}', false)
      when current_setting('statement_timeout') = '0' then set_config('statement_timeout', '${limits.shared}', false) end,
    ${SETTINGS}, current_setting('transaction_read_only') as read_only`;
  const query: pg.QueryConfig & { query_timeout: number } = { text, query_timeout: limits.answerMs };
  const { rows } = await client.query<{ is_own: boolean; read_only: string }>(query);
  if (needsWrites && rows[0]?.read_only !== 'off') throw new ReadOnlyServerError();
  return rows[0]?.is_own === true;
}

/** Whether a pooler gives the statements of a connection to processes of its choice. */
export async function isThroughPooler(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ is_own: boolean }>(`select ${isOwn(client)} as is_own`);
  return rows[0]?.is_own === false;
}

/** SQL: whether the process that greeted a client is the one that carries out its statement. */
function isOwn(client: pg.ClientBase): string {
  const { processID } = client as unknown as { readonly processID: number };
  return `pg_backend_pid() = ${Number(processID)}`;
}

/**
 * Connects to the first server of a URL that accepts writes, or to its only one. `options` are those of each attempt, which ends
 * after `connectionTimeoutMillis`. Rejects with the driver's error, or with NoServerError if there are several servers.
 */
export async function connectPostgres(
  url: string,
  options: pg.ClientConfig & { readonly connectionTimeoutMillis: number },
): Promise<pg.Client> {
  const { servers, needsWrites } = parseDatabaseUrl(url);
  const failures: { server: DatabaseServer; error: unknown }[] = [];
  for (const server of servers) {
    const client = new pg.Client({ ...options, connectionString: server.url });
    // The failing query reports the error.
    client.on('error', () => undefined);
    try {
      await client.connect();
      if (needsWrites) await refuseReadOnly(client, options.connectionTimeoutMillis);
      return client;
    } catch (error) {
      failures.push({ server, error });
      // It may never answer, so its end isn't awaited.
      void client.end().catch(() => undefined);
    }
  }
  throw servers.length === 1 ? failures[0]?.error : new NoServerError(failures);
}

async function refuseReadOnly(client: pg.Client, answerMs: number): Promise<void> {
  const text = "select current_setting('transaction_read_only') as read_only";
  const query: pg.QueryConfig & { query_timeout: number } = { text, query_timeout: answerMs };
  const { rows } = await client.query<{ read_only: string }>(query);
  if (rows[0]?.read_only !== 'off') throw new ReadOnlyServerError();
}

/**
 * Whether an error says that a connection must not be used again, nor others to its server: that doesn't answer, or accepts only
 * reads. After a timeout of the driver, the answer may still come, and would be given to the next statement. A server that only
 * refuses a new connection, for example because of its password, keeps those that it has.
 */
export function isServerFault(error: unknown): boolean {
  const fault = statedFault(error);
  if (fault === 'unavailable' || fault === 'read_only') return true;
  return fault !== undefined && !(error instanceof pg.DatabaseError);
}

function codeOf(error: unknown): string | undefined {
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error;
  const code = first instanceof Error && 'code' in first ? first.code : undefined;
  return typeof code === 'string' ? code : undefined;
}

function reasonOf(error: unknown): string {
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error;
  return first instanceof Error ? first.message : String(first);
}
