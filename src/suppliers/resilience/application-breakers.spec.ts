import { describe, expect, it } from '@jest/globals';
import { ApplicationBreakers, EVERYONE } from './application-breakers.js';
import type { BreakerSettings } from './breaker.js';
import type { Caller } from './caller.js';
import type { Health } from './evidence.js';

const SETTINGS: BreakerSettings = {
  windowMs: 10_000,
  minCalls: 20,
  failureRate: 0.5,
  slowRate: 0.8,
  slowShare: 0.5,
  openMs: 5_000,
  probes: 3,
};

const app = (name: string, account = name): Caller => ({ applicationId: `app_${name}`, accountId: `acc_${account}` });
const [ada, bob, cleo, dan] = [app('ada'), app('bob'), app('cleo'), app('dan')] as const;

function world(settings: Partial<BreakerSettings> = {}) {
  const clock = { ms: 1_000_000 };
  const moves: string[] = [];
  const breakers = new ApplicationBreakers(
    { ...SETTINGS, ...settings },
    () => clock.ms,
    (scope, state, reason) => moves.push(`${scope} ${state}: ${reason}`),
  );
  /** Makes calls of `caller`, each with its own question unless all ask `question`; how many were rejected. */
  const ask = (caller: Caller, health: Health, times = 1, question?: number): number => {
    let rejected = 0;
    for (let made = 0; made < times; made += 1) {
      const permit = breakers.admit(caller);
      if (permit) breakers.settle(permit, health, question);
      else rejected += 1;
    }
    return rejected;
  };
  return { clock, moves, breakers, ask };
}

describe('one tenant alone', () => {
  it.each<[string, Health, number]>([
    ['30 failing searches', 'failed', 30],
    ['170 slow searches', 'slow', 170],
    ['5,000 failing searches', 'failed', 5_000],
  ])('with %s is held back, and no other application is', (_case, health, times) => {
    const { ask, breakers } = world();
    expect(ask(ada, health, times)).toBe(times - 20);
    expect([bob, cleo, dan].map((other) => ask(other, 'good', 5))).toEqual([0, 0, 0]);
    expect(breakers.overview()).toEqual({ state: 'open', applications: 1 });
  });

  it('with many applications holds back those applications, and no other account', () => {
    const { ask, moves } = world();
    for (let number = 0; number < 50; number += 1) ask(app(`ada${number}`, 'ada'), 'failed', 30);
    expect(moves).toContain('acc_ada open: failures');
    expect(ask(app('new', 'ada'), 'good')).toBe(1);
    expect([ask(bob, 'good', 5), ask(cleo, 'good', 5)]).toEqual([0, 0]);
  });

  it('does not prolong an outage for others with its own failing probes', () => {
    const { ask, clock } = world();
    for (const caller of [ada, bob, cleo]) ask(caller, 'failed', 20);
    expect(ask(dan, 'good')).toBe(1);
    for (let second = 0; second < 30; second += 1) {
      clock.ms += 1_000;
      ask(ada, 'failed', 30);
    }
    expect(ask(dan, 'good', 5)).toBe(0);
    for (let second = 0; second < 20; second += 1) {
      clock.ms += 1_000;
      expect(ask(ada, 'failed', 30) + ask(bob, 'good', 3)).toBeGreaterThan(0);
      expect(ask(dan, 'good', 1)).toBe(0);
    }
  });

  it('is heard no more for asking more: two failing tenants do not outvote two that are served', () => {
    const { ask } = world();
    for (const caller of [cleo, dan]) ask(caller, 'good', 20);
    for (const caller of [ada, bob]) ask(caller, 'failed', 400);
    expect(ask(app('new'), 'good', 5)).toBe(0);
  });
});

describe('the only application that calls', () => {
  it('is protected when everything fails', () => {
    const { ask, moves, clock } = world();
    expect(ask(ada, 'failed', 100)).toBe(80);
    expect(moves).toEqual(['app_ada open: failures']);
    clock.ms += 5_000;
    expect(ask(ada, 'good', 10)).toBe(0);
    expect(moves.at(-1)).toBe('app_ada closed: probe');
  });

  it('is protected when its only question fails', () => {
    const { ask } = world();
    expect(ask(ada, 'failed', 30, 7)).toBe(10);
  });
});

describe('several applications that fail', () => {
  it('hold back one that has not called yet, and one that fails as well', () => {
    const { ask, moves } = world();
    ask(cleo, 'failed', 2);
    for (const caller of [ada, bob]) ask(caller, 'failed', 20);
    expect(moves).toContain(`${EVERYONE} open: failures`);
    expect([ask(cleo, 'good'), ask(dan, 'good')]).toEqual([1, 1]);
  });

  it('need not reach the minimum each', () => {
    const { ask, moves } = world();
    for (let number = 0; number < 11; number += 1) ask(app(String(number)), 'failed', 2);
    expect(moves).toEqual([`${EVERYONE} open: failures`]);
  });

  it('of one account hold back the others of that account', () => {
    const { ask, moves } = world();
    for (let number = 0; number < 11; number += 1) ask(app(String(number), 'ada'), 'slow', 2);
    expect(moves).toEqual(['acc_ada open: slow']);
    expect([ask(app('new', 'ada'), 'good'), ask(bob, 'good')]).toEqual([1, 0]);
  });

  it('do not hold back one that is served', () => {
    const { ask } = world();
    ask(cleo, 'good', 3);
    ask(cleo, 'failed', 2);
    for (const caller of [ada, bob]) ask(caller, 'failed', 20);
    expect([ask(cleo, 'good', 5), ask(dan, 'good', 5)]).toEqual([0, 5]);
  });

  it('count as one if they all repeat the same failing question', () => {
    const { ask, moves } = world({ minCalls: 5 });
    for (const caller of [ada, bob, cleo]) ask(caller, 'failed', 4, 7);
    expect(moves).toEqual([]);
  });

  it('are called again by probes, and a supplier that stays down gets few calls', () => {
    const { ask, clock } = world();
    const callers = Array.from({ length: 40 }, (_, number) => app(String(number)));
    let sent = 0;
    for (let second = 0; second < 60; second += 1) {
      clock.ms += 1_000;
      for (const caller of callers) sent += 10 - ask(caller, 'failed', 10);
    }
    // 24,000 calls were asked for.
    expect(sent).toBeLessThan(1_000);
    clock.ms += 5_000;
    expect(callers.map((caller) => ask(caller, 'good', 5)).reduce((sum, one) => sum + one)).toBe(0);
  });
});

describe('an opening of another gateway', () => {
  it('of one application holds back that application, even if it is served here', () => {
    const { ask, breakers, clock, moves } = world();
    ask(ada, 'good', 20);
    breakers.openFor('app_ada', 2_000);
    expect([ask(ada, 'good'), ask(bob, 'good')]).toEqual([1, 0]);
    expect(moves).toEqual(['app_ada open: other_gateway']);
    clock.ms += 2_000;
    expect(ask(ada, 'good', 5)).toBe(0);
  });

  it('of everyone holds back all but those that are served here', () => {
    const { ask, breakers } = world();
    ask(ada, 'good');
    breakers.openFor(EVERYONE, 2_000);
    expect([ask(ada, 'good'), ask(bob, 'good')]).toEqual([0, 1]);
  });
});

it('forgets the applications that called longest ago beyond a thousand', () => {
  const { ask, breakers } = world();
  ask(ada, 'failed', 20);
  for (let number = 0; number < 1_100; number += 1) ask(app(String(number)), 'good');
  expect(breakers.overview()).toEqual({ state: 'closed', applications: 0 });
});

it('leaves applications that stopped calling out of the overview', () => {
  const { ask, breakers, clock } = world();
  ask(ada, 'failed', 20);
  clock.ms += 14_999;
  expect(breakers.overview()).toEqual({ state: 'open', applications: 1 });
  clock.ms += 1;
  expect(breakers.overview()).toEqual({ state: 'closed', applications: 0 });
});
