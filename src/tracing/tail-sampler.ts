import type { TracingSettings } from '../config/tracing-settings.js';

/**
 * Why the trace of a request is kept: some suppliers are missing (206), the status is 5xx, the request was slow, the
 * caller's `traceparent` has the sampled flag, or it belongs to the share of all others.
 */
export type KeepReason = 'partial' | 'error' | 'slow' | 'caller' | 'share';

/** What the decision depends on. */
export interface SampledRequest {
  readonly status: number;
  readonly durationMs: number;
  /** The caller's sampled flag. */
  readonly isSampled: boolean;
}

const SECOND_MS = 1_000;

/** Decides which traces are kept, when their requests are complete. */
export class TailSampler {
  #secondEndsMs = 0;
  #ofCallers = 0;

  /** `now` is a monotonic clock in milliseconds, `random` returns numbers from 0 to below 1. */
  constructor(
    private readonly settings: Pick<TracingSettings, 'slowMs' | 'share' | 'callersPerSecond'>,
    private readonly now: () => number = () => performance.now(),
    private readonly random: () => number = Math.random,
  ) {}

  /** Undefined = the trace isn't kept. */
  reasonToKeep({ status, durationMs, isSampled }: SampledRequest): KeepReason | undefined {
    if (status === 206) return 'partial';
    if (status >= 500) return 'error';
    if (durationMs >= this.settings.slowMs) return 'slow';
    if (isSampled && this.#hasRoomForCallers()) return 'caller';
    return this.random() < this.settings.share ? 'share' : undefined;
  }

  /** Callers could otherwise fill the storage of the collector: many clients set the flag in every request. */
  #hasRoomForCallers(): boolean {
    const now = this.now();
    if (now >= this.#secondEndsMs) {
      this.#secondEndsMs = now + SECOND_MS;
      this.#ofCallers = 0;
    }
    this.#ofCallers += 1;
    return this.#ofCallers <= this.settings.callersPerSecond;
  }
}
