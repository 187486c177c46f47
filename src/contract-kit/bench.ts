import { configSchema } from '../config/config.schema.js';
import type { SupplierConfig } from '../config/supplier-config.schema.js';
import { RequestContext } from '../context/request-context.js';
import type { BookRequest, SupplierBooking } from '../model/bookings.js';
import { type Operation, type SupplierAdapter, SupplierError } from '../model/supplier.js';
import type { SimulatedBooking } from '../simulators/bookings.js';
import type { Supplier } from '../suppliers/registry.js';
import { SupplierCalls } from '../suppliers/supplier-call.js';
import { SupplierConnection } from '../suppliers/supplier-connection.js';
import { type CallManner, type Ended, itemsOf } from './ended.js';
import { type FaultServer, type Play, pass, startFaultServer } from './fault-server.js';
import { ask, type Findings, type Questions } from './operations.js';
import { Subject } from './subject.js';
import type { Target } from './target.js';

/** Time budget of a call when the case is not about its deadline. */
const CALL_TIMEOUT_MS = 30_000;

/** Makes calls over a new connection with a valid session, unaffected by earlier cases. */
export interface FreshCalls {
  ask<O extends Operation>(operation: O, question: Questions[O], manner?: CallManner): Promise<Ended<Findings[O]>>;
}

/**
 * The test bench of one supplier: the adapter, the kit's server in front of the supplier, and the engine's code for
 * calls.
 */
export class Bench {
  /**
   * Makes its questions through the server of the bench that was opened first, while that server forwards every call.
   */
  readonly subject: Subject;
  /** What was logged so far: the message of every failure. */
  readonly logged: { readonly operation: Operation; readonly message: string }[] = [];
  readonly config: SupplierConfig;
  readonly adapter: SupplierAdapter;
  readonly #calls: SupplierCalls;

  private constructor(
    config: SupplierConfig,
    private readonly adapterAt: (url: string) => SupplierAdapter,
    readonly server: FaultServer,
    private readonly target: Target,
    subject?: Subject,
  ) {
    this.adapter = adapterAt(server.url);
    const timeouts = Object.fromEntries(Object.keys(config.timeoutMs).map((operation) => [operation, CALL_TIMEOUT_MS]));
    this.config = { ...config, timeoutMs: { ...config.timeoutMs, ...timeouts } };
    this.subject = subject ?? new Subject(this);
    this.#calls = new SupplierCalls(configSchema.parse({}), {
      settled: ({ operation }, _outcome, _ms, error) => {
        if (error !== undefined)
          this.logged.push({ operation, message: error instanceof SupplierError ? error.message : String(error) });
      },
      cutOff: () => undefined,
    });
  }

  /** `adapterAt` builds the adapter from the base URL, which only faulty adapters use. */
  static async open(
    config: SupplierConfig,
    target: Target,
    adapterAt: (url: string) => SupplierAdapter,
  ): Promise<Bench> {
    const server = await startFaultServer(target.url);
    return new Bench(config, adapterAt, server, target);
  }

  /** Another bench with the same subject, so that both can work concurrently; the caller closes it. */
  async beside(): Promise<Bench> {
    return new Bench(this.config, this.adapterAt, await startFaultServer(this.target.url), this.target, this.subject);
  }

  get simulated(): boolean {
    return this.target.simulated;
  }

  async close(): Promise<void> {
    await this.server.close();
  }

  /**
   * Runs `work` with a new connection, then closes it and lets the server forward every call again. `url` replaces the
   * kit's server, `adapter` the supplier's adapter; with either, the connection has no session yet.
   */
  async withCaller<T>(
    work: (caller: FreshCalls) => Promise<T>,
    {
      url = this.server.url,
      adapter = this.adapter,
    }: { readonly url?: string; readonly adapter?: SupplierAdapter } = {},
  ): Promise<T> {
    const connection = new SupplierConnection(this.config, adapter, url);
    const supplier = { id: this.config.id, name: this.config.name, config: this.config, connection };
    const caller: FreshCalls = {
      ask: async <O extends Operation>(operation: O, question: Questions[O], manner?: CallManner) => {
        if (operation !== 'book') return this.#ask(supplier, operation, question, manner);
        this.subject.bookings.requested(question as BookRequest);
        const ended = await this.#ask(supplier, operation, question, manner);
        this.subject.bookings.requested(question as BookRequest, ended as Ended<SupplierBooking>);
        return ended;
      },
    };
    try {
      if (adapter.authenticate && adapter === this.adapter && url === this.server.url)
        await caller.ask('searchLocations', this.subject.locations());
      return await work(caller);
    } finally {
      await connection.close();
      this.server.play(pass);
    }
  }

  async #ask<O extends Operation>(
    supplier: Supplier,
    operation: O,
    question: Questions[O],
    { timeoutMs, directive }: CallManner = {},
  ): Promise<Ended<Findings[O]>> {
    const startedAt = performance.now();
    let bug: { readonly thrown: unknown } | undefined;
    const ended = (rest: Omit<Ended<Findings[O]>, 'ms'>): Ended<Findings[O]> => ({
      ...rest,
      ms: performance.now() - startedAt,
    });
    try {
      const items = await this.#calls.call(
        supplier,
        operation,
        contextWith(directive),
        async (bounded, context) => {
          try {
            return await ask(bounded, operation, question, context);
          } catch (thrown) {
            if (!(thrown instanceof SupplierError)) bug = { thrown };
            throw thrown;
          }
        },
        { timeoutMs },
      );
      return ended({ items });
    } catch (error) {
      if (!(error instanceof SupplierError)) throw error;
      return ended({ error, ...(bug === undefined ? {} : { bug: bug.thrown }) });
    }
  }

  /** Makes one call over a new connection while the server runs `play`. */
  played<O extends Operation>(
    operation: O,
    play: Play,
    question: Questions[O],
    manner?: CallManner,
  ): Promise<Ended<Findings[O]>> {
    return this.withCaller((caller) => {
      this.server.play(play);
      return caller.ask(operation, question, manner);
    });
  }

  /** The items of one call without simulated failures. Throws a Breach if it fails. */
  async found<O extends Operation>(operation: O, question: Questions[O]): Promise<readonly Findings[O][]> {
    return itemsOf(await this.played(operation, pass, question), operation);
  }

  /** The simulator's bookings with one reference, without expired holds. */
  async booked(reference: string): Promise<readonly SimulatedBooking[]> {
    const bookings = await this.target.bookings();
    return bookings.filter((booking) => booking.reference === reference && booking.status !== 'released');
  }
}

/** A context that sends the simulator the same directive with every call; undefined = none. */
function contextWith(directive: string | undefined): RequestContext {
  const context = new RequestContext('req_contract', Date.now());
  if (directive === undefined) return context;
  const always = (): string => directive;
  context.useScenario({ source: 'header', text: directive, directiveFor: always, bookingDirective: always });
  return context;
}
