/**
 * What a server does with more requests than it can process: its capacity in a closed loop, then 2 and 5 times as many
 * requests per second regardless of responses, each followed by half the capacity. Returns one row per load.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { Line } from '../load-generator.mjs';

const HEALTH_EVERY_MS = 100;

/** `connections` of the closed loop; `seconds` per load. */
export async function measureOverload(server, generator, { connections, seconds }) {
  const { target } = server;
  await generator.run({ kind: 'closed', target, connections, seconds: 5 });
  const closed = await generator.run({ kind: 'closed', target, connections, seconds });
  const capacity = closed.perSecond;
  const rows = [];
  for (const times of [2, 5]) {
    console.error(`overload: ${server.name}, ${times} × ${capacity.toFixed(0)}/s for ${seconds} s`);
    const health = watchHealth(target);
    const over = await generator.run({ kind: 'open', target, rate: capacity * times, seconds });
    const healthMs = await health.end();
    const after = await generator.run({ kind: 'open', target, rate: capacity / 2, seconds: 4 });
    rows.push({
      server: server.name,
      load: `${times} × ${capacity.toFixed(0)}/s`,
      'goodput/capacity': (over.perStatus[200]?.perSecond ?? 0) / capacity,
      'p50 ms': over.perStatus[200]?.p50,
      'p99 ms': over.perStatus[200]?.p99,
      '503 p99 ms': over.perStatus[503]?.p99,
      'health max ms': healthMs,
      'recovered s': recoveredAfter(after.timeline),
      statuses: over.statuses,
      afterwards: after.statuses,
    });
  }
  return rows;
}

/** Seconds after which every response is 200. */
function recoveredAfter(timeline) {
  const last = timeline.findLastIndex((counts) => Object.keys(counts).some((status) => status !== '200'));
  return (last + 1) / 2;
}

/** Requests /health/live again and again on one connection; `end` returns the longest time in milliseconds. */
function watchHealth({ host, port }) {
  let isOver = false;
  const run = async () => {
    const line = new Line(host, port);
    let longest = 0;
    while (!isOver) {
      const before = performance.now();
      await line.send(`GET /health/live HTTP/1.1\r\nhost: ${host}:${port}\r\n\r\n`);
      longest = Math.max(longest, performance.now() - before);
      await wait(HEALTH_EVERY_MS);
    }
    line.close();
    return longest;
  };
  const running = run();
  return {
    end: () => {
      isOver = true;
      return running;
    },
  };
}
