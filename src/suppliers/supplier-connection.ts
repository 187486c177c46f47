import type { SupplierConfig } from '../config/supplier-config.schema.js';
import type { Exchange } from '../metrics/request-trace.js';
import {
  type Operation,
  type SupplierAdapter,
  type SupplierContext,
  SupplierError,
  type SupplierHttp,
  type SupplierHttpAnswer,
  type SupplierHttpCall,
  type SupplierSession,
} from '../model/supplier.js';
import { type CallHandle, SupplierHttpClient } from './http-client.js';
import type { CallProgress } from './resilience/operation-policy.js';
import type { SupplierPolicy } from './resilience/supplier-policy.js';

/** What a call carries to a simulated supplier: the scenario verb and seed, as header values. Undefined to a real one. */
export interface SimulationHeaders {
  readonly directive?: string;
  readonly seed?: number;
}

/** What a scenario wants of one supplier, as its simulator is told; a supplier that is real is told nothing. */
export function simulationHeaders(
  config: SupplierConfig,
  { directive, seed }: { readonly directive?: string | undefined; readonly seed?: number | undefined },
): SimulationHeaders {
  if (!config.isSimulated) return {};
  return { ...(directive === undefined ? {} : { directive }), ...(seed === undefined ? {} : { seed }) };
}

/** Bounds of one call of an operation; instants of performance.now. */
export interface CallBounds {
  readonly operation: Operation;
  /** When its time is up. */
  readonly endsAtMs: number;
  /** After it no write begins any more. */
  readonly notAfterMs?: number;
}

/** How a connection is kept safe; what is absent is left out, as in the contract kit, which judges the adapter alone. */
export interface ConnectionRules {
  /** Breaker, retries, bulkhead and quota of the supplier. */
  readonly policy?: SupplierPolicy;
  /** Whether it connects to public addresses only. */
  readonly publicOnly?: boolean;
}

/** One open call of an operation. */
export interface OpenCall {
  readonly context: SupplierContext;
  /** Does the operation's work under the supplier's policy: not at all, once, or where that is safe twice. Rejects as the work does. */
  run<T>(work: () => Promise<T>): Promise<T>;
  /** Ends every HTTP call it has under way. */
  abort(error: SupplierError): void;
  /** Whether an HTTP call that must not be repeated may have left, wholly or in part. */
  mayHaveWritten(): boolean;
  /** Its HTTP calls in the order in which they were asked for; grows while it runs. */
  readonly exchanges: readonly Exchange[];
}

/** Headers of calls, until `renewAt` (epoch milliseconds) or the supplier's first 401, which sets it to the past. */
interface Session {
  readonly headers: Readonly<Record<string, string>>;
  renewAt: number;
}

let connections = 0;

/**
 * The way to one supplier: its pool, its session (fetched once for all callers, renewed before it ends, once more after a 401) and the
 * per-operation contexts its adapter works with.
 */
export class SupplierConnection {
  readonly #client: SupplierHttpClient;
  /** Calls that play a scenario have sockets of their own: one developer's hanging supplier must not use up everybody's. */
  readonly #scenarioClient: SupplierHttpClient | undefined;
  #session: Promise<Session> | undefined;
  /** Of all connections of this process; a supplier whose block has changed gets another one. */
  readonly serial = ++connections;

  /** Undefined where the supplier is called without one. */
  readonly policy: SupplierPolicy | undefined;

  constructor(
    readonly config: SupplierConfig,
    readonly adapter: SupplierAdapter,
    readonly url: string,
    { policy, publicOnly }: ConnectionRules = {},
  ) {
    const newClient = (): SupplierHttpClient =>
      new SupplierHttpClient(url, config.connections, config.maxAnswerBytes, publicOnly);
    this.policy = policy;
    this.#client = newClient();
    if (config.isSimulated) this.#scenarioClient = newClient();
  }

  /**
   * Opens the context of one operation. `requestId` goes to the supplier. Without `bounds`, and where it plays a scenario, the call is made without the
   * supplier's policy: a developer's scenario must not open the breaker of everybody.
   */
  open(
    requestId: string,
    environment: 'sandbox' | 'production',
    orders: SimulationHeaders,
    bounds?: CallBounds,
  ): OpenCall {
    const client = (orders.directive === undefined ? undefined : this.#scenarioClient) ?? this.#client;
    const policy = bounds === undefined || orders.directive !== undefined ? undefined : this.policy;
    const progress: CallProgress = {
      operation: bounds?.operation ?? 'retrieve',
      endsAtMs: bounds?.endsAtMs ?? Number.POSITIVE_INFINITY,
      heldMs: 0,
      hasWritten: false,
      isOver: false,
    };
    const handles = new Set<CallHandle>();
    const exchanges: Exchange[] = [];
    let ended: SupplierError | undefined;
    const extra: Record<string, string> = {};
    if (orders.directive !== undefined) extra['x-sim-directive'] = orders.directive;
    if (orders.seed !== undefined) extra['x-sim-seed'] = String(orders.seed);
    const sendOnce = async (
      call: SupplierHttpCall,
      repeatable: boolean,
      session: Readonly<Record<string, string>>,
      exchange: Exchange,
    ): Promise<SupplierHttpAnswer> => {
      const handle: CallHandle = {
        exchange,
        started: () => {
          progress.hasWritten ||= !repeatable;
        },
        notAfterMs: repeatable ? undefined : bounds?.notAfterMs,
      };
      const headers = { ...call.headers, ...session, ...extra };
      const leave = async (): Promise<SupplierHttpAnswer> => {
        if (ended) throw ended;
        return client.send(call, headers, handle);
      };
      // What is over takes no place in the queue and nothing of the quota.
      if (ended) throw ended;
      handles.add(handle);
      try {
        return await (policy ? policy.send(progress, handle, leave) : leave());
      } finally {
        handles.delete(handle);
      }
    };
    const send: SupplierHttp['send'] = async (call, repeatable = false) => {
      const first = newExchange(exchanges);
      if (!this.adapter.authenticate) return sendOnce(call, repeatable, {}, first);
      const session = await this.#liveSession(requestId, environment);
      const answer = await sendOnce(call, repeatable, session.headers, first);
      if (answer.status !== 401) return answer;
      session.renewAt = 0;
      if (!repeatable) return answer;
      const renewed = await this.#liveSession(requestId, environment);
      return sendOnce(call, repeatable, renewed.headers, newExchange(exchanges));
    };
    return {
      context: { http: { send }, requestId, environment, now: Date.now() },
      run: (work) => (policy ? policy.run(progress, work) : work()),
      abort: (error) => {
        ended = error;
        progress.isOver = true;
        for (const handle of handles) handle.abort?.(error);
      },
      mayHaveWritten: () => progress.hasWritten,
      exchanges,
    };
  }

  async close(): Promise<void> {
    await Promise.all([this.#client.close(), this.#scenarioClient?.close()]);
  }

  /** One session for all callers: whoever finds it over begins to renew it, and the others wait for the same. */
  async #liveSession(requestId: string, environment: 'sandbox' | 'production'): Promise<Session> {
    const current = this.#session;
    if (current) {
      const session = await current;
      if (Date.now() < session.renewAt) return session;
      if (this.#session === current) this.#session = undefined;
    }
    this.#session ??= this.#renew(requestId, environment);
    return this.#session;
  }

  /** Not bound to one caller: a caller that leaves must not fail the others that wait for the same session. */
  #renew(requestId: string, environment: 'sandbox' | 'production'): Promise<Session> {
    const renewing = this.#authenticate(requestId, environment);
    // Its error is for those who wait for it; who comes later tries anew.
    renewing.catch(() => {
      if (this.#session === renewing) this.#session = undefined;
    });
    return renewing;
  }

  async #authenticate(requestId: string, environment: 'sandbox' | 'production'): Promise<Session> {
    const handle: CallHandle = {};
    const timer = setTimeout(
      () => handle.abort?.(new SupplierError('timeout', 'the supplier gave no session in time')),
      this.config.timeoutMs.searchLocations,
    );
    const http: SupplierHttp = { send: (call) => this.#client.send(call, { ...call.headers }, handle) };
    try {
      const session: SupplierSession | undefined = await this.adapter.authenticate?.({
        http,
        requestId,
        environment,
        now: Date.now(),
      });
      if (!session) throw new SupplierError('auth', 'the supplier gave no session', false);
      return { headers: session.headers, renewAt: Date.now() + session.expiresInSeconds * 900 };
    } finally {
      clearTimeout(timer);
    }
  }
}

/** Asked for now: waiting for a session and for a connection is part of it. */
function newExchange(exchanges: Exchange[]): Exchange {
  const exchange: Exchange = {
    askedAt: performance.now(),
    sentAt: undefined,
    firstByteAt: undefined,
    endedAt: undefined,
  };
  exchanges.push(exchange);
  return exchange;
}
