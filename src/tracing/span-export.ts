import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { Piscina } from 'piscina';
import { otlpHeaders, type TracingSettings } from '../config/tracing-settings.js';
import { countExported, countLost } from '../metrics/span-counts.js';
import { maskedText } from '../privacy/masked-text.js';
import type { ExportTask } from './export-worker.js';
import { LineRing, type TraceLine } from './line-ring.js';
import type { Delivery } from './otlp-delivery.js';

/** Traces wait this long for others, unless there are enough. */
const BATCH_MS = 2_000;
const BATCH_SPANS = 2_048;
const MEGABYTES_OF_THREAD = 128;
/** A collector that doesn't answer must not delay the end of the process by more. */
const LAST_EXPORT_MS = 1_000;

/** Delivers one batch. Rejects if the thread fails. */
type Send = (lines: string) => Promise<Delivery>;

/** Sends traces to the collector in batches, one at a time, from a worker thread. Nothing waits for it. */
export class SpanExport {
  readonly #ring: LineRing;
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> | undefined;
  #failure: string | undefined;
  #isClosed = false;

  constructor(
    bufferBytes: number,
    private readonly send: Send,
    private readonly logger: Logger,
  ) {
    this.#ring = new LineRing(bufferBytes);
  }

  /** Queues a trace. If there is no room, the oldest ones are lost. */
  add(line: TraceLine): void {
    const dropped = this.#ring.add(line);
    if (dropped > 0) countLost('buffer_full', dropped);
    if (this.#sending !== undefined || this.#isClosed) return;
    if (this.#ring.spans >= BATCH_SPANS) this.#begin();
    else this.#timer ??= setTimeout(() => this.#begin(), BATCH_MS).unref();
  }

  /** Sends what waits, for at most a second; counts the rest as lost. `stop` ends the thread. */
  async close(stop: () => Promise<void>): Promise<void> {
    const over = Promise.withResolvers<void>();
    const timer = setTimeout(over.resolve, LAST_EXPORT_MS);
    const all = async (): Promise<void> => {
      await this.#sending;
      while (this.#ring.spans > 0 && !this.#isClosed) {
        if (this.#sending === undefined) this.#begin();
        await this.#sending;
      }
    };
    await Promise.race([all(), over.promise]);
    clearTimeout(timer);
    clearTimeout(this.#timer);
    this.#isClosed = true;
    if (this.#ring.spans > 0) countLost('shutdown', this.#ring.spans);
    await stop();
    await this.#sending;
  }

  #begin(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const batch = this.#ring.take(BATCH_SPANS);
    if (batch.length === 0) return;
    this.#sending = this.#deliver(batch).then(() => {
      this.#sending = undefined;
      if (this.#ring.spans === 0 || this.#isClosed) return;
      if (this.#ring.spans >= BATCH_SPANS) this.#begin();
      else this.#timer ??= setTimeout(() => this.#begin(), BATCH_MS).unref();
    });
  }

  async #deliver(batch: readonly TraceLine[]): Promise<void> {
    try {
      const delivery = await this.send(batch.map(({ text }) => text).join('\n'));
      if (delivery.exported > 0) countExported(delivery.exported);
      if (delivery.reason) countLost(delivery.reason, delivery.lost);
      this.#report(delivery.reason, delivery.why);
    } catch (error) {
      const reason = this.#isClosed ? 'shutdown' : 'failed';
      countLost(
        reason,
        batch.reduce((sum, { spans }) => sum + spans, 0),
      );
      if (!this.#isClosed) this.#report(reason, error instanceof Error ? error.message : undefined);
    }
  }

  /** Logs each reason for which spans begin to be lost once, and once that all arrive again. */
  #report(reason: string | undefined, why = ''): void {
    if (reason === this.#failure) return;
    this.#failure = reason;
    if (reason) this.logger.warn({ reason, why: maskedText(why) }, 'the collector does not get all traces');
    else this.logger.info('the collector gets all traces again');
  }
}

/** A SpanExport in a thread of its own, and the function that ends it. `endpoint` is the collector's base URL. */
export function newExport(
  endpoint: string,
  { headers, timeoutMs, bufferBytes, serviceName }: TracingSettings,
  environment: string,
  logger: Logger,
): { readonly spans: SpanExport; close(): Promise<void> } {
  const pool = new Piscina<ExportTask, Delivery>({
    filename: new URL('./export-worker.js', import.meta.url).href,
    minThreads: 1,
    maxThreads: 1,
    // Otherwise an idle thread wouldn't notice that the collector closed a connection.
    atomics: 'disabled',
    resourceLimits: { maxOldGenerationSizeMb: MEGABYTES_OF_THREAD },
  });
  // A thread that fails between two batches: the pool starts another one.
  pool.on('error', (error: Error) => logger.warn({ why: maskedText(error.message) }, 'the exporting thread failed'));
  const target = {
    url: `${endpoint}${endpoint.endsWith('/') ? '' : '/'}v1/traces`,
    headers: otlpHeaders(headers) ?? {},
    timeoutMs,
    resource: {
      'service.name': serviceName,
      'service.instance.id': randomUUID(),
      'deployment.environment.name': environment,
    },
  };
  const spans = new SpanExport(bufferBytes, (lines) => pool.run({ ...target, lines }), logger);
  return { spans, close: () => spans.close(() => pool.destroy()) };
}
