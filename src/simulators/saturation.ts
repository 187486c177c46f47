import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Directive } from './world.js';

const RESOLUTION_MS = 10;

/** How busy a simulator is: a load run is only worth something while the simulators are not its bottleneck. */
export interface SimulatorStats {
  readonly requests: number;
  /** Calls by the verb played; verbs never played are absent. */
  readonly byVerb: Readonly<Partial<Record<Directive['verb'], number>>>;
  /** Calls not yet answered, now and at most. */
  readonly open: number;
  readonly maxOpen: number;
  /** How late the event loop ran a timer, 99th percentile since the start, milliseconds: what a call queued for at worst. */
  readonly p99QueueMs: number;
  /** Calls that the dialect could not answer because of a bug of its own. */
  readonly dialectFailures: number;
  /** Bookings in the supplier's book. */
  readonly bookings: number;
}

/** Counts what one simulator server does. `stop` ends its measuring. */
export class Saturation {
  readonly #byVerb: Partial<Record<Directive['verb'], number>> = {};
  readonly #delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  #requests = 0;
  #open = 0;
  #maxOpen = 0;
  #dialectFailures = 0;

  constructor() {
    this.#delay.enable();
  }

  opened(verb: Directive['verb']): void {
    this.#requests += 1;
    this.#byVerb[verb] = (this.#byVerb[verb] ?? 0) + 1;
    this.#open += 1;
    this.#maxOpen = Math.max(this.#maxOpen, this.#open);
  }

  closed(): void {
    this.#open -= 1;
  }

  failed(): void {
    this.#dialectFailures += 1;
  }

  stop(): void {
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

/** `alpine 12 calls, open 0 (most 3), queue p99 1 ms`: what waits in a simulator for its turn is not the gateway's doing. */
export function saturationOf(
  id: string,
  { requests, open, maxOpen, p99QueueMs, dialectFailures }: SimulatorStats,
): string {
  const failures = dialectFailures > 0 ? `, ${dialectFailures} FAILED IN THE SIMULATOR` : '';
  return `${id} ${requests} calls, open ${open} (most ${maxOpen}), queue p99 ${p99QueueMs} ms${failures}`;
}
