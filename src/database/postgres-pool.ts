import pg from 'pg';
import { databaseFault, happened, onlyReads } from './database-fault.js';
import { keepPlans } from './kept-plans.js';
import { isServerFault, PostgresServers, prepareConnection } from './postgres-servers.js';

/** How many connections a pool has, and its time limits. */
export interface PoolLimits {
  readonly max: number;
  /** How long PostgreSQL works on a statement. */
  readonly statementMs: number;
  /** The same for connections that a pooler shares. */
  readonly sharedStatementMs: number;
  /** How long the answer to a statement is awaited. */
  readonly answerMs: number;
}

/** How long a server may take for each of: the connection, and saying that it accepts writes. Also the wait for a free connection. */
const CONNECT_MS = 2_000;
/** How long a server has to close a connection after the goodbye. */
const GOODBYE_MS = 1_000;

const BEGIN = /^\s*begin\b/i;
const COMMIT = /^\s*commit\s*$/i;
const ROLLBACK = /^\s*rollback\s*$/i;

type Taken = (error: Error | undefined, client: pg.PoolClient | undefined, release: pg.PoolClient['release']) => void;

/**
 * A pool over the servers of a URL (decision 0045): a new connection tries them until one accepts writes. A connection whose
 * statement failed because of its server is not used again, even after drizzle's `transaction()`, which releases it without the error.
 */
export class PostgresPool extends pg.Pool {
  readonly #servers: PostgresServers;
  /** All connections that aren't closed, including those that the pool has given up. */
  readonly #unclosed = new Set<pg.PoolClient>();

  constructor(url: string, { max, statementMs, sharedStatementMs, answerMs }: PoolLimits) {
    const servers = new PostgresServers(url);
    const limits = { own: statementMs, shared: sharedStatementMs, answerMs: CONNECT_MS };
    const direct = new WeakSet<pg.ClientBase>();
    super({
      max,
      connectionTimeoutMillis: CONNECT_MS,
      query_timeout: answerMs,
      keepAlive: true,
      Client: clientOf(servers),
      // A statement that waits for a lock must end there too: if it went on, it would write after its failure was answered.
      onConnect: async (client) => {
        try {
          if (await prepareConnection(client, servers.needsWrites, limits)) direct.add(client);
        } catch (error) {
          servers.failed(client, error);
          throw error;
        }
      },
    } as pg.PoolConfig);
    this.#servers = servers;
    // A broken idle connection emits an event. The next query opens a new connection.
    this.on('error', () => undefined);
    this.on('connect', (client) => {
      this.#unclosed.add(client.once('end', () => this.#unclosed.delete(client)));
      watch(
        client,
        (error, text) => this.#noted(client, error, text),
        () => direct.has(client),
      );
    });
  }

  /** Closes all connections. One whose other end is gone never closes by itself: it would keep the process from exiting. */
  override end(): Promise<void>;
  override end(ended: () => void): void;
  override end(ended?: () => void): Promise<void> | undefined {
    const end = super.end().then(() => {
      setTimeout(() => {
        for (const { connection } of this.#unclosed) connection.stream.destroy();
      }, GOODBYE_MS).unref();
    });
    if (!ended) return end;
    void end.then(ended);
    return undefined;
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(taken: Taken): void;
  override connect(taken?: Taken): Promise<pg.PoolClient> | undefined {
    const client = this.take();
    if (!taken) return client;
    client.then(
      (one) => taken(undefined, one, one.release),
      (error: Error) => taken(error, undefined, () => undefined),
    );
    return undefined;
  }

  /** Tries each server once, and passes over connections that must not be used again. */
  protected async take(): Promise<pg.PoolClient> {
    for (let tries = 1; ; ) {
      try {
        const client = await super.connect();
        if (!this.#servers.isOutdated(client)) return this.#watched(client);
        client.release(true);
      } catch (error) {
        // No connection became free: other statements are trying the servers.
        if (databaseFault(error) === 'overloaded') throw error;
        if (tries >= this.#servers.count) throw happened('unconnected', this.#servers.failure(error));
        tries += 1;
      }
    }
  }

  #watched(client: pg.PoolClient): pg.PoolClient {
    const release = client.release;
    let isReleased = false;
    client.release = (error) => {
      if (isReleased) return;
      isReleased = true;
      release(error ?? this.#servers.isOutdated(client));
    };
    return client;
  }

  /**
   * drizzle's `transaction()` doesn't release a connection whose `begin` failed: it would be taken until the process ends. One whose
   * `rollback` failed must be closed, so that the server ends the transaction.
   */
  #noted(client: pg.PoolClient, error: unknown, text: string): void {
    if (isServerFault(error)) this.#servers.failed(client, error);
    if (BEGIN.test(text) || ROLLBACK.test(text)) client.release(true);
  }
}

/** A class of clients that each connect to the server whose turn it is. */
function clientOf(servers: PostgresServers): typeof pg.Client {
  return class extends pg.Client {
    constructor(config: pg.ClientConfig = {}) {
      const server = servers.next;
      super({ ...config, connectionString: server.url });
      servers.made(this, server);
      // Without a listener, a connection that ends between two statements of a transaction would end the process.
      this.on('error', (error) => servers.failed(this, error));
    }

    override connect(): Promise<pg.Client>;
    override connect(connected: (error: Error) => void): void;
    override connect(connected?: (error: Error) => void): Promise<pg.Client> | undefined {
      const failed = (error: unknown): void => servers.failed(this, error);
      if (!connected) return super.connect();
      super.connect((error: Error) => {
        if (error) failed(error);
        connected(error);
      });
      return undefined;
    }
  } as unknown as typeof pg.Client;
}

/** The text of a statement, as `query` takes it. */
function textOf(statement: unknown): string {
  return typeof statement === 'string'
    ? statement
    : String((statement as { readonly text?: unknown } | undefined)?.text);
}

/**
 * Calls `failed` with the error of each statement of a client that fails, and its text, before its caller gets it. A `rollback` doesn't
 * fail: drizzle would throw its error in place of the one that ended the transaction. `isDirect`: whether PostgreSQL may keep plans for
 * the connection.
 */
function watch(client: pg.PoolClient, failed: (error: unknown, text: string) => void, isDirect: () => boolean): void {
  const query = keepPlans(client.query.bind(client) as (...words: unknown[]) => unknown, isDirect);
  let hasChanged = false;
  const watched = (...words: unknown[]): unknown => {
    const text = textOf(words[0]);
    const isInTransaction = client.getTransactionStatus() !== 'I';
    const isCommit = COMMIT.test(text);
    const isUncommitted = isInTransaction && !(isCommit && hasChanged);
    if (!isCommit) hasChanged = (isInTransaction && hasChanged) || !onlyReads(text);
    const note = (error: unknown): void => {
      if (isUncommitted) happened('uncommitted', error);
      failed(error, text);
    };
    const last = words.at(-1);
    if (typeof last === 'function') {
      const done = last as (error: unknown, result: unknown) => void;
      return query(...words.slice(0, -1), (error: unknown, result: unknown) => {
        if (error) note(error);
        done(error, result);
      });
    }
    const result = query(...words);
    if (!(result instanceof Promise)) return result;
    result.catch(note);
    return ROLLBACK.test(text) ? result.catch(() => undefined) : result;
  };
  client.query = watched as typeof client.query;
}
