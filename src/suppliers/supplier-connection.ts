import { randomText } from '../config/random-text.js';
import type { SupplierConfig } from '../config/supplier-config.schema.js';
import type { CallSpan, Exchange } from '../metrics/request-trace.js';
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
import { Warnings } from '../model/warnings.js';
import { addedHeaders, addressOf, type SimulationHeaders } from './added-headers.js';
import { boundedAdapter, type EngineContext, INLINE_BYTES, type ReadElsewhere } from './answers/bounded-adapter.js';
import type { Naming } from './answers/names-another.js';
import { type CallHandle, SupplierHttpClient } from './http-client.js';
import { limitImages } from './image-hosts.js';
import type { MemoryRules } from './memory/supplier-memories.js';
import { BACKGROUND, type Caller } from './resilience/caller.js';
import type { CallProgress } from './resilience/operation-policy.js';
import type { SupplierPolicy } from './resilience/supplier-policy.js';
import { keepSent, type SentCall } from './sent-call.js';
import { type LoginContext, type Session, SupplierSessions } from './supplier-session.js';

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
  /** Which reservation it is about, which its answers are checked for. */
  readonly naming?: Naming | undefined;
  /** Its span, whose ids the supplier gets unless its file says otherwise. */
  readonly span?: CallSpan | undefined;
}

/** Protections of a connection. The contract kit uses none, because it tests only the adapter. */
export interface ConnectionRules extends Partial<MemoryRules> {
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
  /**
   * Runs `work` under the supplier's policy, which may block it or retry a read. If the supplier refuses its session
   * (`auth`), the session is replaced, and `work` starts over once unless it may have written. Rejects with the error of
   * `work`.
   */
  run<T>(work: () => Promise<T>): Promise<T>;
  /** Aborts all HTTP calls in flight. */
  abort(error: SupplierError): void;
  /** Whether an HTTP call that isn't `repeatable` may have been sent, even partly. */
  mayHaveWritten(): boolean;
  /** The HTTP calls in the order of `send`; grows while the operation runs. */
  readonly exchanges: readonly Exchange[];
  /** The warnings of its answers. */
  readonly warnings: Warnings;
  /** What it sent and received, except sessions; grows like `exchanges`. */
  readonly sent: readonly SentCall[];
}

let connections = 0;

/** The connection to one supplier: its HTTP pool, its session and the contexts in which its adapter runs. */
export class SupplierConnection {
  readonly #client: SupplierHttpClient;
  /**
   * Calls with a scenario use separate sockets, so that one developer's hanging supplier can't exhaust the sockets of
   * all others.
   */
  readonly #scenarioClient: SupplierHttpClient | undefined;
  /** Undefined if calls need no session. */
  readonly #sessions: SupplierSessions | undefined;
  /** Unique in this process: a supplier whose configuration changed gets a new connection. */
  readonly serial = ++connections;

  /** Undefined if the supplier is called without a policy. */
  readonly policy: SupplierPolicy | undefined;
  /** The supplier's adapter within the limits of an answer. */
  readonly adapter: SupplierAdapter;
  /** Host and port of the supplier. */
  readonly address: string;

  constructor(
    readonly config: SupplierConfig,
    adapter: SupplierAdapter,
    readonly url: string,
    readonly rules: ConnectionRules = {},
  ) {
    const { policy, publicOnly, elsewhere } = rules;
    const bounded = boundedAdapter(adapter, elsewhere);
    const { imageHosts } = config.content;
    // Around both threads: a large answer is read in another one.
    this.adapter = imageHosts ? limitImages(bounded, imageHosts) : bounded;
    this.address = addressOf(url);
    const newClient = (connections: number): SupplierHttpClient =>
      new SupplierHttpClient(url, connections, config.maxAnswerBytes, publicOnly, config.id);
    this.policy = policy;
    // The policy counts calls for existing reservations separately, so that no others wait for their sockets.
    this.#client = newClient(policy ? 2 * config.connections : config.connections);
    if (config.isSimulated) this.#scenarioClient = newClient(config.connections);
    if (adapter.authenticate) this.#sessions = new SupplierSessions((context) => this.#login(context));
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
    const warnings = new Warnings();
    const sent: SentCall[] = [];
    let ended: SupplierError | undefined;
    const extra = addedHeaders(simulation, this.config.traceparent ? bounds?.span : undefined);
    const sendOnce = async (
      call: SupplierHttpCall,
      repeatable: boolean,
      session: Readonly<Record<string, string>>,
      exchange: Exchange,
      isRepeat = false,
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
        const kept = keepSent(sent, call);
        kept.answer = await client.send(call, headers, handle);
        return kept.answer;
      };
      // An aborted call must not use the queue or the quota.
      if (ended) throw ended;
      handles.add(handle);
      try {
        if (!policy) return await leave();
        if (scenarioClient) return await policy.sendSimulated(progress, handle, leave);
        return await policy.send(progress, handle, leave, isRepeat);
      } finally {
        handles.delete(handle);
      }
    };
    /** A 429 to a call that changes nothing is waited for; a write gets its clear refusal (rulings 1 and 15). */
    const sendPatiently: typeof sendOnce = async (call, repeatable, session, exchange) => {
      let answer = await sendOnce(call, repeatable, session, exchange);
      const patient = repeatable && !scenarioClient ? policy : undefined;
      for (let repeats = 0; patient?.allowsRepeat(progress, answer, repeats); repeats += 1)
        answer = await sendOnce(call, repeatable, session, newExchange(exchanges), true);
      return answer;
    };
    let session: Session | undefined;
    const send: SupplierHttp['send'] = async (call, repeatable = false) => {
      const exchange = newExchange(exchanges);
      if (!this.#sessions) return sendPatiently(call, repeatable, {}, exchange);
      session = await this.#sessions.live({ requestId, environment });
      return sendPatiently(call, repeatable, session.headers, exchange);
    };
    /** Whether the operation may start over with another session after `error`. */
    const isRenewed = (error: unknown): boolean => {
      if (!(error instanceof SupplierError) || error.fault !== 'auth' || session === undefined) return false;
      // A simulated refusal shows nothing about the session, which other requests share.
      if (simulation.directive !== undefined || !this.#sessions?.refused(session)) return false;
      return !progress.hasWritten && ended === undefined;
    };
    const withSession = async <T>(work: () => Promise<T>): Promise<T> => {
      try {
        return await work();
      } catch (error) {
        if (!isRenewed(error)) throw error;
        return work();
      }
    };
    const context: EngineContext & { salt: string } = {
      http: { send },
      // Set for each attempt. A getter would make the copies of this context slow.
      salt: '',
      requestId,
      environment,
      now: Date.now(),
      ...(bounds?.naming && { naming: bounds.naming }),
      endsAtMs: progress.endsAtMs,
      account: progress.caller.accountId,
      waits: () => {
        progress.unreadSinceMs = performance.now();
      },
      waited: () => {
        progress.heldMs += performance.now() - (progress.unreadSinceMs ?? performance.now());
        progress.unreadSinceMs = undefined;
      },
      unread: () => policy?.unread(progress.operation),
      isOver: () => progress.isOver,
      warned: (found) => warnings.addAll(found),
    };
    return {
      context,
      run: (work) => {
        const attempt = () =>
          withSession(() => {
            context.salt = randomText();
            return work();
          });
        return policy && !scenarioClient ? policy.run(progress, attempt) : attempt();
      },
      abort: (error) => {
        ended = error;
        progress.isOver = true;
        for (const handle of handles) handle.abort?.(error);
      },
      mayHaveWritten: () => progress.hasWritten,
      exchanges,
      warnings,
      sent,
    };
  }

  async close(): Promise<void> {
    await Promise.all([this.#client.close(), this.#scenarioClient?.close()]);
  }

  async #login({ requestId, environment }: LoginContext): Promise<SupplierSession> {
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
      return session;
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
