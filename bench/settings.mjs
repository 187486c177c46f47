/** The settings of a run, from its environment (run.mjs lists them), and what all servers under test have in common. */
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The seconds of one round, and the number of rounds. */
export const SECONDS = Number(process.env.BENCH_SECONDS ?? 8);
export const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
/** Requests per second of the parts with a fixed rate. */
export const RATE = Number(process.env.BENCH_RATE ?? 200);
export const CONNECTIONS = Number(process.env.BENCH_CONNECTIONS ?? 48);
/** With large answers, 48 would wait longer for the processor than for the suppliers. */
export const FEW_CONNECTIONS = 12;
/** To each server before its first round. */
export const WARM_UP_REQUESTS = Number(process.env.BENCH_WARM_UP ?? 5_000);
/** The built gateway, and a second build to compare with; undefined = none. */
export const DIST = resolve(process.env.BENCH_DIST ?? fileURLToPath(new URL('../dist', import.meta.url)));
export const DIST_B = process.env.BENCH_DIST_B && resolve(process.env.BENCH_DIST_B);
/** `timeoutMs` of the suppliers in bench/config. */
export const SUPPLIER_TIMEOUT_MS = 800;
/** All 2,000 calls are sent and wait, which queue and breaker would normally prevent. */
export const ALL_MAY_WAIT = 'resilience: { bulkhead: { queue: 4096, waitShare: 1 }, breaker: { minCalls: 1000000 } }\n';

const SECRET = 'a-secret-of-the-benchmark-and-nothing-else';
const only = process.env.BENCH_ONLY?.split(',');
const servers = (process.env.BENCH_SERVERS ?? 'gateway,fastify,nginx').split(',');

/** Whether a part is measured: all but profiles unless BENCH_ONLY names some. */
export const wants = (part) => only?.includes(part) ?? !part.endsWith('profile');

/** Whether the gateway is compared with a floor: `fastify` or `nginx`. */
export const wantsServer = (name) => servers.includes(name);

/** Environment variables of a gateway, with database `database` of Redis. */
export function gatewayEnv(redis, database = 0) {
  return {
    REDIS_URL: `${redis.url}/${database}`,
    FORECOURT_SECRET: SECRET,
    BENCH_CLIENT_ID: 'bench',
    BENCH_CLIENT_SECRET: 'bench',
  };
}

/** The same for a gateway on PostgreSQL, which can't start without a mail server. */
export function postgresEnv(redis, postgres, database = 0) {
  return { ...gatewayEnv(redis, database), DATABASE_URL: postgres.url, SMTP_URL: 'smtp://127.0.0.1:9' };
}
