import 'reflect-metadata';
import { setTimeout as wait } from 'node:timers/promises';
import { AppModule } from './app.module.js';
import { DemoApplications } from './auth/demo-applications.js';
import { boot } from './boot.js';
import { writeFirstSteps } from './first-steps.js';
import { createApp, lifecycle } from './http/create-app.js';
import { listen } from './http/listen.js';
import { ProductsService } from './products/products.service.js';
import { translateError } from './system/translate-error.js';

/** Starts the gateway: configuration, simulators, Nest, demo applications, port; and stops it in order on SIGTERM or SIGINT. Rejects when it cannot start. */
export async function start(): Promise<void> {
  const startedAt = performance.now();
  const booted = await boot(process.env);
  const { config } = booted.loaded;
  const app = await createApp(AppModule.with(booted), config, booted.logger, translateError);
  const flush = setInterval(() => booted.logger.flush(), 500);
  const stop = async (): Promise<void> => {
    if (lifecycle.draining) return;
    // Readiness goes first; answers close their connections; then the port, and what is under way is finished.
    lifecycle.draining = true;
    await wait(config.http.drainMs);
    await app.close();
    await booted.simulators.close();
    clearInterval(flush);
    booted.logger.flush();
  };
  process.once('SIGTERM', () => void stop());
  process.once('SIGINT', () => void stop());
  await app.init();
  await app.get(ProductsService).seed();
  const demo = await app.get(DemoApplications).seed();
  const baseUrl = await listen(app, config);
  writeFirstSteps(config, config.http.publicUrl ?? baseUrl, demo, Math.round(performance.now() - startedAt));
}
