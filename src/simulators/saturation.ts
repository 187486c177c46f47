import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Directive } from './world.js';

const RESOLUTION_MS = 10;
/** The delay is sampled for so long after the last call, so that an idle simulator does nothing. */
const SAMPLED_MS = 1_000;

/** The load of a simulator: a load run is valid only if the simulators are not its bottleneck. */
export interface SimulatorStats {
  readonly requests: number;
  /** Calls by verb, without verbs that did not occur. */
  readonly byVerb: Readonly<Partial<Record<Directive['verb'], number>>>;
  /** Unanswered calls, now. */
  readonly open: number;
  readonly maxOpen: number;
  /** Event loop delay, 99th percentile of the time with calls: how long a call waited at worst. */
  readonly p99QueueMs: number;
  /** Calls that failed because of a bug in the simulated dialect. */
  readonly dialectFailures: number;
  /** Bookings of the supplier. */
  readonly bookings: number;
}

/** Measures the load of one simulator server while it has calls. `stop` ends the measurement. */
export class Saturation {
  readonly #byVerb: Partial<Record<Directive['verb'], number>> = {};
  readonly #delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  #requests = 0;
  #open = 0;
  #maxOpen = 0;
  #dialectFailures = 0;
  #sampling: NodeJS.Timeout | undefined;

  opened(verb: Directive['verb']): void {
    this.#requests += 1;
    this.#byVerb[verb] = (this.#byVerb[verb] ?? 0) + 1;
    this.#open += 1;
    this.#maxOpen = Math.max(this.#maxOpen, this.#open);
    clearTimeout(this.#sampling);
    this.#delay.enable();
  }

  closed(): void {
    this.#open -= 1;
    if (this.#open === 0) this.#sampling = setTimeout(() => this.stop(), SAMPLED_MS).unref();
  }

  failed(): void {
    this.#dialectFailures += 1;
  }

  stop(): void {
    clearTimeout(this.#sampling);
    this.#delay.disable();
  }

  read(bookings: number): SimulatorStats {
    const p99Ms = this.#delay.percentile(99) / 1e6;
    return {
      requests: this.#requests,
      byVerb: { ...this.#byVerb },
      open: this.#open,
      maxOpen: this.#maxOpen,
      p99QueueMs: Math.max(0, Math.round((p99Ms - RESOLUTION_MS) * 100) / 100),
      dialectFailures: this.#dialectFailures,
      bookings,
    };
  }
}

/**
 * `alpine 12 calls, open 0 (most 3), queue p99 1 ms`: time that a call waits in the simulator is not caused by the
 * gateway.
 */
export function saturationOf(
  id: string,
  { requests, open, maxOpen, p99QueueMs, dialectFailures }: SimulatorStats,
): string {
  const failures = dialectFailures > 0 ? `, ${dialectFailures} FAILED IN THE SIMULATOR` : '';
  return `${id} ${requests} calls, open ${open} (most ${maxOpen}), queue p99 ${p99QueueMs} ms${failures}`;
}
