/** Reads what a process costs from /proc, and its heap over the inspector. */
import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';

const TICK_US = 10_000;

/** Processor time a process has used so far, user and system, microseconds (in steps of 10 ms). */
export function cpuUs(pid) {
  const { utime, stime } = ticks(pid);
  return (utime + stime) * TICK_US;
}

/** The same of a process and its children together, those that have ended included. */
export function cpuUsOfAll(pid) {
  const living = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .split(' ')
    .filter((child) => child.trim() !== '');
  const { utime, stime, cutime, cstime } = ticks(pid);
  return living.reduce((sum, child) => sum + cpuUs(child), (utime + stime + cutime + cstime) * TICK_US);
}

/** proc_pid_stat(5): fields 14 to 17. */
function ticks(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const [utime, stime, cutime, cstime] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 15)
    .map(Number);
  return { utime, stime, cutime, cstime };
}

/** Resident memory of a process, bytes. */
export function rssBytes(pid) {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1_024;
}

/** Middle value; the mean of the two middle ones of an even count. */
export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

/** A connection to the inspector of a Node process: `send(method, params)` gives the result. */
export async function inspect(port) {
  const [{ webSocketDebuggerUrl }] = await (await fetch(`http://127.0.0.1:${port}/json/list`)).json();
  const socket = new WebSocket(webSocketDebuggerUrl);
  await new Promise((done) => socket.addEventListener('open', done, { once: true }));
  const waiting = new Map();
  let id = 0;
  socket.addEventListener('message', ({ data }) => {
    const reply = JSON.parse(data);
    waiting.get(reply.id)?.(reply.result);
    waiting.delete(reply.id);
  });
  return {
    send(method, params = {}) {
      id += 1;
      const own = id;
      return new Promise((done) => {
        waiting.set(own, done);
        socket.send(JSON.stringify({ id: own, method, params }));
      });
    },
    close: () => socket.close(),
  };
}

/** Heap in use after a full collection, bytes. */
export async function liveHeapBytes(inspector) {
  await inspector.send('HeapProfiler.collectGarbage');
  return (await inspector.send('Runtime.getHeapUsage')).usedSize;
}

/** Profiles a Node process for `seconds`; gives functions by their own time, most costly first ([{name, share}]), and the busy time in all. */
export async function profile(inspector, seconds) {
  await inspector.send('Profiler.enable');
  await inspector.send('Profiler.setSamplingInterval', { interval: 200 });
  await inspector.send('Profiler.start');
  await wait(seconds * 1_000);
  const { profile: taken } = await inspector.send('Profiler.stop');
  const byFunction = new Map();
  const frames = new Map(taken.nodes.map((node) => [node.id, node.callFrame]));
  let total = 0;
  for (const [index, node] of taken.samples.entries()) {
    const { functionName, url, lineNumber } = frames.get(node);
    // A sample that took many times its interval says that the process was off its core, not that the function was slow.
    if (functionName === '(idle)' || taken.timeDeltas[index] > 2_000) continue;
    const place = url === '' ? '' : `${url.replace(/^.*\/(node_modules|dist)\//, '')}:${lineNumber + 1}`;
    const name = `${functionName || '(anonymous)'} ${place}`;
    byFunction.set(name, (byFunction.get(name) ?? 0) + taken.timeDeltas[index]);
    total += taken.timeDeltas[index];
  }
  const rows = [...byFunction].map(([name, us]) => ({ name, share: us / total })).sort((a, b) => b.share - a.share);
  return { rows, activeUs: total, taken };
}
