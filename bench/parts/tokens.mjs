/** POST /oauth/token/v1 on PostgreSQL: one client, whose oldest token each new one replaces. */
import { startGateway, stop } from '../processes.mjs';
import { DIST, DIST_B, postgresEnv } from '../settings.mjs';
import { throughput } from '../throughput.mjs';

/** Token calls are counted as always, but not refused. */
const NO_LIMIT = 'throttling: { tokenOperation: { perMinute: 6000000, burst: 1000000 } }\n';

/** Tokens issued, with BENCH_DIST_B also by another build. */
export async function measureTokens(redis, generator, postgres) {
  const under = [];
  for (const [index, dist] of [DIST, DIST_B].entries()) {
    if (!dist) continue;
    const name = index === 0 ? 'gateway-tokens' : 'gateway-tokens-b';
    const gateway = await startGateway(name, dist, postgresEnv(redis, postgres), { settings: NO_LIMIT });
    under.push({ ...gateway, texts: [tokenRequest(gateway)] });
  }
  const measured = await throughput(under, generator, { title: 'Tokens issued' });
  for (const server of under) await stop(server.child);
  return measured;
}

function tokenRequest({ target, client }) {
  const body = 'grant_type=client_credentials';
  const basic = Buffer.from(`${client.id}:${client.secret}`).toString('base64');
  return (
    `POST /oauth/token/v1 HTTP/1.1\r\nhost: ${target.host}:${target.port}\r\nauthorization: Basic ${basic}\r\n` +
    `content-type: application/x-www-form-urlencoded\r\ncontent-length: ${body.length}\r\n\r\n${body}`
  );
}
