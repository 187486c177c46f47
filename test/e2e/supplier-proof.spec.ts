import { runProof } from '../proof-suppliers/proof.js';
import { type Evidence, isProven, judge, MOST_GROWTH_BYTES, reportLines } from '../proof-suppliers/report.js';

const CALLS = 3_000;

describe('the proof of the suppliers, in short (npm run proof:suppliers)', () => {
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

  test('a hanging supplier leaves the others as fast as they are', () => {
    expect(judge(evidence).slowed).toBe(0);
  });

  test(`${CALLS} calls that time out leave no socket, timer or listener, and no memory`, () => {
    expect(evidence.leaks.calls).toBeGreaterThanOrEqual(CALLS);
    expect(judge(evidence)).toMatchObject({ sockets: 0, timers: 0, listeners: 0, heapBytes: 0 });
  });

  test.each<[string, (sound: Evidence) => Evidence]>([
    ['a wrong answer', (sound) => ({ ...sound, rows: sound.rows.map((row, at) => (at === 0 ? { ...row, told: '200' } : row)) })],
    ['a late answer', (sound) => ({ ...sound, rows: sound.rows.map((row, at) => (at === 0 ? { ...row, lateMs: 1 } : row)) })],
    ['slow others', (sound) => ({ ...sound, isolation: { ...sound.isolation, hangingP99Ms: 900, ratio: 9 } })],
    ['a socket left', (sound) => withLeft(sound, { sockets: sound.leaks.before.sockets + 1 })],
    ['a timer left', (sound) => withLeft(sound, { timers: sound.leaks.before.timers + 1 })],
    ['a warning of listeners', (sound) => withLeft(sound, { listenerWarnings: 1 })],
    ['a heap that grew', (sound) => withLeft(sound, { heapBytes: sound.leaks.before.heapBytes + MOST_GROWTH_BYTES + 1 })],
  ])('%s is not proven', (_fault, spoil) => {
    expect(isProven(judge(spoil(evidence)))).toBe(false);
  });
});

function withLeft(sound: Evidence, more: Partial<Evidence['leaks']['after']>): Evidence {
  return { ...sound, leaks: { ...sound.leaks, after: { ...sound.leaks.after, ...more } } };
}
