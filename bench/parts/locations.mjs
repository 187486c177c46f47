/**
 * Location searches: each request asks three suppliers for another airport, and each of them answers with ten locations.
 * There is no floor: to give the same answer, it would need the gateway's places, ranking and opening hours.
 */
import { readFileSync } from 'node:fs';
import { requestText } from '../load-generator.mjs';
import { startGateway, startSuppliers, stop } from '../processes.mjs';
import { DIST, DIST_B, gatewayEnv } from '../settings.mjs';
import { throughput } from '../throughput.mjs';

/** More airports than requests in progress, so that no two of these share a supplier's answer. */
const codes = JSON.parse(readFileSync(new URL('../../src/places/airports.json', import.meta.url), 'utf8')).map(
  ([code]) => code,
);

/** Searches by IATA code, with BENCH_DIST_B also by another build. */
export async function measureLocations(redis, generator) {
  const suppliers = await startSuppliers();
  const under = [];
  for (const [index, dist] of [DIST, DIST_B].entries()) {
    if (!dist) continue;
    const name = index === 0 ? 'gateway-locations' : 'gateway-locations-b';
    const gateway = await startGateway(name, dist, { ...suppliers.env, ...gatewayEnv(redis, index) });
    const target = { ...gateway.target, path: '/cars/locations/v1/' };
    const texts = codes.map((code) => requestText(target, `keyword=${code}`));
    under.push({ ...gateway, target, texts });
  }
  const measured = await throughput(under, generator, { title: 'Location searches, 10 locations per supplier' });
  for (const server of under) await stop(server.child);
  await stop(suppliers.child);
  return measured;
}
