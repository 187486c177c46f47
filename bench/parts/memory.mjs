/** The memory of a request that waits for its suppliers. */
import { setTimeout as wait } from 'node:timers/promises';
import { Line, nextQuestion, requestText } from '../load-generator.mjs';
import { inspect, liveHeapBytes, rssBytes } from '../measures.mjs';
import { freePort, startGateway, stop } from '../processes.mjs';
import { ALL_MAY_WAIT, DIST } from '../settings.mjs';

/** Rows with the heap per waiting request: if all suppliers hang (bare waiting), and if one hangs (with two responses in memory). */
export async function measureMemory(env, generator, suppliers) {
  const port = await freePort();
  const gateway = await startGateway('gateway-memory', DIST, env, {
    timeoutMs: 5_500,
    inspect: port,
    settings: 'http: { maxConcurrent: 10000, unreadBytes: 4000000000 }\n',
    ofSuppliers: ALL_MAY_WAIT,
  });
  const { pid } = gateway.child;
  await generator.run({ kind: 'closed', target: gateway.target, connections: 48, seconds: 2 });
  const inspector = await inspect(port);
  const rows = [];
  for (const [name, hang] of [
    ['all three hang', 'One,Two,Three'],
    ['one hangs', 'Three'],
  ]) {
    const [first, count] = [100, 300];
    await suppliers.set(`hang=${hang}`);
    const held = async () => ({ heap: await liveHeapBytes(inspector), rss: rssBytes(pid) });
    const flood = (requests) => {
      const sent = Promise.withResolvers();
      const done = generator.run({ kind: 'flood', target: gateway.target, count: requests }, sent.resolve);
      return { sent: sent.promise, done };
    };
    // What only the first ones cost doesn't count: the source maps, which the stack of an aborted call needs, and connections.
    await disconnected(gateway.target);
    const early = flood(first);
    await early.sent;
    const before = await held();
    const late = flood(count);
    await late.sent;
    const after = await held();
    const [{ statuses }] = await Promise.all([late.done, early.done]);
    await suppliers.set('');
    if (statuses[429] || statuses[503])
      throw new Error(`requests that should wait were refused: ${JSON.stringify(statuses)}`);
    const kb = (key) => (after[key] - before[key]) / count / 1_024;
    rows.push({ waiting: `${count}, ${name}`, 'heap KB/request': kb('heap'), 'RSS KB/request': kb('rss'), statuses });
    await wait(500);
  }
  inspector.close();
  await stop(gateway.child);
  return rows;
}

/** Sends a search and disconnects before it is answered. */
async function disconnected(target) {
  const line = new Line(target.host, target.port);
  void line.send(requestText(target, nextQuestion().query));
  await wait(300);
  line.close();
  await wait(300);
}
