import { setTimeout as wait } from 'node:timers/promises';
import type { SupplierConfig } from '../config/supplier-config.schema.js';
import { metrics } from '../metrics/metrics.js';
import { changesCopiedAt } from '../metrics/operation-metrics.js';
import { restrictedOperations, waitingCalls } from '../metrics/supplier-resilience.js';
import { type Finding, fine, wrong } from './finding.js';

/** From this share of a bound on, a queue is nearly full. */
const NEARLY_FULL = 0.8;
const LAG_SAMPLES = 20;
const LAG_SAMPLE_MS = 10;
const MOST_LAG_MS = 50;
const MOST_UNCOPIED_MS = 300_000;

/** Judges this process, which answers requests: its breakers, queues, copies of changes, and event loop. Takes a quarter of a second. */
export async function checkProcess(
  suppliers: readonly Pick<SupplierConfig, 'id' | 'resilience'>[],
): Promise<Finding[]> {
  return [
    ...breakerFindings(),
    ...queueFindings(suppliers),
    ...(await admissionFindings()),
    ...copiesFindings(await changesCopiedAt(), Date.now()),
    lagFinding(await medianLag()),
  ];
}

function breakerFindings(): Finding[] {
  const restricted = restrictedOperations();
  if (restricted.length === 0) return [fine('breakers', 'all closed')];
  return restricted.map(({ supplier, operation, state, applications, sinceMs }) =>
    wrong(
      'breakers',
      `${operation} of ${supplier} is ${state === 'open' ? 'not called' : 'called for probes only'} for ${applications} ${applications === 1 ? 'application' : 'applications'}`,
      'it closes by itself when the supplier works again; the log lines "supplier failed" say what is wrong',
      sinceMs,
    ),
  );
}

function queueFindings(suppliers: readonly Pick<SupplierConfig, 'id' | 'resilience'>[]): Finding[] {
  const full = suppliers.flatMap(({ id, resilience }) => {
    const length = waitingCalls().get(id) ?? 0;
    const { queue } = resilience.bulkhead;
    if (queue === 0 || length < queue * NEARLY_FULL) return [];
    const todo = 'the supplier answers more slowly than it is called: check its quota and its durations in /metrics';
    return [wrong('queues', `${length} calls wait for ${id}; ${queue} searches and ${queue} bookings may`, todo)];
  });
  return full.length > 0 ? full : [fine('queues', 'no queue of a supplier is nearly full')];
}

async function admissionFindings(): Promise<Finding[]> {
  const [running, limit, waiting] = await Promise.all(['running', 'limit', 'waiting'].map(admission));
  if (running === undefined || limit === undefined) return [];
  const found = `${running} requests in progress of at most ${limit}, ${waiting ?? 0} wait`;
  if ((waiting ?? 0) === 0 || running < limit * NEARLY_FULL) return [fine('requests', found)];
  return [wrong('requests', found, 'the gateway gets more than it can answer: add gateways or workers')];
}

async function admission(name: string): Promise<number | undefined> {
  const gauge = await metrics.getSingleMetric(`forecourt_admission_${name}`)?.get();
  return gauge?.values[0]?.value;
}

/** Judges by when all changes of the audit log were last copied; 0 = this process copies none. In epoch milliseconds. */
export function copiesFindings(copiedAt: number, now: number): Finding[] {
  if (copiedAt === 0) return [];
  if (now - copiedAt <= MOST_UNCOPIED_MS) return [fine('copies of changes', 'all are beside the journal of bookings')];
  const found =
    'changes are not copied beside the journal of bookings: a restore would revive what was erased or revoked';
  return [wrong('copies of changes', found, 'the log lines "changes cannot be copied" say why', copiedAt)];
}

/** Judges by how much timers of this process are late, in milliseconds. */
export function lagFinding(lagMs: number): Finding {
  const found = `timers are ${Math.round(lagMs)} ms late`;
  return lagMs <= MOST_LAG_MS
    ? fine('event loop', found)
    : wrong(
        'event loop',
        found,
        'its core is the bottleneck: add gateways or workers, or give the process a core of its own',
      );
}

async function medianLag(): Promise<number> {
  const lags: number[] = [];
  for (let sample = 0; sample < LAG_SAMPLES; sample += 1) {
    const startedAt = performance.now();
    await wait(LAG_SAMPLE_MS);
    lags.push(Math.max(0, performance.now() - startedAt - LAG_SAMPLE_MS));
  }
  return lags.sort((one, other) => one - other)[LAG_SAMPLES / 2] ?? 0;
}
