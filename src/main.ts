import 'reflect-metadata';
import { setTimeout as wait } from 'node:timers/promises';
import { AppModule } from './app.module.js';
import { DemoApplications } from './auth/demo-applications.js';
import { boot } from './boot.js';
import { ConfigError } from './config/load-config.js';
import { writeFirstSteps } from './first-steps.js';
import { createApp, lifecycle } from './http/create-app.js';
import { listen } from './http/listen.js';
import { ProductsService } from './products/products.service.js';
import { translateError } from './system/translate-error.js';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 24 || (major === 24 && minor < 9)) {
  console.error(
    `Forecourt needs Node 24.9 or newer; this is ${process.versions.node}. "npm start" uses the Node that "npm ci" installs beside it.`,
  );
  process.exit(1);
}

try {
  await start();
} catch (error) {
  console.error(error instanceof ConfigError || process.env.LOG_LEVEL !== 'debug' ? `Forecourt cannot start: ${messageOf(error)}` : error);
  process.exit(1);
}

async function start(): Promise<void> {
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

function messageOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? ` (${error.cause.message})` : '';
  return (error instanceof Error ? error.message : String(error)) + cause;
}
