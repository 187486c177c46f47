import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Logger } from 'pino';
import { CONFIG, type Config } from '../config/config.module.js';
import { LOGGER } from '../config/logger.js';
import { newExport } from './span-export.js';
import { TailSampler } from './tail-sampler.js';
import { type RequestSpan, requestSpan } from './trace-context.js';
import { type TracedRequest, traceLine } from './trace-line.js';

/** Status of a request whose caller disconnected, for the sampler: not a reason to keep it. */
const DISCONNECTED = 0;
/** Load balancers call these every few seconds. */
const HEALTH = '/health/';

/** Traces requests (docs/tracing.md). Does nothing without a collector. */
@Injectable()
export class Tracer implements OnApplicationShutdown {
  readonly #sampler: TailSampler;
  readonly #export: ReturnType<typeof newExport> | undefined;

  constructor(@Inject(CONFIG) { tracing, environment }: Config, @Inject(LOGGER) logger: Logger) {
    this.#sampler = new TailSampler(tracing);
    if (tracing.endpoint !== undefined) this.#export = newExport(tracing.endpoint, tracing, environment, logger);
  }

  /** The span of a request that begins, with the caller's `traceparent`. Undefined = it isn't traced. */
  begin(traceparent: string | string[] | undefined): RequestSpan | undefined {
    return this.#export && requestSpan(traceparent);
  }

  /** Keeps the trace of a completed request or drops it. Must be fast; doesn't throw. */
  ended(request: TracedRequest): void {
    const { status = DISCONNECTED, durationMs, span, route } = request;
    if (route.startsWith(HEALTH)) return;
    const reason = this.#sampler.reasonToKeep({ status, durationMs, isSampled: span.isSampled });
    if (reason) this.#export?.spans.add(traceLine(request, reason));
  }

  async onApplicationShutdown(): Promise<void> {
    await this.#export?.close();
  }
}
