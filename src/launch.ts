import { readConfiguration } from './boot.js';
import type { Config } from './config/config.module.js';
import { writeFirstSteps } from './first-steps.js';
import { serveMetrics } from './http/serve-metrics.js';
import { metrics } from './metrics/metrics.js';
import { startWorkers, WORKER_VARIABLE } from './primary.js';
import type { Serving } from './server.js';

/**
 * Starts the gateway: as the only process, as the primary process of its workers (setting `workers`), or as one of them.
 * Throws ConfigError, and rejects when it cannot start.
 */
export async function launch(env: Readonly<Record<string, string | undefined>>): Promise<void> {
  const startedAt = performance.now();
  const configuration = readConfiguration(env);
  const { config } = configuration.loaded;
  const announce = (metricsUrl: string, serving: Serving): void =>
    announceStart(config, metricsUrl, serving, performance.now() - startedAt);
  const worker = env[WORKER_VARIABLE];
  if (worker !== undefined) {
    const { runWorker } = await import('./worker.js');
    await runWorker(configuration, JSON.parse(worker));
    return;
  }
  if (config.workers > 1) {
    await startWorkers(configuration, announce);
    return;
  }
  const { serve } = await import('./server.js');
  const server = await serveMetrics(config, () => metrics.metrics());
  announce(server.url, await serve(configuration, () => server.close()));
}

function announceStart(config: Config, metricsUrl: string, serving: Serving, ms: number): void {
  const { baseUrl, adminUrl, outboxLink, demo } = serving;
  const addresses = { baseUrl: config.http.publicUrl ?? baseUrl, metricsUrl, adminUrl, outboxLink };
  writeFirstSteps(config, addresses, demo, Math.round(ms));
}
