/** Latency at a fixed rate: what a server adds to its suppliers, and what a supplier that hangs adds. */
import { percentile } from '../load-generator.mjs';
import { RATE, SECONDS, SUPPLIER_TIMEOUT_MS } from '../settings.mjs';

/** The row of a server: its latency beyond that of the slowest supplier of each request. */
export async function addedLatency(server, generator, suppliers) {
  await suppliers.set('median=40&sigma=0.4');
  await generator.run({ kind: 'open', target: server.target, rate: RATE, seconds: 3 });
  await suppliers.set('median=40&sigma=0.4&record=1');
  const {
    byKey,
    timeline: _timeline,
    perStatus: _perStatus,
    ...figures
  } = await generator.run({
    kind: 'open',
    target: server.target,
    rate: RATE,
    seconds: Math.max(4, SECONDS),
  });
  const slowest = new Map(await suppliers.delays());
  await suppliers.set('');
  const added = byKey.flatMap(([key, ms]) => (slowest.has(key) ? [ms - slowest.get(key)] : [])).sort((a, b) => a - b);
  return {
    server: server.name,
    'added p50 ms': percentile(added, 0.5),
    'added p99 ms': percentile(added, 0.99),
    'total p50 ms': figures.p50,
    'total p99 ms': figures.p99,
    statuses: figures.statuses,
  };
}

/** The row of a server of whose three suppliers one never answers. */
export async function hanging(server, generator, suppliers) {
  await suppliers.set('median=40&sigma=0.4&hang=Three');
  await generator.run({ kind: 'open', target: server.target, rate: RATE / 2, seconds: 3 });
  const { byKey: _byKey, ...figures } = await generator.run({
    kind: 'open',
    target: server.target,
    rate: RATE,
    seconds: Math.max(4, SECONDS),
  });
  await suppliers.set('');
  return {
    server: server.name,
    'p50 ms': figures.p50,
    'p99 ms': figures.p99,
    'p99 over timeout ms': figures.p99 - SUPPLIER_TIMEOUT_MS,
    statuses: figures.statuses,
  };
}
