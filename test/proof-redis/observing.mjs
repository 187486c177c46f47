// A process of its own, without load, so that what it sees isn't its own delay: how long /health/ready takes, and when a
// redis-server becomes a master. Arguments: the gateway's port, and the ports of Redis. It prints, in epoch milliseconds,
// `R <sent> <answered> <status>`, `M <at> <port>`, and `L <ms>`, the longest delay of its own timer.

import { Agent, request } from 'node:http';
import { Redis } from 'ioredis';

const EVERY_MS = 50;
const LONGEST_ANSWER_MS = 10_000;
const [gatewayPort, ...redisPorts] = process.argv.slice(2).map(Number);

const now = () => performance.timeOrigin + performance.now();
const agent = new Agent({ keepAlive: true });

function askReady() {
  const sentAt = now();
  const end = (status) => process.stdout.write(`R ${sentAt.toFixed(1)} ${now().toFixed(1)} ${status}\n`);
  const asked = request({ host: '127.0.0.1', port: gatewayPort, path: '/health/ready', agent });
  asked.setTimeout(LONGEST_ANSWER_MS, () => asked.destroy(new Error('no answer')));
  asked.once('response', (response) => response.resume().once('end', () => end(response.statusCode)));
  asked.once('error', () => end(0));
  asked.end();
}

const servers = redisPorts.map((port) => {
  const redis = new Redis({ port, enableOfflineQueue: false, retryStrategy: () => EVERY_MS, commandTimeout: 1_000 });
  // A server that was killed: its role is unknown.
  redis.on('error', () => undefined);
  return { port, redis, role: '' };
});

async function askRole(server) {
  const role = await server.redis.role().then(
    ([name]) => name,
    () => '',
  );
  if (role === 'master' && server.role === 'slave') process.stdout.write(`M ${now().toFixed(1)} ${server.port}\n`);
  if (role !== '') server.role = role;
}

let dueAt = now();
let longestDelay = 0;
setInterval(() => {
  longestDelay = Math.max(longestDelay, now() - dueAt - EVERY_MS);
  dueAt = now();
  askReady();
  for (const server of servers) void askRole(server);
}, EVERY_MS);
process.once('SIGTERM', () => process.stdout.write(`L ${longestDelay.toFixed(1)}\n`, () => process.exit(0)));
