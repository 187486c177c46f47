/** Reads the resource usage of a process from /proc, and its heap through the inspector. */
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';

const TICK_US = 10_000;

/** Processor time used by a process so far, user and system, in microseconds (in steps of 10 ms). */
export function cpuUs(pid) {
  const { utime, stime } = ticks(pid);
  return (utime + stime) * TICK_US;
}

/** The same for a process and its children, including those that have exited. */
export function cpuUsOfAll(pid) {
  const living = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .split(' ')
    .filter((child) => child.trim() !== '');
  const { utime, stime, cutime, cstime } = ticks(pid);
  return living.reduce((sum, child) => sum + cpuUs(child), (utime + stime + cutime + cstime) * TICK_US);
}

/**
 * Processor time of a process so far, in microseconds: of its main thread, of its other threads (compiler, garbage
 * collection, worker threads), and of the kernel for all of them. Threads that have exited count as other threads.
 */
export function cpuParts(pid) {
  const all = ticks(pid);
  const main = ticks(`${pid}/task/${pid}`);
  return {
    main: main.utime * TICK_US,
    helpers: (all.utime - main.utime) * TICK_US,
    kernel: all.stime * TICK_US,
  };
}

/** Processor time of a process's living threads so far, in microseconds; exact, unlike the other figures. */
export function exactCpuUs(pid) {
  const of = (thread) => Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]) / 1_000;
  return readdirSync(`/proc/${pid}/task`).reduce((sum, thread) => sum + of(thread), 0);
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

/** Processor time that the machine has used so far, on all cores, in microseconds (without waiting for disks). */
export function busyUs() {
  const [user, nice, system, , , irq, softirq] = readFileSync('/proc/stat', 'utf8')
    .split('\n')[0]
    .match(/\d+/g)
    .map(Number);
  return (user + nice + system + irq + softirq) * TICK_US;
}

/** Resident memory of a process, bytes. */
export function rssBytes(pid) {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1_024;
}

/** Median; for an even count, the mean of the two middle values. */
export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

/** A connection to the inspector of a Node process: `send(method, params)` returns the result. */
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

/**
 * Profiles a Node process for `seconds`; returns functions by self time, most expensive first ([{name, share}]), and
 * the total busy time.
 */
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
    // A sample that took many times its interval means that the process was descheduled, not that the function was
    // slow.
    if (functionName === '(idle)' || taken.timeDeltas[index] > 2_000) continue;
    const place = url === '' ? '' : `${url.replace(/^.*\/(node_modules|dist)\//, '')}:${lineNumber + 1}`;
    const name = `${functionName || '(anonymous)'} ${place}`;
    byFunction.set(name, (byFunction.get(name) ?? 0) + taken.timeDeltas[index]);
    total += taken.timeDeltas[index];
  }
  const rows = [...byFunction].map(([name, us]) => ({ name, share: us / total })).sort((a, b) => b.share - a.share);
  return { rows, activeUs: total, taken };
}
