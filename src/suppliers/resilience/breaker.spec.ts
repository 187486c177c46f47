import { describe, expect, it } from '@jest/globals';
import { Breaker, type BreakerSettings } from './breaker.js';
import type { Health } from './evidence.js';

const SETTINGS: BreakerSettings = {
  windowMs: 10_000,
  minCalls: 10,
  failureRate: 0.5,
  slowRate: 0.8,
  slowShare: 0.5,
  openMs: 5_000,
  probes: 2,
};

function world() {
  const clock = { ms: 1_000 };
  const moves: string[] = [];
  const breaker = new Breaker(
    SETTINGS,
    () => clock.ms,
    (state, reason) => moves.push(`${state}: ${reason}`),
  );
  const call = (health: Health, times = 1, question?: number): void => {
    for (let made = 0; made < times; made += 1) {
      const permit = breaker.admit();
      if (permit === undefined) throw new Error('refused');
      breaker.settle(permit, health, question);
    }
  };
  const opened = () => {
    call('failed', 10);
    return { clock, moves, breaker, call };
  };
  return { clock, moves, breaker, call, opened };
}

describe('a closed breaker', () => {
  it.each<[string, readonly [Health, number][], string[]]>([
    ['stays closed with too few calls, even if all failed', [['failed', 9]], []],
    [
      'opens with the call that reaches the failure rate',
      [
        ['good', 5],
        ['failed', 5],
      ],
      ['open: failures'],
    ], // prettier-ignore
    [
      'stays closed below the failure rate',
      [
        ['good', 6],
        ['failed', 5],
      ],
      [],
    ], // prettier-ignore
    [
      'opens on slow calls alone',
      [
        ['good', 2],
        ['slow', 8],
      ],
      ['open: slow'],
    ], // prettier-ignore
    [
      'opens on slow and failed calls together',
      [
        ['good', 2],
        ['failed', 4],
        ['slow', 4],
      ],
      ['open: slow'],
    ], // prettier-ignore
    [
      'stays closed below the slow rate',
      [
        ['good', 3],
        ['slow', 7],
      ],
      [],
    ], // prettier-ignore
    ['ignores calls with an unknown result', [['unknown', 100]], []],
  ])('%s', (_case, calls, moves) => {
    const subject = world();
    for (const [health, times] of calls) subject.call(health, times);
    expect(subject.moves).toEqual(moves);
    expect(subject.breaker.state).toBe(moves.length === 0 ? 'closed' : 'open');
  });

  it('counts a question once, however often it is repeated', () => {
    const { call, moves } = world();
    for (let question = 0; question < 3; question += 1) call('good', 1, question);
    call('failed', 50, 7);
    expect(moves).toEqual([]);
    call('failed', 1, 8);
    call('failed', 1, 9);
    expect(moves).toEqual(['open: failures']);
  });

  it('opens if the only question that is asked fails', () => {
    const { call, moves } = world();
    call('failed', 10, 7);
    expect(moves).toEqual(['open: failures']);
  });

  it('forgets calls that are older than its window', () => {
    const { call, clock, moves } = world();
    call('failed', 9);
    clock.ms += 12_000;
    call('failed', 9);
    expect(moves).toEqual([]);
  });
});

describe('an open breaker', () => {
  it('rejects calls until its time has passed, then admits exactly the configured number of probes', () => {
    const { breaker, clock } = world().opened();
    clock.ms += 4_999;
    expect(breaker.admit()).toBeUndefined();
    clock.ms += 1;
    expect([breaker.admit(), breaker.admit(), breaker.admit()].map((permit) => permit !== undefined)).toEqual([
      true,
      true,
      false,
    ]);
    expect(breaker.state).toBe('half_open');
  });

  it('closes with only its last probe in the window when all probes succeeded', () => {
    const { breaker, clock, call, moves } = world().opened();
    clock.ms += 5_000;
    call('good', 2);
    call('failed', 8);
    expect(breaker.state).toBe('closed');
    expect(moves).toEqual(['open: failures', 'half_open: time', 'closed: probe']);
  });

  it.each<Health>(['failed', 'slow'])('opens again for its full time when a probe is %s', (health) => {
    const { breaker, clock, call } = world().opened();
    clock.ms += 5_000;
    call('good');
    call(health);
    clock.ms += 4_999;
    expect(breaker.admit()).toBeUndefined();
    clock.ms += 1;
    expect(breaker.admit()).toBeDefined();
  });

  it('admits another probe for one with an unknown result', () => {
    const { breaker, clock, call } = world().opened();
    clock.ms += 5_000;
    call('unknown', 5);
    call('good', 2);
    expect(breaker.state).toBe('closed');
  });

  it('ignores the results of calls made before it opened', () => {
    const { breaker, clock, call } = world();
    const [early, late] = [breaker.admit() ?? -1, breaker.admit() ?? -1];
    call('failed', 10);
    clock.ms += 5_000;
    const probe = breaker.admit() ?? -1;
    breaker.settle(early, 'good');
    breaker.settle(late, 'failed');
    expect(breaker.state).toBe('half_open');
    breaker.settle(probe, 'good');
    call('good');
    expect(breaker.state).toBe('closed');
  });
});

describe('a breaker that opened in another gateway', () => {
  it('opens here for the same time, with its own reason', () => {
    const { breaker, clock, moves } = world();
    breaker.openFor(2_000, 'other_gateway');
    expect([breaker.admit(), moves]).toEqual([undefined, ['open: other_gateway']]);
    clock.ms += 2_000;
    expect(breaker.admit()).toBeDefined();
  });

  it('has no effect if the breaker is already open', () => {
    const { breaker, clock, moves } = world().opened();
    breaker.openFor(60_000, 'other_gateway');
    clock.ms += 5_000;
    expect(breaker.admit()).toBeDefined();
    expect(moves).toEqual(['open: failures', 'half_open: time']);
  });
});
