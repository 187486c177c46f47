import { ADMITTED, type FaultRun, type ObservedCall } from './evidence.js';
import { isFaultRunProven, isLimitProven, judgeFaults, judgeLimit } from './judge.js';

describe('the judge of the limits', () => {
  const rate = { perMinute: 600, burst: 5 };
  /** Ten per second are allowed: call n is admitted at n × 100 ms after a burst, its answer takes 4 ms. */
  const called = (sentMs: number, status = ADMITTED): ObservedCall => ({ sentMs, answeredMs: sentMs + 4, status });
  const exact = [
    ...Array.from({ length: 5 }, () => called(0)),
    ...Array.from({ length: 50 }, (_, at) => called((at + 1) * 100)),
  ];
  const refused = Array.from({ length: 40 }, (_, at) => called(at * 120 + 50, 429));
  const run = { rate, calls: [...exact, ...refused], gateways: 1, name: 'test', load: 1.5, isTightest: true };
  const verdictOf = (calls: readonly ObservedCall[]) => judgeLimit({ rate, calls });

  test('finds nothing in exactly what the rate allows', () => {
    const verdict = judgeLimit(run);
    expect(verdict).toMatchObject({ admitted: 55, refused: 40, possible: 55, over: 0, strange: {} });
    expect(isLimitProven(run, verdict)).toBe(true);
  });

  test('finds one call too many, in the burst and later', () => {
    expect(verdictOf([...run.calls, called(0)]).over).toBe(1);
    expect(verdictOf([...run.calls, called(2_550)]).over).toBe(1);
  });

  test('finds gateways that each limit on their own', () => {
    expect(verdictOf([...run.calls, ...exact]).over).toBeGreaterThan(50);
  });

  test('claims no excess that the time between sending and answer explains', () => {
    const late = exact.map((call) => ({ ...call, answeredMs: call.sentMs + 300 }));
    expect(verdictOf([...late, called(2_550)]).over).toBe(0);
  });

  test('blames no limit for calls that arrive in a burst after a pause of the machine', () => {
    const paced = Array.from({ length: 30 }, (_, at) => called(at * 120));
    const held = paced.map((call, at) =>
      at >= 10 && at < 20 ? { ...call, answeredMs: 2_300, status: at < 15 ? ADMITTED : 429 } : call,
    );
    const heap = { ...run, calls: held };
    expect(judgeLimit(heap)).toMatchObject({ possible: 25, admitted: 25, over: 0 });
    expect(isLimitProven(heap, judgeLimit(heap))).toBe(true);
  });

  test('finds a limit that admits less than 99 % of what it could', () => {
    const strict = {
      ...run,
      calls: run.calls.map((call, at) => (at === 20 || at === 30 ? { ...call, status: 429 } : call)),
    };
    expect(isLimitProven(strict, judgeLimit(strict))).toBe(false);
    expect(isLimitProven({ ...strict, isTightest: false }, judgeLimit(strict))).toBe(true);
  });

  test('finds answers that are neither admitted nor 429', () => {
    const verdict = verdictOf([...run.calls, called(70, 503), called(80, 0)]);
    expect(verdict.strange).toEqual({ 0: 1, 503: 1 });
    expect(isLimitProven(run, verdict)).toBe(false);
  });

  test('holds answers to their phase, lets a limit restart only after a loss, and notices every exited gateway', () => {
    const faults: FaultRun = {
      rate,
      phases: [
        { name: 'here', fromMs: 0, toMs: 1_000, statuses: [ADMITTED, 429] },
        { name: 'away', fromMs: 1_100, toMs: 2_000, statuses: [503] },
      ],
      lossesMs: [1_500],
      calls: [
        ...Array.from({ length: 5 }, () => called(0)),
        called(1_200, 503),
        ...Array.from({ length: 5 }, () => called(2_100)),
      ],
      gatewaysStarted: 2,
      gatewaysAlive: 2,
    };
    const isFound = (change: Partial<FaultRun>) =>
      !isFaultRunProven({ ...faults, ...change }, judgeFaults({ ...faults, ...change }));
    expect(isFound({})).toBe(false);
    expect(isFound({ gatewaysAlive: 1 })).toBe(true);
    expect(isFound({ calls: [...faults.calls, called(1_300)] })).toBe(true);
    expect(isFound({ calls: [...faults.calls, called(1), called(2)] })).toBe(true);
    expect(isFound({ calls: faults.calls.filter(({ status }) => status !== 503) })).toBe(true);
    expect(judgeFaults({ ...faults, lossesMs: [] }).over).toBe(0);
    expect(judgeFaults({ ...faults, lossesMs: [], calls: [...faults.calls, ...faults.calls] }).over).toBeGreaterThan(0);
  });
});
