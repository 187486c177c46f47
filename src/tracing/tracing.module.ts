import { Global, Module } from '@nestjs/common';
import { Tracer } from './tracer.js';

/** Traces of requests, exported to an OpenTelemetry collector. */
@Global()
@Module({ providers: [Tracer], exports: [Tracer] })
export class TracingModule {}
