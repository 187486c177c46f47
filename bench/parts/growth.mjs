/** How the work of a search grows with the vehicles of a supplier and with the number of suppliers. */
import { randomBytes } from 'node:crypto';
import { sameAnswer } from '../compare.mjs';
import { startFastifyFloor, startGateway, startSuppliers, stop } from '../processes.mjs';
import { DIST, FEW_CONNECTIONS, gatewayEnv, wantsServer } from '../settings.mjs';
import { table } from '../table.mjs';
import { ratio, throughput } from '../throughput.mjs';

const FEW = 3;
const MANY = 8;

/** 50 vehicles per supplier: the complete answer, and its ten cheapest offers. */
export async function measureVehicles(under, generator, suppliers) {
  await suppliers.set('vehicles=50');
  for (const server of under.slice(1)) {
    await sameAnswer(under[0], server);
    await sameAnswer(under[0], server, '&max_results=10');
  }
  const connections = FEW_CONNECTIONS;
  const complete = { title: '50 vehicles per supplier, complete answer', more: '&max_results=500', connections };
  const ten = { title: '50 vehicles per supplier, max_results=10', more: '&max_results=10', connections };
  const measured = {
    complete: await throughput(under, generator, complete),
    ten: await throughput(under, generator, ten),
  };
  await suppliers.set('');
  return measured;
}

/** The gateway and the Fastify floor, each with 3 and with 8 suppliers of ten vehicles. */
export async function measureSuppliers(redis, generator) {
  const token = `fc_s_demo_${randomBytes(32).toString('base64url')}`;
  const under = [];
  const children = [];
  const pairs = [];
  for (const count of [FEW, MANY]) {
    const suppliers = await startSuppliers(count);
    const env = { ...suppliers.env, ...gatewayEnv(redis, under.length) };
    const gateway = await startGateway(`gateway-${count}-suppliers`, DIST, env, { suppliers: count });
    under.push(gateway);
    children.push(suppliers.child);
    if (!wantsServer('fastify')) continue;
    const name = `fastify-${count}-suppliers`;
    const floor = await startFastifyFloor({ ...env, BENCH_TOKEN: token }, token, { name });
    under.push(floor);
    await sameAnswer(gateway, floor);
  }
  const title = `${FEW} and ${MANY} suppliers, 10 vehicles each`;
  const { rows, rounds } = await throughput(under, generator, { title, connections: FEW_CONNECTIONS });
  const byName = new Map(Object.entries(rounds));
  for (const kind of ['gateway', 'fastify']) {
    const [few, many] = [FEW, MANY].map((count) => `${kind}-${count}-suppliers`);
    if (byName.has(few))
      pairs.push({
        server: kind,
        'suppliers ×': MANY / FEW,
        'processor time ×': ratio(byName, many, few, 'cpuUsPerRequest'),
      });
  }
  table('Growth, at most linear if the processor time grows less than the suppliers', pairs);
  for (const server of under) await stop(server.child);
  for (const child of children) await stop(child);
  return { rows, rounds, growth: pairs };
}
