import cluster, { type Worker as Child } from 'node:cluster';
import type { Logger } from 'pino';
import { AggregatorRegistry } from 'prom-client';
import type { Configuration } from './boot.js';
import { createLogger } from './config/logger.js';
import { workerShare } from './config/worker-share.js';
import { reservePort } from './http/listen.js';
import { type MetricsServer, serveMetrics } from './http/serve-metrics.js';
import type { Serving, Worker } from './server.js';

/** The variable by which a worker knows that it is one: a Worker as JSON. */
export const WORKER_VARIABLE = 'FORECOURT_WORKER';

/** What a worker reports once: that it serves, or why it cannot. */
export type WorkerReport = { readonly serving: Serving } | { readonly failed: Error };

/** A worker that exits is started again after this time, and after twice as long each further time. */
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;
/** After running this long, a worker that exits is not one that cannot start. */
const STEADY_MS = 60_000;

/**
 * Runs `config.workers` processes that answer requests on one port, and serves the metrics of all as one. The first worker
 * starts alone, because it migrates the database; `announce` is called when all serve. Rejects if any of them cannot start;
 * afterwards, one that exits is started again. SIGTERM and SIGINT stop all of them.
 */
export async function startWorkers(
  { loaded }: Configuration,
  announce: (metricsUrl: string, serving: Serving) => void,
): Promise<void> {
  const { config } = loaded;
  // Throws here, once, if a supplier's limits can't be divided.
  workerShare(loaded, 1);
  // Errors keep their causes.
  cluster.setupPrimary({ serialization: 'advanced' });
  const port = await reservePort(config);
  const registry = new AggregatorRegistry();
  const metrics = await serveMetrics(config, () => registry.clusterMetrics());
  const workers = new Workers(port, metrics, createLogger(config.log.level));
  process.once('SIGTERM', () => workers.stop());
  process.once('SIGINT', () => workers.stop());
  const serving = await workers.start(1);
  const others = Array.from({ length: config.workers - 1 }, (_, index) => workers.start(index + 2));
  await Promise.all(others);
  if (!workers.isStopping) announce(metrics.url, serving);
}

/** The processes that answer requests. */
class Workers {
  isStopping = false;
  readonly #running = new Set<Child>();
  readonly #pauses = new Set<NodeJS.Timeout>();

  constructor(
    private readonly port: Worker['port'],
    private readonly metrics: MetricsServer,
    private readonly logger: Logger,
  ) {}

  /** Starts a worker for the first time. Rejects if it reports that it cannot start, or exits first. */
  async start(number: number): Promise<Serving> {
    const child = this.#fork(number);
    const serving = await new Promise<Serving>((resolve, reject) => {
      child.on('message', (message: object) => {
        if ('serving' in message) resolve(message.serving as Serving);
        if ('failed' in message) reject(message.failed);
      });
      child.once('exit', (code: number | null, signal: string | null) =>
        reject(new Error(`worker ${number} exited with ${signal ?? `code ${code}`} before it served`)),
      );
    });
    this.#keep(child, number, 0);
    return serving;
  }

  /** Sends SIGTERM to all; the process ends when they have finished what is in progress. */
  stop(): void {
    this.isStopping = true;
    for (const pause of this.#pauses) clearTimeout(pause);
    for (const { process } of this.#running) process.kill('SIGTERM');
    this.#closeAfterLast();
  }

  #fork(number: number): Child {
    const child = cluster.fork({ [WORKER_VARIABLE]: JSON.stringify({ number, port: this.port } satisfies Worker) });
    this.#running.add(child);
    child.once('exit', () => {
      this.#running.delete(child);
      this.#closeAfterLast();
    });
    // A message to a worker that just exited fails, and so does a fork without memory. Unhandled, that would end the primary process.
    child.on('error', (error) => this.#report({ worker: number, err: error }, 'a worker cannot be reached'));
    return child;
  }

  /** Starts the worker again whenever it exits. `failures`: how many times in a row it exited early. */
  #keep(child: Child, number: number, failures: number): void {
    const startedAt = performance.now();
    child.once('exit', (code: number | null, signal: string | null) => {
      if (this.isStopping) return;
      const early = performance.now() - startedAt < STEADY_MS ? failures : 0;
      const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** early, LONGEST_PAUSE_MS);
      this.#report({ worker: number, code, signal, pauseMs }, 'a worker exited and will be started again');
      const pause = setTimeout(() => {
        this.#pauses.delete(pause);
        this.#restart(number, early + 1);
      }, pauseMs);
      this.#pauses.add(pause);
    });
  }

  #restart(number: number, failures: number): void {
    const child = this.#fork(number);
    child.on('message', (report: WorkerReport) => {
      if ('failed' in report) this.#report({ worker: number, err: report.failed }, 'a worker cannot start');
    });
    this.#keep(child, number, failures);
  }

  #report(facts: object, message: string): void {
    this.logger.error(facts, message);
    this.logger.flush();
  }

  #closeAfterLast(): void {
    if (!this.isStopping || this.#running.size > 0) return;
    this.metrics.close();
  }
}
