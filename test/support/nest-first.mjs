// Jest loads @nestjs/throttler with require(), which fails while the ES module @nestjs/common is still being linked. Specs that reach the
// throttler are named `*.nest.spec.ts` and run with this set-up file; loading Nest for all specs would double their CPU time.
import 'reflect-metadata';
import '@nestjs/common';
import '@nestjs/core';
