// Loaded into a process before its own code: on SIGUSR2 it reports the longest delay of the event loop since the last
// report, in milliseconds.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

if (isMainThread) {
  const RESOLUTION_MS = 1;
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  histogram.enable();
  let count = 0;
  process.on('SIGUSR2', () => {
    count += 1;
    const longest = histogram.count === 0 ? 0 : histogram.max / 1e6 - RESOLUTION_MS;
    histogram.reset();
    process.stdout.write(`\nDELAY ${count} ${longest.toFixed(1)} END ${count}\n`);
  });
}
