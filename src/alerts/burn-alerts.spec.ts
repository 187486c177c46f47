import { describe, expect, it } from '@jest/globals';
import { SloCounts } from '../metrics/slo-counts.js';
import { type BurnAlert, BurnAlerts } from './burn-alerts.js';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const STEP = 10 * SECOND;

/** Numbers in [0, 1), the same in each run (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** How many of `requests` fail, each with the probability `share`: jumps from failure to failure. */
function failuresIn(requests: number, share: number, random: () => number): number {
  if (share === 0 || share === 1) return requests * share;
  let failed = -1;
  for (let at = 0; at <= requests; failed += 1) at += 1 + Math.floor(Math.log(1 - random()) / Math.log(1 - share));
  return failed;
}

/** A gateway with one objective, whose clock the test moves in steps of 10 seconds. */
class Simulated {
  nowMs = 5_000;
  readonly counts = new SloCounts();
  readonly changes: (BurnAlert & { readonly atMs: number })[] = [];
  readonly #alerts: BurnAlerts;
  readonly #random: () => number;
  #owed = 0;

  constructor({ target = 0.999, windowDays = 30, seed = 1 } = {}) {
    this.#random = randomOf(seed);
    this.counts.set([{ slo: 'searches', supplier: '', target, windowDays }]);
    this.#alerts = new BurnAlerts(10, { monotonicMs: () => this.nowMs, epochMs: () => this.nowMs });
  }

  /** `perSecond` and `failing` (share of failures) depend on the time since the start. */
  run(durationMs: number, perSecond: (ms: number) => number, failing: (ms: number) => number): this {
    for (const end = this.nowMs + durationMs; this.nowMs < end; ) {
      this.nowMs += STEP;
      this.#owed += (perSecond(this.nowMs) * STEP) / SECOND;
      const requests = Math.floor(this.#owed);
      this.#owed -= requests;
      const failed = failuresIn(requests, failing(this.nowMs), this.#random);
      const [objective] = this.counts.all;
      if (objective)
        Object.assign(objective, { good: objective.good + requests - failed, bad: objective.bad + failed });
      for (const alert of this.#alerts.judge(this.counts.all)) this.changes.push({ ...alert, atMs: this.nowMs });
    }
    return this;
  }

  get words(): readonly string[] {
    return this.changes.map(({ pair, endedAt }) => `${pair.name} ${endedAt === undefined ? 'fires' : 'ends'}`);
  }
}

const steady = (perSecond: number) => () => perSecond;
/** Little at 4 in the morning, most at 4 in the afternoon. */
const daily = (mean: number) => (ms: number) => mean * (1 - 0.9 * Math.cos(((ms / HOUR - 4) / 24) * 2 * Math.PI));
const never = () => 0;

describe('a fast burn', () => {
  it.each([0.5, 5, 50])('alerts within 120 s of an outage, after a day of %p requests per second', (rate) => {
    const gateway = new Simulated().run(DAY, steady(rate), never);
    const began = gateway.nowMs;
    gateway.run(2 * MINUTE, steady(rate), () => 1);
    expect(gateway.words[0]).toBe('fast fires');
    expect((gateway.changes[0]?.atMs ?? 0) - began).toBeLessThanOrEqual(120 * SECOND);
  });

  it.each([0.5, 5, 50])('alerts within 120 s of an outage with a target of 0.99 and %p requests per second', (rate) => {
    // The counts are read every 30 seconds: the outage begins at any time between.
    for (const offset of [0, 10, 20]) {
      const gateway = new Simulated({ target: 0.99 }).run(DAY + offset * SECOND, steady(rate), never);
      const began = gateway.nowMs;
      gateway.run(10 * MINUTE, steady(rate), () => 1);
      expect(gateway.words).toEqual(['fast fires']);
      const [alert] = gateway.changes;
      expect((alert?.atMs ?? 0) - began).toBeLessThanOrEqual(110 * SECOND);
      expect([alert?.isOutage, alert?.seen.good]).toEqual([true, 0]);
      const repaired = gateway.nowMs;
      gateway.run(HOUR, steady(rate), never);
      const end = gateway.changes.find(({ pair, endedAt }) => pair.name === 'fast' && endedAt !== undefined);
      expect((end?.atMs ?? 0) - repaired).toBeLessThanOrEqual(11 * MINUTE);
    }
  });

  it('of an outage goes on while most requests fail, and is not one if a few do not', () => {
    const most = new Simulated({ target: 0.99 }).run(DAY, steady(5), never).run(8 * MINUTE, steady(5), () => 0.9);
    expect(most.words).toEqual([]);
    const gateway = new Simulated({ target: 0.99 }).run(DAY, steady(5), never).run(2 * MINUTE, steady(5), () => 1);
    gateway.run(20 * MINUTE, steady(5), () => 0.9);
    expect(gateway.words.filter((words) => words.startsWith('fast'))).toEqual(['fast fires']);
  });

  it('alerts within 120 s while the traffic falls', () => {
    const gateway = new Simulated().run(2 * HOUR, steady(10), never);
    gateway.run(30 * MINUTE, steady(6), never);
    const began = gateway.nowMs;
    gateway.run(2 * MINUTE, steady(6), () => 1);
    expect(gateway.changes[0]).toMatchObject({ pair: { name: 'fast' }, endedAt: undefined });
    expect((gateway.changes[0]?.atMs ?? 0) - began).toBeLessThanOrEqual(120 * SECOND);
  });

  it('alerts within 120 s if half of the requests of a gateway that was just started fail', () => {
    const gateway = new Simulated().run(2 * MINUTE, steady(1), () => 0.5);
    expect(gateway.words).toContain('fast fires');
  });

  it('ends minutes after the failures, although the hour is still above its limit', () => {
    const gateway = new Simulated().run(2 * HOUR, steady(5), never).run(10 * MINUTE, steady(5), () => 1);
    const repaired = gateway.nowMs;
    gateway.run(30 * MINUTE, steady(5), never);
    const end = gateway.changes.find(({ pair, endedAt }) => pair.name === 'fast' && endedAt !== undefined);
    expect(end?.endedAt).toBe(end?.atMs);
    expect((end?.atMs ?? 0) - repaired).toBeLessThanOrEqual(11 * MINUTE);
    expect(end?.seen.bad).toBe(10 * 60 * 5);
  });

  it('alerts once, however long it lasts, and ends if the objective is removed', () => {
    const gateway = new Simulated().run(2 * HOUR, steady(5), () => 0.5);
    expect(gateway.words).toEqual(['fast fires', 'slow fires']);
    gateway.counts.set([]);
    gateway.run(STEP, steady(0), never);
    expect(gateway.words.slice(2)).toEqual(['fast ends', 'slow ends']);
  });
});

describe('a slow burn', () => {
  it('of 8 times the budget alerts on the pair of 6 hours only, and ends', () => {
    const gateway = new Simulated().run(DAY, steady(5), () => 0.0005).run(6 * HOUR, steady(5), () => 0.008);
    expect(gateway.words).toEqual(['slow fires']);
    gateway.run(2 * HOUR, steady(5), () => 0.0005);
    expect(gateway.words).toEqual(['slow fires', 'slow ends']);
  });

  it('is what 6 times the budget of 30 days is; a budget of 7 days has lower limits', () => {
    const run = (windowDays: number) =>
      new Simulated({ windowDays }).run(DAY, steady(20), () => 0.0002).run(6 * HOUR, steady(20), () => 0.002).words;
    expect([run(30), run(7)]).toEqual([[], ['slow fires']]);
  });
});

describe('nothing alerts', () => {
  it.each([0.02, 0.1, 1, 50])(
    'in seven days of ordinary noise with %p requests per second on average',
    (mean) => {
      for (const seed of [1, 2]) {
        const random = randomOf(seed * 7_919);
        // The level of failures changes every hour between 0.1 and 0.3 %; six times a day, 20 seconds have 10 %.
        const levels = Array.from({ length: 24 * 8 }, () => 0.001 + 0.002 * random());
        const bursts = Array.from({ length: 6 * 8 }, (_, index) => (index + random() * 0.9) * 4 * HOUR);
        const noise = (ms: number) =>
          bursts.some((at) => ms >= at && ms < at + 20 * SECOND) ? 0.1 : (levels[Math.floor(ms / HOUR)] ?? 0.002);
        const gateway = new Simulated({ seed }).run(7 * DAY, daily(mean), noise);
        expect(gateway.words).toEqual([]);
        const [{ good, bad } = { good: 0, bad: 0 }] = gateway.counts.all;
        expect(good).toBeGreaterThan(mean * 7 * 86_400 * 0.9);
        expect(bad / good).toBeGreaterThan(0.001);
      }
    },
    120_000,
  );

  it.each([0.02, 0.1, 1, 50])(
    'in seven days with a target of 0.99, 0.3 % of failures and four outages of 30 seconds a day, at %p requests per second',
    (mean) => {
      // Not when the gateway starts: it has counted nothing else then.
      const isOut = (ms: number): boolean => (ms + 3 * HOUR) % (6 * HOUR) < 30 * SECOND;
      const noise = (ms: number): number => (isOut(ms) ? 1 : 0.003);
      const gateway = new Simulated({ target: 0.99 }).run(7 * DAY, daily(mean), noise);
      expect(gateway.words).toEqual([]);
    },
    60_000,
  );

  it('if few requests fail, however large their share is', () => {
    const gateway = new Simulated().run(7 * DAY, steady(1 / 1_800), () => 1);
    expect(gateway.words).toEqual([]);
  });

  it('without requests', () => {
    expect(new Simulated().run(DAY, steady(0), never).words).toEqual([]);
  });
});

it('takes memory of fixed size: windows are right after days', () => {
  const gateway = new Simulated().run(3 * DAY, steady(5), () => 0.02);
  const alert = gateway.changes.find(({ pair }) => pair.name === 'slow');
  expect(alert).toBeDefined();
  gateway.run(6 * HOUR + MINUTE, steady(5), never).run(HOUR, steady(5), () => 1);
  const fast = gateway.changes.filter(({ pair, endedAt }) => pair.name === 'fast' && endedAt === undefined);
  // A burn near its limit does not begin and end all the time.
  expect(fast.length).toBeLessThan(4);
  // Nothing from before the 6 hours is counted.
  const slow = gateway.changes.findLast(({ pair, endedAt }) => pair.name === 'slow' && endedAt === undefined);
  expect((slow?.seen.good ?? 0) + (slow?.seen.bad ?? 0)).toBeLessThanOrEqual((6 * 3_600 + 30) * 5);
});
