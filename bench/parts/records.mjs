/** What recording single requests costs. */
import { startGateway, startSuppliers, stop } from '../processes.mjs';
import { DIST, DIST_B, postgresEnv } from '../settings.mjs';
import { throughput } from '../throughput.mjs';

/**
 * Searches on PostgreSQL with requests recorded as by default, with counters only, and, with BENCH_DIST_B, by another
 * build.
 */
export async function measureRecords(redis, generator, postgres) {
  const suppliers = await startSuppliers();
  const env = { ...suppliers.env, ...postgresEnv(redis, postgres) };
  const under = [
    await startGateway('recorded', DIST, env),
    await startGateway('counted-only', DIST, env, { settings: 'records:\n  perSecond: 0\n' }),
  ];
  if (DIST_B) under.push(await startGateway('other-build', DIST_B, env));
  const measured = await throughput(under, generator);
  for (const server of under) await stop(server.child);
  await stop(suppliers.child);
  return measured;
}
