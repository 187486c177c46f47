/** What a second worker adds. */
import { busyUs, cpuUsOfAll, median } from '../measures.mjs';
import { onAllCores, startGateway, startSuppliers, stop } from '../processes.mjs';
import { CONNECTIONS, DIST, postgresEnv, ROUNDS, SECONDS } from '../settings.mjs';
import { onlyStatus, ratio, warmUp } from '../throughput.mjs';

/** A row for each server; `more` is added to each query. Both cores are for everything, so the row says what the rest used. */
async function compareWorkers(under, generator, answer, more) {
  const rounds = new Map(under.map(({ name }) => [name, []]));
  for (let round = 0; round < ROUNDS; round += 1)
    for (const server of under) {
      const before = { own: cpuUsOfAll(server.child.pid), all: busyUs() };
      const figures = await generator.run({
        ...{ kind: 'closed', target: server.target, connections: CONNECTIONS, seconds: SECONDS, more },
      });
      onlyStatus(200, server, figures);
      const own = cpuUsOfAll(server.child.pid) - before.own;
      const all = busyUs() - before.all;
      const perSecond = 1e6 * SECONDS;
      rounds
        .get(server.name)
        .push({ ...figures, own: own / perSecond, others: (all - own) / perSecond, us: own / figures.requests });
    }
  return under.map(({ name }) => {
    const middle = (key) => median(rounds.get(name).map((one) => one[key]));
    return {
      server: name,
      answer,
      'req/s': middle('perSecond'),
      '× one worker': ratio(rounds, name, under[0].name, 'perSecond'),
      'cores used': middle('own'),
      'cores used by the rest': middle('others'),
      'CPU µs/req': middle('us'),
    };
  });
}

/** Searches of one worker and of two on all cores, which they share with the load, the suppliers, Redis and PostgreSQL. */
export async function measureWorkers(redis, generator, postgres) {
  const suppliers = await startSuppliers();
  const env = { ...suppliers.env, ...postgresEnv(redis, postgres) };
  const under = [];
  for (const [name, count] of [
    ['one-worker', 1],
    ['two-workers', 2],
  ])
    under.push(await startGateway(name, DIST, { ...env, WORKERS: String(count) }));
  for (const server of under) {
    onAllCores(server.child.pid);
    await warmUp(server, generator);
  }
  const rows = [];
  for (const [answer, more] of [
    ['complete', ''],
    ['max_results=10', '&max_results=10'],
  ])
    rows.push(...(await compareWorkers(under, generator, answer, more)));
  for (const server of under) await stop(server.child);
  await stop(suppliers.child);
  return rows;
}
