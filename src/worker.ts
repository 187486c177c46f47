import cluster from 'node:cluster';
import { AggregatorRegistry } from 'prom-client';
import type { Configuration } from './boot.js';
import { printable } from './config/plain-error.js';
import { workerShare } from './config/worker-share.js';
import { metrics } from './metrics/metrics.js';
import type { WorkerReport } from './primary.js';
import { serve, type Worker } from './server.js';

/** Runs this process as one worker of several. It reports to the primary process that it serves, or why it cannot, and then exits. */
export async function runWorker({ folder, loaded }: Configuration, worker: Worker): Promise<void> {
  AggregatorRegistry.setRegistries([metrics]);
  // It answers the primary process when that collects metrics.
  new AggregatorRegistry();
  try {
    const share = { folder, loaded: workerShare(loaded, worker.number) };
    // The channel to the primary process would keep this one running.
    report({ serving: await serve(share, () => cluster.worker?.disconnect(), worker) });
  } catch (error) {
    report({ failed: printable(error) }, () => process.exit(1));
  }
}

function report(message: WorkerReport, sent?: () => void): void {
  process.send?.(message, undefined, undefined, sent);
}
