import { existsSync, mkdtempSync, readFileSync, rmdirSync } from 'node:fs';
import { connect as connectTcp, isIP } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { Redis } from 'ioredis';
import type { Config } from '../config/config.schema.js';
import { withoutPassword } from '../config/setting-sources.js';
import type { SupplierConfig } from '../config/supplier-config.schema.js';
import { RedisStore } from '../store/redis/redis-store.js';
import { createAdapter } from '../suppliers/create-adapter.js';
import { clockFinding, type Finding, fine, reasonOf, wrong } from './finding.js';

const REACH_MS = 1_000;

/** The token store: does it answer, do its scripts run, does its clock agree. */
export async function checkStore({ redisUrl, store: { commandTimeoutMs } }: Config): Promise<Finding[]> {
  if (redisUrl === undefined) return [fine('store', 'in the process of the gateway; tokens and limits end with it')];
  const where = withoutPassword(redisUrl);
  const store = new RedisStore(redisUrl, { commandTimeoutMs, leaseMs: REACH_MS, onError: () => undefined });
  const redis = new Redis(redisUrl, {
    lazyConnect: true,
    maxRetriesPerRequest: 0,
    commandTimeout: commandTimeoutMs,
    retryStrategy: () => null,
  });
  // Told by the command that fails.
  redis.on('error', () => undefined);
  try {
    const askedAt = Date.now();
    await redis.connect();
    const [seconds, microseconds] = await redis.time();
    const clock = clockFinding('store', Number(seconds) * 1_000 + Number(microseconds) / 1_000, askedAt, Date.now());
    await store.connect();
    await store.take('doctor', { perMinute: 60, burst: 60 }, 1);
    return [fine('store', `${where} answers and runs the scripts`), clock];
  } catch (error) {
    const why = reasonOf(error instanceof Error && error.cause !== undefined ? error.cause : error);
    return [
      wrong(
        'store',
        `${where} does not serve: ${why}`,
        'start Redis, or correct REDIS_URL; its user must be allowed to run scripts',
      ),
    ];
  } finally {
    redis.disconnect();
    await store.close();
  }
}

/** Each supplier that is not off: does its adapter build, can its address be reached. In answer order. */
export function checkSuppliers(config: Config, suppliers: readonly SupplierConfig[]): Promise<Finding[]> {
  const used = suppliers.filter(({ state }) => state !== 'off');
  if (used.length > 0) return Promise.all(used.map((supplier) => checkSupplier(config, supplier)));
  const todo = `add a file to suppliers/ with environments: [${config.environment}] and state: live`;
  return Promise.resolve([wrong('suppliers', `there is none in the environment ${config.environment}`, todo)]);
}

async function checkSupplier({ simulators }: Config, supplier: SupplierConfig): Promise<Finding> {
  const subject = `supplier ${supplier.id}`;
  const variable = `SUPPLIER_${supplier.id.toUpperCase()}_URL`;
  try {
    createAdapter(supplier);
  } catch (error) {
    return wrong(subject, reasonOf(error), `correct suppliers/${supplier.id}.yaml`);
  }
  if (supplier.url === undefined) {
    return simulators.embedded && supplier.simulator
      ? fine(subject, `${supplier.adapter}, ${supplier.state}; the gateway starts its simulator`)
      : wrong(
          subject,
          'it has no url and its simulator is not started',
          `set ${variable}, or state: off in suppliers/${supplier.id}.yaml`,
        );
  }
  try {
    await reach(new URL(supplier.url));
    return fine(subject, `${supplier.adapter}, ${supplier.state}; ${withoutPassword(supplier.url)} can be reached`);
  } catch (error) {
    const todo = `correct ${variable} or url in suppliers/${supplier.id}.yaml, open the way to it, or set state: maintenance`;
    return wrong(subject, `${withoutPassword(supplier.url)} cannot be reached: ${reasonOf(error)}`, todo);
  }
}

/** Connects and, for https, checks the certificate. Nothing is sent: a supplier may count or bill calls. */
function reach({ protocol, hostname, port }: URL): Promise<void> {
  const host = hostname.replace(/^\[|\]$/g, '');
  const secure = protocol === 'https:';
  return new Promise((done, fail) => {
    const socket = secure
      ? connectTls({ host, port: Number(port || 443), ...(isIP(host) === 0 ? { servername: host } : {}) })
      : connectTcp({ host, port: Number(port || 80) });
    const timer = setTimeout(() => socket.destroy(new Error(`no connection within ${REACH_MS} ms`)), REACH_MS);
    socket.once(secure ? 'secureConnect' : 'connect', () => {
      done();
      socket.destroy();
    });
    socket.once('error', fail);
    socket.once('close', () => clearTimeout(timer));
  });
}

/** Whose X-Forwarded-For the gateway believes. */
export function checkTrust({ http: { trustedProxies } }: Config): Finding[] {
  const everybody = trustedProxies.filter((range) => /\/0$/.test(range));
  if (everybody.length === 0) {
    return [
      fine(
        'proxies',
        trustedProxies.length === 0
          ? 'X-Forwarded-For is believed of nobody'
          : `X-Forwarded-For is believed of ${trustedProxies.join(', ')}`,
      ),
    ];
  }
  return [
    wrong(
      'proxies',
      `${everybody.join(', ')} believes X-Forwarded-For of everybody`,
      'name the addresses of the proxies in TRUSTED_PROXIES',
    ),
  ];
}

/** Where mails of the developer platform go. */
export function checkMail({ environment, mail: { smtpUrl } }: Config): Finding[] {
  if (smtpUrl !== undefined) return [fine('mail', `${withoutPassword(smtpUrl)}; nothing was sent to try it`)];
  if (environment === 'sandbox')
    return [fine('mail', 'no SMTP server: whoever reaches the gateway reads all mails on /outbox')];
  return [
    wrong(
      'mail',
      'no SMTP server: nobody gets a mail',
      'set SMTP_URL, or leave the developer platform to the gateways of the sandbox',
    ),
  ];
}

/** The data folder: can it be written to, who holds it. */
export function checkDataFolder({ dataFolder }: Config): Finding[] {
  const folder = resolve(dataFolder);
  let existing = folder;
  while (!existsSync(existing)) existing = dirname(existing);
  try {
    // Tried, not asked: to root every folder seems writable.
    rmdirSync(mkdtempSync(join(existing, '.doctor-')));
  } catch (error) {
    return [
      wrong(
        'data folder',
        `${folder} cannot be written to: ${reasonOf(error)}`,
        'give the user of the gateway the folder, or choose another with DATA_DIR',
      ),
    ];
  }
  const lock = join(folder, 'database.lock');
  const holder = existsSync(lock)
    ? `; the lock names process ${readFileSync(lock, 'utf8')}`
    : '; nobody holds its lock';
  return [fine('data folder', `${folder} can be written to${holder}`)];
}

/** The master secret: given where several gateways must have the same. */
export function checkSecret({ secret, redisUrl, databaseUrl }: Config): Finding[] {
  if (secret !== undefined)
    return [fine('secret', 'FORECOURT_SECRET is set; it must be the same for all gateways of one Redis or PostgreSQL')];
  if (redisUrl === undefined && databaseUrl === undefined)
    return [fine('secret', 'generated into the data folder, for this gateway alone')];
  const found = 'FORECOURT_SECRET is not set, but Redis or PostgreSQL is shared: each gateway would make its own';
  return [wrong('secret', found, 'set the same FORECOURT_SECRET (32 characters or more) for all gateways')];
}
