import 'reflect-metadata';
import type { Server } from 'node:http';
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import { AppModule } from './app.module.js';
import { DemoApplications } from './auth/demo-applications.js';
import { boot } from './boot.js';
import { writeFirstSteps } from './first-steps.js';
import { createApp } from './http/create-app.js';
import { listen } from './http/listen.js';
import { lifecycle } from './http/open-request.js';
import { type MetricsServer, serveMetrics } from './http/serve-metrics.js';
import { OutboxKey } from './mail/outbox-key.js';
import { ProductsService } from './products/products.service.js';
import { ReservationKeys } from './reservations/reservation-keys.js';
import { translateError } from './system/translate-error.js';

const IDLE_GRACE_MS = 300;

/**
 * Starts the gateway: configuration, simulators, Nest, demo applications, port; and stops it in order on SIGTERM or
 * SIGINT. Rejects when it cannot start.
 */
export async function start(): Promise<void> {
  const startedAt = performance.now();
  const booted = await boot(process.env);
  const { config } = booted.loaded;
  const app = await createApp(AppModule.with(booted), config, booted.logger, translateError);
  const flush = setInterval(() => booted.logger.flush(), 500);
  let metrics: MetricsServer | undefined;
  const stop = async (): Promise<void> => {
    if (lifecycle.draining) return;
    // Readiness goes first; answers close their connections; then the port, and what is under way is finished.
    lifecycle.draining = true;
    await wait(config.http.drainMs);
    await closeGently(app.getHttpServer(), () => app.close());
    await booted.simulators.close();
    metrics?.close();
    clearInterval(flush);
    booted.logger.flush();
  };
  process.once('SIGTERM', () => void stop());
  process.once('SIGINT', () => void stop());
  await app.init();
  await app.get(ReservationKeys).check();
  await app.get(ProductsService).seed();
  const demo = await app.get(DemoApplications).seed();
  metrics = await serveMetrics(config);
  const baseUrl = await listen(app, config);
  const addresses = {
    baseUrl: config.http.publicUrl ?? baseUrl,
    metricsUrl: metrics.url,
    outboxLink: app.get(OutboxKey).link,
  };
  writeFirstSteps(config, addresses, demo, Math.round(performance.now() - startedAt));
}

/**
 * Closes the port and waits for what is under way. Node would immediately destroy every connection without a request,
 * even a new one whose request is on its way. Those connections get a moment, because their answer closes them anyway.
 * And what the kernel holds for us but we have not accepted yet would be reset: the port is closed in a turn of the
 * event loop that had nothing to accept.
 */
async function closeGently(server: Server, close: () => Promise<void>): Promise<void> {
  let accepted = true;
  server.on('connection', () => {
    accepted = true;
  });
  for (let turn = 0; accepted && turn < 1_000; turn += 1) {
    accepted = false;
    await nextTurn();
  }
  const closeIdle = server.closeIdleConnections.bind(server);
  server.closeIdleConnections = () => undefined;
  const closing = close();
  const sweep = setInterval(closeIdle, IDLE_GRACE_MS);
  await closing;
  clearInterval(sweep);
}
