import 'reflect-metadata';
import type { Server } from 'node:http';
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import type { INestApplication } from '@nestjs/common';
import { AdminModule, type StartedGateway } from './admin/admin.module.js';
import { type AdminServer, serveAdmin } from './admin/admin-server.js';
import { AppModule, type Boot } from './app.module.js';
import { ApplicationsService } from './auth/applications.service.js';
import type { DemoApplication } from './auth/demo-applications.js';
import { DemoApplications } from './auth/demo-applications.js';
import { boot, type Configuration } from './boot.js';
import type { OpenedGateway } from './cli/command-run.js';
import { type ControlSocket, serveControl } from './cli/control-socket.js';
import { CONFIG, type Config } from './config/config.module.js';
import { keySummaries } from './config/sealed-text.js';
import type { Database } from './database/database.js';
import { DATABASE } from './database/database.module.js';
import { patiently } from './database/patiently.js';
import { endByForce } from './forced-end.js';
import { createApp } from './http/create-app.js';
import { listen, type ReservedPort } from './http/listen.js';
import { lifecycle } from './http/open-request.js';
import { OutboxKey } from './mail/outbox-key.js';
import { ProductsService } from './products/products.service.js';
import { VersionRegistry } from './products/version-registry.js';
import { ReservationKeys } from './reservations/reservation-keys.js';
import type { Store } from './store/store.js';
import { STORE } from './store/store.module.js';
import { SupplierFiles } from './suppliers/supplier-files.js';
import { translateError } from './system/translate-error.js';

const IDLE_GRACE_MS = 300;

/** Which worker a process is, numbered from 1, and the port that all share. */
export interface Worker {
  readonly number: number;
  readonly port: ReservedPort;
}

/** A process that answers requests. */
export interface Serving {
  readonly baseUrl: string;
  /** Where the admin API is served; undefined = it isn't. */
  readonly adminUrl: string | undefined;
  /** Path and key of the page of emails (OutboxKey). */
  readonly outboxLink: string;
  /** The demo applications; empty in production. */
  readonly demo: readonly DemoApplication[];
}

/** How long a process that has stopped may take to exit. */
const MOST_ENDING_MS = 5_000;

/**
 * Starts a process that answers requests: simulators, Nest, demo applications, port; and stops it in order on SIGTERM or
 * SIGINT, `onStopped` last. `worker` is undefined for the only process. Rejects when it cannot start.
 */
export async function serve(configuration: Configuration, onStopped: () => void, worker?: Worker): Promise<Serving> {
  const booted = await boot(configuration, worker?.number);
  const { config } = booted.loaded;
  const commands = AdminModule.with(() => startedGateway(booted, app));
  const app = await createApp(AppModule.with(booted, commands), config, booted.logger, translateError);
  const flush = setInterval(() => booted.logger.flush(), 500);
  let control: ControlSocket | undefined;
  let admin: AdminServer | undefined;
  const stop = async (): Promise<void> => {
    if (lifecycle.draining) return;
    // Readiness goes first; answers close their connections; then the port, and what is under way is finished.
    lifecycle.draining = true;
    await wait(config.http.drainMs);
    await Promise.all([control?.close(), admin?.close()]);
    await closeGently(app.getHttpServer(), () => app.close());
    await booted.simulators.close();
    clearInterval(flush);
    booted.logger.flush();
    onStopped();
    // Nothing is in progress then. Not even process.exit ends a process whose call to a file system hangs.
    setTimeout(() => endByForce(booted.logger), MOST_ENDING_MS).unref();
  };
  // A second signal ends the only process immediately. A worker may get each twice: from a terminal or systemd, and from its primary.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process[worker ? 'on' : 'once'](signal, () => void stop());
  booted.logger.info(keySummaries(config, booted.keys), 'encryption keys');
  await app.init();
  const demo = await patiently(
    () => prepare(app),
    (message) => booted.logger.info(message),
  );
  // One process runs the commands for all.
  if (worker === undefined || worker.number === 1) {
    const opened = openedGateway(booted, app);
    control = await serveControl(opened, booted.logger);
    admin = await serveAdmin(opened, booted.logger);
  }
  const baseUrl = await listen(app, config, worker?.port);
  return { baseUrl, adminUrl: admin?.url, outboxLink: app.get(OutboxKey).link, demo };
}

/** Writes what the configuration adds to the database. May be repeated. */
async function prepare(app: INestApplication): Promise<readonly DemoApplication[]> {
  await app.get(ReservationKeys).check();
  await app.get(ApplicationsService).checkSecret(app.get<Config>(CONFIG).environment);
  await app.get(ProductsService).seed();
  const demo = await app.get(DemoApplications).seed();
  // Betas for which they were just selected are served from the first request.
  await app.get(VersionRegistry).refresh();
  return demo;
}

/** What the commands of operators use of this process. */
function openedGateway(booted: Boot, app: INestApplication): OpenedGateway {
  const [database, store] = [app.get<Database>(DATABASE), app.get<Store>(STORE)];
  return Object.assign(startedGateway(booted, app), { database, store, isServing: true });
}

/** Its suppliers are those of the files as they were last applied, its port is the one that it listens on. */
function startedGateway({ loaded, keys, configFolder: folder }: Boot, app: INestApplication): StartedGateway {
  const files = app.get(SupplierFiles);
  const server: Server = app.getHttpServer();
  return {
    folder,
    get config() {
      const bound = server.address();
      if (bound === null || typeof bound === 'string') return loaded.config;
      return { ...loaded.config, http: { ...loaded.config.http, port: bound.port } };
    },
    get suppliers() {
      return files.applied;
    },
    suppliersToCall: () => files.applied,
    keys,
  };
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
