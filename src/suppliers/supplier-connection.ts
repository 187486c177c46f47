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
import { boundedAdapter, type EngineContext, INLINE_BYTES, type ReadElsewhere } from './answers/bounded-adapter.js';
import { type CallHandle, SupplierHttpClient } from './http-client.js';
import { BACKGROUND, type Caller } from './resilience/caller.js';
import type { CallProgress } from './resilience/operation-policy.js';
import type { SupplierPolicy } from './resilience/supplier-policy.js';

/** The scenario's directive and seed, sent as headers to a simulated supplier. Empty for a real supplier. */
export interface SimulationHeaders {
  readonly directive?: string;
  readonly seed?: number;
}

/** What to send to a supplier's simulator; nothing if the supplier is real. */
export function simulationHeaders(
  config: SupplierConfig,
  { directive, seed }: { readonly directive?: string | undefined; readonly seed?: number | undefined },
): SimulationHeaders {
  if (!config.isSimulated) return {};
  return { ...(directive === undefined ? {} : { directive }), ...(seed === undefined ? {} : { seed }) };
}

/** What one operation is and its time limits, on the clock of performance.now. */
export interface CallBounds {
  readonly operation: Operation;
  /** Default: no application. */
  readonly caller?: Caller;
  /** Identifies what it asks (resilience/caller.ts); absent if no other call asks the same. */
  readonly question?: number;
  /** When the operation times out. */
  readonly endsAtMs: number;
  /** When it is too late to start a write. */
  readonly notAfterMs?: number;
}

/** Protections of a connection. The contract kit uses none, because it tests only the adapter. */
export interface ConnectionRules {
  /** Breaker, retries, bulkhead and quota of the supplier. */
  readonly policy?: SupplierPolicy;
  /** Whether to connect only to public addresses. */
  readonly publicOnly?: boolean;
  /** Reads large answers; if absent, they are read in this thread. */
  readonly elsewhere?: ReadElsewhere;
}

/** One operation in progress. */
export interface OpenCall {
  readonly context: SupplierContext;
  /** Runs `work` under the supplier's policy, which may block it or retry a read. Rejects with the error of `work`. */
  run<T>(work: () => Promise<T>): Promise<T>;
  /** Aborts all HTTP calls in flight. */
  abort(error: SupplierError): void;
  /** Whether an HTTP call that isn't `repeatable` may have been sent, even partly. */
  mayHaveWritten(): boolean;
  /** The HTTP calls in the order of `send`; grows while the operation runs. */
  readonly exchanges: readonly Exchange[];
}

/** Valid until `renewAt` (epoch milliseconds). A 401 from the supplier resets `renewAt`. */
interface Session {
  readonly headers: Readonly<Record<string, string>>;
  renewAt: number;
}

let connections = 0;

/**
 * The connection to one supplier: its HTTP pool, its session (shared by all calls, renewed before it expires and after
 * a 401) and the contexts in which its adapter runs.
 */
export class SupplierConnection {
  readonly #client: SupplierHttpClient;
  /**
   * Calls with a scenario use separate sockets, so that one developer's hanging supplier can't exhaust the sockets of
   * all others.
   */
  readonly #scenarioClient: SupplierHttpClient | undefined;
  #session: Promise<Session> | undefined;
  /** Unique in this process: a supplier whose configuration changed gets a new connection. */
  readonly serial = ++connections;

  /** Undefined if the supplier is called without a policy. */
  readonly policy: SupplierPolicy | undefined;
  /** The supplier's adapter within the limits of an answer. */
  readonly adapter: SupplierAdapter;

  constructor(
    readonly config: SupplierConfig,
    adapter: SupplierAdapter,
    readonly url: string,
    { policy, publicOnly, elsewhere }: ConnectionRules = {},
  ) {
    this.adapter = boundedAdapter(adapter, elsewhere);
    const newClient = (): SupplierHttpClient =>
      new SupplierHttpClient(url, config.connections, config.maxAnswerBytes, publicOnly);
    this.policy = policy;
    this.#client = newClient();
    if (config.isSimulated) this.#scenarioClient = newClient();
  }

  /**
   * Opens the context of one operation. `requestId` is sent to the supplier. The supplier's policy applies only with
   * `bounds`. With a scenario, all that remains of it is that accounts share the sockets: a simulated failure shows
   * nothing about the supplier.
   */
  open(
    requestId: string,
    environment: 'sandbox' | 'production',
    simulation: SimulationHeaders,
    bounds?: CallBounds,
  ): OpenCall {
    const scenarioClient = simulation.directive === undefined ? undefined : this.#scenarioClient;
    const client = scenarioClient ?? this.#client;
    const policy = bounds === undefined ? undefined : this.policy;
    const progress: CallProgress = {
      operation: bounds?.operation ?? 'retrieve',
      requestId,
      caller: bounds?.caller ?? BACKGROUND,
      question: bounds?.question,
      endsAtMs: bounds?.endsAtMs ?? Number.POSITIVE_INFINITY,
      heldMs: 0,
      unreadSinceMs: undefined,
      hasWritten: false,
      isOver: false,
    };
    const handles = new Set<CallHandle>();
    const exchanges: Exchange[] = [];
    let ended: SupplierError | undefined;
    const extra: Record<string, string> = {};
    if (simulation.directive !== undefined) extra['x-sim-directive'] = simulation.directive;
    if (simulation.seed !== undefined) extra['x-sim-seed'] = String(simulation.seed);
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
      // An aborted call must not use the queue or the quota.
      if (ended) throw ended;
      handles.add(handle);
      try {
        if (!policy) return await leave();
        if (scenarioClient) return await policy.sendSimulated(progress, handle, leave);
        return await policy.send(progress, handle, leave);
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
    const context: EngineContext = {
      http: { send },
      requestId,
      environment,
      now: Date.now(),
      endsAtMs: progress.endsAtMs,
      account: progress.caller.accountId,
      waits: () => {
        progress.unreadSinceMs = performance.now();
      },
      waited: () => {
        progress.heldMs += performance.now() - (progress.unreadSinceMs ?? performance.now());
        progress.unreadSinceMs = undefined;
      },
    };
    return {
      context,
      run: (work) => (policy && !scenarioClient ? policy.run(progress, work) : work()),
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

  /** Returns the shared session. The first caller that finds it expired renews it, and the others wait for that. */
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

  /** Not tied to the caller that started it: if that caller disconnects, others may still wait for the session. */
  #renew(requestId: string, environment: 'sandbox' | 'production'): Promise<Session> {
    const renewing = this.#authenticate(requestId, environment);
    // Those who wait get the error; the next caller tries again.
    renewing.catch(() => {
      if (this.#session === renewing) this.#session = undefined;
    });
    return renewing;
  }

  async #authenticate(requestId: string, environment: 'sandbox' | 'production'): Promise<Session> {
    const handle: CallHandle = {};
    const timer = setTimeout(
      () => handle.abort?.(new SupplierError('timeout', 'the supplier did not return a session in time')),
      this.config.timeoutMs.searchLocations,
    );
    const http: SupplierHttp = {
      send: async (call) => {
        const answer = await this.#client.send(call, { ...call.headers }, handle);
        // Always read in this thread, and a session is small.
        if (answer.body.length <= INLINE_BYTES) return answer;
        throw new SupplierError('bad_payload', `the answer with the session is larger than ${INLINE_BYTES} bytes`);
      },
    };
    try {
      const session: SupplierSession | undefined = await this.adapter.authenticate?.({
        http,
        requestId,
        environment,
        now: Date.now(),
      });
      if (!session) throw new SupplierError('auth', 'the supplier did not return a session', false);
      return { headers: session.headers, renewAt: Date.now() + session.expiresInSeconds * 900 };
    } finally {
      clearTimeout(timer);
    }
  }
}

/** Records an exchange that starts now; waiting for a session and a connection is part of it. */
function newExchange(exchanges: Exchange[]): Exchange {
  const exchange: Exchange = {
    queuedAt: performance.now(),
    sentAt: undefined,
    firstByteAt: undefined,
    endedAt: undefined,
  };
  exchanges.push(exchange);
  return exchange;
}
