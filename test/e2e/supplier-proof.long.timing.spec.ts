import { PROBED, proberOf } from '../proof-suppliers/prober.js';
import { runProof } from '../proof-suppliers/proof.js';
import { type Evidence, isProven, judge, MOST_GROWTH_BYTES, reportLines } from '../proof-suppliers/report.js';
import { startChild } from '../support/child.js';

const CALLS = 1_500;

describe('the short proof of the suppliers (npm run proof:suppliers)', () => {
  let evidence: Evidence;
  beforeAll(async () => {
    evidence = await runProof(CALLS, () => undefined);
    console.log(reportLines(evidence).join('\n'));
  }, 300_000);

  test('every supplier, every fault, every operation: the right status and entries, in time', () => {
    const { rows } = evidence;
    expect(rows.filter(({ expected, told, lateMs }) => expected !== told || lateMs > 0)).toEqual([]);
    expect(rows.length).toBeGreaterThanOrEqual(6 * 13 * 5);
  });

  test('a hanging supplier does not slow down the others', () => {
    expect(judge(evidence).slowed).toBe(0);
  });

  test(`${CALLS} calls that time out leak no socket, timer, listener or memory`, () => {
    expect(evidence.leaks.calls).toBeGreaterThanOrEqual(CALLS);
    expect(judge(evidence)).toMatchObject({ sockets: 0, timers: 0, listeners: 0, heapBytes: 0 });
  });

  test.each<[string, (sound: Evidence) => Evidence]>([
    [
      'a wrong answer',
      (sound) => ({ ...sound, rows: sound.rows.map((row, at) => (at === 0 ? { ...row, told: '200' } : row)) }),
    ],
    [
      'a late answer',
      (sound) => ({ ...sound, rows: sound.rows.map((row, at) => (at === 0 ? { ...row, lateMs: 1 } : row)) }),
    ],
    [
      'slowed-down suppliers',
      (sound) => ({ ...sound, isolation: { ...sound.isolation, hangingP99Ms: 900, ratio: 9 } }),
    ],
    [
      'other suppliers as slow as the hanging one',
      (sound) => ({
        ...sound,
        isolation: { ...sound.isolation, calmP99Ms: sound.isolation.deadlineMs - 50, ratio: 1.1 },
      }),
    ],
    ['a leaked socket', (sound) => withLeft(sound, { sockets: sound.leaks.before.sockets + 1 })],
    ['a leaked timer', (sound) => withLeft(sound, { timers: sound.leaks.before.timers + 1 })],
    ['a listener warning', (sound) => withLeft(sound, { listenerWarnings: 1 })],
    ['a growing heap', (sound) => withLeft(sound, { heapBytes: sound.leaks.before.heapBytes + MOST_GROWTH_BYTES + 1 })],
  ])('%s is not proven', (_fault, spoil) => {
    expect(isProven(judge(spoil(evidence)))).toBe(false);
  });
});

describe('the probe of the proof', () => {
  const HOLDING = `
    const { EventEmitter, once } = require('node:events');
    const { connect, createServer } = require('node:net');
    const held = [];
    process.stdin.once('data', async () => {
      const server = createServer((socket) => held.push(socket)).listen(0, '127.0.0.1');
      await once(server, 'listening');
      for (let count = 0; count < 3; count += 1) {
        const socket = connect(server.address().port, '127.0.0.1');
        held.push(socket);
        await once(socket, 'connect');
      }
      for (let count = 0; count < 5; count += 1) held.push(setTimeout(() => undefined, 60_000).unref());
      const emitter = new EventEmitter();
      for (let count = 0; count < 11; count += 1) emitter.on('word', () => undefined);
      held.push(emitter, new Array(2_000_000).fill(0.5));
      setTimeout(() => console.log('HOLDING'), 50);
    });
    console.log('EMPTY');`;

  test('sees sockets at both ends, timers that do not keep the process alive, a listener warning, and memory', async () => {
    const child = startChild(process.execPath, [PROBED, '-e', HOLDING]);
    const probe = proberOf(child);
    await child.printed('EMPTY');
    const before = await probe();
    child.process.stdin.write('go');
    await child.printed('HOLDING');
    const after = await probe();
    await child.stop('SIGKILL');
    expect({
      sockets: after.sockets - before.sockets,
      timers: after.timers - before.timers,
      warnings: after.listenerWarnings - before.listenerWarnings,
    }).toEqual({ sockets: 6, timers: 5, warnings: 1 });
    expect(after.heapBytes - before.heapBytes).toBeGreaterThan(15_000_000);
  });
});

function withLeft(sound: Evidence, more: Partial<Evidence['leaks']['after']>): Evidence {
  return { ...sound, leaks: { ...sound.leaks, after: { ...sound.leaks.after, ...more } } };
}
