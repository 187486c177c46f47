import { configSchema } from '../config/config.schema.js';
import type { SupplierConfig } from '../config/supplier-config.schema.js';
import { RequestContext } from '../context/request-context.js';
import { type Operation, type SupplierAdapter, SupplierError } from '../model/supplier.js';
import type { SimulatedBooking } from '../simulators/bookings.js';
import { SupplierCalls } from '../suppliers/supplier-call.js';
import { SupplierConnection } from '../suppliers/supplier-connection.js';
import { type CallManner, type Ended, itemsOf } from './ended.js';
import { type FaultServer, type Play, pass, startFaultServer } from './fault-server.js';
import { ask, type Findings, type Questions } from './operations.js';
import { Subject } from './subject.js';
import type { Target } from './target.js';

/** Time for a call whose deadline is not what the case is about. */
const PATIENCE_MS = 30_000;

/** A connection of its own to the supplier, its session fetched, with nothing of what earlier cases did to it. */
export interface Line {
  ask<O extends Operation>(operation: O, question: Questions[O], manner?: CallManner): Promise<Ended<Findings[O]>>;
}

/** One supplier on the bench: the adapter, the kit's server before its supplier, and the engine's own way of calling. */
export class Bench {
  /** Makes its questions over the server of the bench that was opened first, while that passes everything on. */
  readonly subject: Subject;
  /** What went to the log so far: the message of every failure. */
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
    const patience = Object.fromEntries(Object.keys(config.timeoutMs).map((operation) => [operation, PATIENCE_MS]));
    this.config = { ...config, timeoutMs: { ...config.timeoutMs, ...patience } };
    this.subject = subject ?? new Subject(this);
    this.#calls = new SupplierCalls(configSchema.parse({}), {
      settled: ({ operation }, _outcome, _ms, error) => {
        if (error !== undefined)
          this.logged.push({ operation, message: error instanceof SupplierError ? error.message : String(error) });
      },
      cutOff: () => undefined,
    });
  }

  /** `adapterAt` builds the adapter; it gets the base URL, which only a faulty one would use. */
  static async open(
    config: SupplierConfig,
    target: Target,
    adapterAt: (url: string) => SupplierAdapter,
  ): Promise<Bench> {
    const server = await startFaultServer(target.url);
    return new Bench(config, adapterAt, server, target);
  }

  /** Another bench with the same subject, so that both can work at once; the caller closes it. */
  async beside(): Promise<Bench> {
    return new Bench(this.config, this.adapterAt, await startFaultServer(this.target.url), this.target, this.subject);
  }

  get simulated(): boolean {
    return this.target.simulated;
  }

  async close(): Promise<void> {
    await this.server.close();
  }

  /** Works with a fresh connection, then closes it and lets the server pass everything on again. `url` instead of the kit's server. */
  async line<T>(work: (line: Line) => Promise<T>, url = this.server.url): Promise<T> {
    const connection = new SupplierConnection(this.config, this.adapter, url);
    const supplier = { id: this.config.id, name: this.config.name, config: this.config, connection };
    const line: Line = {
      ask: async <O extends Operation>(
        operation: O,
        question: Questions[O],
        { timeoutMs, directive }: CallManner = {},
      ) => {
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
            async (adapter, context) => {
              try {
                return await ask(adapter, operation, question, context);
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
      },
    };
    try {
      if (this.adapter.authenticate && url === this.server.url)
        await line.ask('searchLocations', this.subject.locations());
      return await work(line);
    } finally {
      await connection.close();
      this.server.play(pass);
    }
  }

  /** One call on a fresh connection while the server plays. */
  played<O extends Operation>(
    operation: O,
    play: Play,
    question: Questions[O],
    manner?: CallManner,
  ): Promise<Ended<Findings[O]>> {
    return this.line((line) => {
      this.server.play(play);
      return line.ask(operation, question, manner);
    });
  }

  /** What one call finds when nothing is in its way. Throws a Breach when it fails all the same. */
  async found<O extends Operation>(operation: O, question: Questions[O]): Promise<readonly Findings[O][]> {
    return itemsOf(await this.played(operation, pass, question), operation);
  }

  /** The simulator's book of one reference, holds that fell away left out. */
  async booked(reference: string): Promise<readonly SimulatedBooking[]> {
    const bookings = await this.target.bookings();
    return bookings.filter((booking) => booking.reference === reference && booking.status !== 'released');
  }
}

/** A context whose calls tell the simulator one directive, whatever the operation; undefined = to behave. */
function contextWith(directive: string | undefined): RequestContext {
  const context = new RequestContext('req_contract', Date.now());
  if (directive === undefined) return context;
  const always = (): string => directive;
  context.useScenario({ source: 'header', text: directive, directiveFor: always, bookingDirective: always });
  return context;
}
