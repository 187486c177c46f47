import { fileURLToPath } from 'node:url';
import { plainEnvironment, startChild } from '../support/child.js';
import { PROJECT } from '../support/project.js';
import { until } from '../support/redis-cluster.js';
import type { Observed } from './judge.js';

const PROMOTED_WITHIN_MS = 90_000;
const PROGRAM = fileURLToPath(new URL('./observing.mjs', import.meta.url));

/** What a process without load saw, by `nowMs`. */
export interface Seen {
  readonly readiness: readonly Observed[];
  /** When a replica became a master. */
  readonly promotedMs: readonly number[];
  /** The longest delay of the process itself, in milliseconds: a readiness that took longer than this was the gateway's. */
  readonly ownDelayMs: number;
}

export interface Observer {
  /** Resolves when a replica has become a master after this instant; rejects after 90 s. Sentinels do nothing for 30 s after they were held up for 2 s. */
  promotedSince(fromMs: number): Promise<void>;
  end(): Promise<Seen>;
}

/** The time in epoch milliseconds, with fractions: the same clock in every process. */
export function nowMs(): number {
  return performance.timeOrigin + performance.now();
}

/** Starts to watch a gateway and its Redis. */
export function startObserver(gatewayPort: number, redisPorts: readonly number[]): Observer {
  const ports = [gatewayPort, ...redisPorts].map(String);
  const child = startChild(process.execPath, [PROGRAM, ...ports], { cwd: PROJECT, env: plainEnvironment() });
  const lines = (kind: string): readonly (readonly number[])[] =>
    child
      .output()
      .split('\n')
      .flatMap((line) => (line.startsWith(`${kind} `) ? [line.split(' ').slice(1).map(Number)] : []));
  const promoted = (): readonly number[] => lines('M').map(([at = 0]) => at);
  return {
    promotedSince: (fromMs) => until(async () => promoted().some((at) => at > fromMs), PROMOTED_WITHIN_MS),
    end: async () => {
      const code = await child.stop();
      if (code !== 0) throw new Error(`the observer ended with ${code}:\n${child.output().slice(-2_000)}`);
      const readiness = lines('R').map(([sentMs = 0, answeredMs = 0, status = 0]) => ({ sentMs, answeredMs, status }));
      return { readiness, promotedMs: promoted(), ownDelayMs: lines('L')[0]?.[0] ?? 0 };
    },
  };
}
