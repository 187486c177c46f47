import { describe, expect, it } from '@jest/globals';
import { TALLY_BOUNDS_MS } from '../../metrics/supplier-tallies.js';
import type { DurationCount, MeasurePoint, TimelinePoint } from '../../records/supplier-timeline.js';
import { type Diagnosis, diagnose } from './diagnosis.js';
import { ownText, problemText } from './diagnosis-text.js';
import type { Finding } from './evidence.js';
import { problemsOf } from './problems.js';

const MINUTE_MS = 60_000;
const NOW = Date.UTC(2027, 4, 1, 3, 0, 30);
const bucketOf = (ms: number): number => {
  const bucket = TALLY_BOUNDS_MS.findIndex((bound) => ms <= bound);
  return bucket < 0 ? TALLY_BOUNDS_MS.length : bucket;
};
/** The same numbers in every run. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

interface Call {
  readonly cause: string;
  readonly ms: number;
  readonly price?: number;
}
type Answers = (chance: () => number, minutesAgo: number) => Call;
interface Traffic {
  readonly supplier: string;
  readonly operation: string;
  readonly perMinute: number;
  readonly answers: Answers;
}

const ordinary: Answers = (chance) =>
  chance() < 0.003
    ? { cause: 'timeout', ms: 4_000 }
    : {
        cause: chance() < 0.05 ? 'empty' : 'answered',
        ms: 60 + chance() * 120,
        price: 20_000 * Math.exp(chance() - 0.5),
      };
const lately =
  (minutes: number, fault: Answers): Answers =>
  (chance, ago) =>
    ago < minutes ? fault(chance, ago) : ordinary(chance, ago);
const search = (supplier: string, answers: Answers, perMinute = 12): Traffic => ({
  supplier,
  operation: 'searchVehicles',
  perMinute,
  answers,
});

/** Plays `hours` of traffic that ends now, and judges it. `lagMs`: of the event loop. */
function judged(
  traffic: readonly Traffic[],
  {
    hours = 6,
    lagMs = () => 1,
    seed = 7,
    changedMinutesAgo,
  }: { hours?: number; lagMs?: (minutesAgo: number) => number; seed?: number; changedMinutesAgo?: number } = {},
): Diagnosis {
  const chance = random(seed);
  const durations = new Map<string, DurationCount & { calls: number }>();
  const points = new Map<string, TimelinePoint & { calls: number }>();
  const measures: MeasurePoint[] = [];
  const nowMinute = Math.floor(NOW / MINUTE_MS) * MINUTE_MS;
  for (let ago = hours * 60 - 1; ago >= 0; ago -= 1) {
    const minute = nowMinute - ago * MINUTE_MS;
    const at = ago <= 30 ? minute : null;
    const step = ago < 180 ? minute : minute - (minute % (10 * MINUTE_MS));
    measures.push({ supplier: '', measure: 'loop_lag', at, count: 100, sum: 100 * lagMs(ago) });
    for (const { supplier, operation, perMinute, answers } of traffic)
      for (let number = 0; number < Math.floor(perMinute + chance()); number += 1) {
        const { cause, ms, price } = answers(chance, ago);
        const bucket = bucketOf(ms);
        const key = [supplier, operation, cause, bucket, at].join('|');
        const row = durations.get(key) ?? { supplier, operation, cause, bucket, at, calls: 0 };
        row.calls += 1;
        durations.set(key, row);
        const place = [supplier, operation, cause, step].join('|');
        const point = points.get(place) ?? { supplier, operation, cause, at: step, calls: 0 };
        point.calls += 1;
        points.set(place, point);
        if (cause === 'answered' && price !== undefined)
          measures.push({ supplier, measure: 'price_level', at, count: 1, sum: Math.log(price) });
      }
  }
  const changedAt = new Map(changedMinutesAgo === undefined ? [] : [['bravo', NOW - changedMinutesAgo * MINUTE_MS]]);
  return diagnose({ now: NOW, durations: [...durations.values()], points: [...points.values()], measures, changedAt });
}
const failing =
  (cause: string, share = 1, ms = 30): Answers =>
  (chance, ago) =>
    chance() < share ? { cause, ms } : ordinary(chance, ago);
const QUIET = [search('alpine', ordinary), search('cobalt', ordinary)];
const textOf = (finding: Finding | undefined): string => {
  const [problem] = problemsOf(finding ? [finding] : []);
  return problem ? problemText(problem, 'bravo', NOW) : '';
};
const minutesSince = (since: number | undefined): number => (NOW - (since ?? 0)) / MINUTE_MS;

describe('the ten faults, each for bravo, in words', () => {
  const bookings = (answers: Answers): Traffic => ({ supplier: 'bravo', operation: 'book', perMinute: 0.5, answers });
  const normal = search('bravo', ordinary);
  const faults: readonly (readonly [string, readonly Traffic[], string, string, RegExp])[] = [
    [
      'hangs',
      [search('bravo', lately(8, failing('timeout', 1, 4_000)))],
      'timeout',
      'searchVehicles',
      /does not answer before the timeout in 100 % of vehicle searches/,
    ],
    [
      '30 % 5xx',
      [search('bravo', lately(8, failing('http_5xx', 0.3)))],
      'http_5xx',
      'searchVehicles',
      /5xx\) in (2\d|3\d|4\d) % of vehicle searches/,
    ],
    [
      '429',
      [search('bravo', lately(8, failing('throttled', 0.6)))],
      'throttled',
      'searchVehicles',
      /limits our calls \(429\)/,
    ],
    ['401', [search('bravo', lately(8, failing('auth')))], 'auth', 'searchVehicles', /refuses our credentials/],
    [
      'bad payload',
      [search('bravo', lately(8, failing('bad_payload')))],
      'bad_payload',
      'searchVehicles',
      /cannot be read/,
    ],
    [
      'three times slower',
      [
        search(
          'bravo',
          lately(8, (chance) => ({ ...ordinary(chance, 0), ms: 180 + chance() * 360 })),
        ),
      ],
      'slow',
      'searchVehicles',
      /slower than usual \(median/,
    ],
    [
      'silently empty',
      [search('bravo', lately(8, failing('empty')))],
      'empty',
      'searchVehicles',
      /finds nothing where it usually does/,
    ],
    [
      'prices × 0.01',
      [
        search(
          'bravo',
          lately(8, (chance) => ({ cause: 'answered', ms: 90, price: 200 * Math.exp(chance() - 0.5) })),
        ),
      ],
      'price',
      'searchVehicles',
      /at (0\.\d+|1(\.\d)?) % of their usual level/,
    ],
    [
      'booking timeouts',
      [normal, bookings(lately(8, failing('timeout', 1, 20_000)))],
      'timeout',
      'book',
      /does not answer before the timeout in 100 % of bookings/,
    ],
    ['TLS', [search('bravo', lately(8, failing('tls')))], 'tls', 'searchVehicles', /certificate/],
  ];

  it.each(faults)('%s', (_name, traffic, kind, operation, words) => {
    for (const seed of [1, 2, 3]) {
      const { findings, own } = judged([...QUIET, ...traffic], { seed });
      const [first] = findings;
      expect(findings.map((one) => [one.supplier, one.operation, one.kind, one.who])).toEqual([
        ['bravo', operation, kind, 'them'],
      ]);
      expect(textOf(first)).toMatch(words);
      expect(textOf(first)).toMatch(/since 02:5\d UTC \(\d+ min ago\)\.$/);
      expect(minutesSince(first?.since)).toBeGreaterThan(operation === 'book' ? 3 : 7);
      expect(minutesSince(first?.since)).toBeLessThan(operation === 'book' ? 12 : 10);
      expect(ownText(own)).toMatch(/^Us: normal/);
    }
  });

  const common = faults.filter(([, , , operation]) => operation !== 'book');
  it.each(common)('%s shows within three minutes, with few calls', (_name, _traffic, kind, operation) => {
    const fault = faults.find(([, , name, place]) => name === kind && place === operation);
    const [traffic] = fault?.[1] ?? [];
    if (!traffic) throw new Error('there is no such fault');
    const shifted: Answers = (chance, ago) => traffic.answers(chance, ago < 3 ? 0 : 60);
    const { findings } = judged([...QUIET, { ...traffic, answers: shifted, perMinute: 6 }], { hours: 1 });
    expect(findings[0]).toMatchObject({ supplier: 'bravo', kind });
  });
});

describe('what was not designed for', () => {
  it('an open breaker is not the cause: what failed before it opened is, and since then', () => {
    const { findings } = judged([
      ...QUIET,
      search('bravo', (chance, ago) =>
        ago > 12
          ? ordinary(chance, ago)
          : ago > 10 || chance() < 0.1
            ? { cause: 'http_5xx', ms: 20 }
            : { cause: 'circuit_open', ms: 0 },
      ),
    ]);
    expect(findings).toMatchObject([{ supplier: 'bravo', kind: 'http_5xx', who: 'them', isBlocked: true }]);
    expect(minutesSince(findings[0]?.since)).toBeGreaterThan(11);
    expect(minutesSince(findings[0]?.since)).toBeLessThan(15);
    expect(textOf(findings[0])).toContain('stopped calling it');
  });

  it('our own network: every supplier becomes unreachable in the same minutes', () => {
    const dark = lately(4, failing('unreachable'));
    const { findings } = judged([search('alpine', dark), search('bravo', dark), search('cobalt', dark)]);
    expect(findings).toHaveLength(3);
    expect(findings.every(({ who }) => who === 'us')).toBe(true);
  });

  it('our own load: suppliers look slow because the event loop lags', () => {
    const { findings, own } = judged([...QUIET, search('bravo', lately(5, failing('timeout', 0.4, 4_000)))], {
      lagMs: () => 80,
    });
    expect(findings).toMatchObject([{ supplier: 'bravo', kind: 'timeout', who: 'us' }]);
    expect(ownText(own)).toMatch(/^Us: our gateways are overloaded/);
  });

  it('our own load of the last two minutes counts, although the ten minutes before were fine', () => {
    const { findings } = judged([...QUIET, search('bravo', lately(2, failing('timeout', 0.9, 4_000)))], {
      lagMs: (ago) => (ago < 2 ? 90 : 1),
    });
    expect(findings).toMatchObject([{ kind: 'timeout', who: 'us', reason: 'lag' }]);
  });

  it('refused credentials are our fault if our file of the supplier was changed when that began, and not otherwise', () => {
    const traffic = [...QUIET, search('bravo', lately(6, failing('auth')))];
    expect(judged(traffic, { changedMinutesAgo: 6 }).findings).toMatchObject([
      { kind: 'auth', who: 'us', reason: 'file' },
    ]);
    for (const changedMinutesAgo of [1, 30])
      expect(judged(traffic, { changedMinutesAgo }).findings).toMatchObject([{ kind: 'auth', who: 'them' }]);
  });

  it('a failure of all calls is 100 %, although most calls of the last minutes were before it', () => {
    const { findings } = judged([...QUIET, search('bravo', lately(2, failing('timeout', 1, 4_000)), 20)]);
    expect(findings).toMatchObject([{ kind: 'timeout', share: 1 }]);
  });

  it.each([
    ['timeout', 45, 66],
    ['empty', 17, 92],
  ])(
    '%s: the fault began in the minute that had %i of its calls, and is counted from the next one',
    (kind, bad, good) => {
      const { findings } = judged([
        ...QUIET,
        search(
          'bravo',
          lately(3, (chance, ago) =>
            ago < 2 || chance() < bad / (bad + good) ? { cause: kind, ms: 30 } : { cause: 'answered', ms: 90 },
          ),
          110,
        ),
      ]);
      const minute = Math.floor(NOW / MINUTE_MS) * MINUTE_MS;
      expect(findings).toMatchObject([
        { kind, since: minute - 2 * MINUTE_MS, countedFrom: minute - MINUTE_MS, share: 1, calls: 220 },
      ]);
    },
  );

  it('slow answers began when they became slow, although those of the newest minute are quick again', () => {
    const slow: Answers = (chance) => ({ cause: 'answered', ms: 180 + chance() * 360 });
    const { findings } = judged(
      [
        ...QUIET,
        search('bravo', (chance, ago) => (ago > 0 && ago < 4 ? slow(chance, ago) : ordinary(chance, ago)), 30),
      ],
      { hours: 0.2 },
    );
    expect(findings).toMatchObject([{ kind: 'slow', since: expect.any(Number) }]);
    expect(minutesSince(findings[0]?.since)).toBeLessThan(5);
  });

  it.each([
    ['our quota', 'own_limit'],
    ['our bug', 'adapter_bug'],
    ['no time to read', 'unread'],
  ])('%s is our fault', (_name, kind) => {
    const { findings } = judged([...QUIET, search('bravo', lately(6, failing(kind, 0.5)))]);
    expect(findings).toMatchObject([{ kind, who: 'us' }]);
  });

  it('three times slower shows with a minute of history and a minute of fault', () => {
    const slow: Answers = (chance) => ({ cause: 'answered', ms: 180 + chance() * 360 });
    for (const seed of [1, 2, 3, 4, 5]) {
      const { findings } = judged([...QUIET, search('bravo', lately(2, slow), 60)], { hours: 0.07, seed });
      expect(findings).toMatchObject([{ supplier: 'bravo', kind: 'slow', who: 'them' }]);
      expect(minutesSince(findings[0]?.since)).toBeLessThan(3);
    }
  });

  /** Calls of a supplier's vehicle searches, by minutes ago, cause and bucket, with no calls before. */
  const recorded = (rows: readonly (readonly [ago: number, cause: string, bucket: number, calls: number])[]) => {
    const minute = Math.floor(NOW / MINUTE_MS) * MINUTE_MS;
    const durations = rows.map(([ago, cause, bucket, calls]) => ({
      ...{ supplier: 'bravo', operation: 'searchVehicles', cause, bucket, calls, at: minute - ago * MINUTE_MS },
    }));
    const { findings } = diagnose({ now: NOW, durations, points: durations, measures: [] });
    return findings.map(({ kind, since }) => [kind, since === undefined ? since : (minute - since) / MINUTE_MS]);
  };

  it('half a minute of answers three times slower shows after a minute, with a minute of history, as a drill recorded it', () => {
    const calls = (ago: number, counts: readonly number[]) =>
      counts.map((count, at) => [ago, 'answered', at + 3, count] as const);
    const usual = calls(2, [1, 15, 24, 39, 16, 8, 5, 1, 3, 0, 1]);
    const begun = calls(1, [3, 14, 21, 35, 17, 44, 23]);
    const slow = calls(0, [0, 0, 0, 4, 21, 56, 46, 2]);
    expect(recorded([...usual, ...begun, ...slow])).toEqual([['slow', 1]]);
    expect(recorded([...usual, ...begun.slice(0, 5), ...slow])).toEqual([['slow', 0]]);
    expect(recorded([...usual, ...calls(1, [1, 15, 24, 39, 16, 8, 5]), ...usual.slice(0, 7)])).toEqual([]);
  });

  it.each([
    ['throttled', 49, 36, 66, 4, 1],
    ['empty', 26, 85, 105, 0, 1],
    ['http_5xx', 2, 54, 3, 41, 1],
    ['http_5xx', 1, 54, 3, 41, 1],
    ['http_5xx', 1, 110, 8, 98, 0],
    ['http_5xx', 0, 54, 3, 41, 0],
  ])('%s began in a minute with %i of %i calls, with one minute of history', (kind, bad, good, failed, fine, ago) => {
    const found = recorded([
      ...([2, 1, 0] as const).flatMap((at) => [[at, 'answered', 4, [fine, good, 60][at] ?? 0] as const]),
      [1, kind, 4, bad],
      [0, kind, 4, failed],
    ]);
    expect(found).toEqual([[kind, ago]]);
  });

  it.each([
    [0.35, 2],
    [0.05, 1],
  ])('wrong prices began in the minute that had %d of them: %i min ago', (share, ago) => {
    const wrong: Answers = (chance) => ({ cause: 'answered', ms: 90, price: 800 * Math.exp(chance() - 0.5) });
    for (const seed of [1, 2, 3]) {
      const answers: Answers = (chance, at) =>
        at < 2 || (at === 2 && chance() < share) ? wrong(chance, at) : ordinary(chance, at);
      const { findings } = judged([...QUIET, search('bravo', answers, 40)], { hours: 0.2, seed });
      expect(findings).toMatchObject([{ kind: 'price' }]);
      expect(Math.floor(minutesSince(findings[0]?.since))).toBe(ago);
    }
  });

  it('calls that our limit kept back say nothing about when the supplier began to fail', () => {
    const { findings } = judged([
      ...QUIET,
      search('bravo', (chance, ago) =>
        ago < 6 ? { cause: chance() < 0.3 ? 'throttled' : 'own_limit', ms: 1 } : ordinary(chance, ago),
      ),
    ]);
    const throttled = findings.find(({ kind }) => kind === 'throttled');
    expect(minutesSince(throttled?.since)).toBeLessThan(8);
  });

  it('a fault of a single minute counts from that minute: its share is not 0 % some minutes later', () => {
    const answers: Answers = (chance, ago) =>
      ago === 4 ? { cause: 'timeout', ms: 4_000 } : { cause: 'answered', ms: 60 + chance() * 120 };
    const { findings } = judged([...QUIET, search('bravo', answers, 3)]);
    expect(findings).toMatchObject([{ kind: 'timeout', calls: 15, share: 0.2, countedFrom: findings[0]?.since }]);
    expect(textOf(findings[0])).toContain('in 20 % of vehicle searches');
  });

  it('two faults are both reported, bookings first', () => {
    const { findings } = judged([
      ...QUIET,
      search('bravo', lately(9, failing('bad_payload', 0.4))),
      { supplier: 'bravo', operation: 'book', perMinute: 1, answers: lately(9, failing('http_5xx', 0.5)) },
    ]);
    expect(findings.map(({ operation, kind }) => `${operation} ${kind}`)).toEqual([
      'book http_5xx',
      'searchVehicles bad_payload',
    ]);
  });

  it('a kind that this version does not know is reported by its name', () => {
    const { findings } = judged([...QUIET, search('bravo', lately(5, failing('quantum_loss')))]);
    expect(textOf(findings[0])).toContain('quantum loss');
  });

  it('a supplier that was always empty, or always slow, has nothing unusual; nor has one without calls', () => {
    expect(judged([...QUIET, search('bravo', failing('empty', 0.95))]).findings).toEqual([]);
    expect(
      judged([...QUIET, search('bravo', (chance) => ({ cause: 'answered', ms: 2_000 + chance() * 900 }))]).findings,
    ).toEqual([]);
    expect(judged([]).findings).toEqual([]);
  });

  it('a fault that lasts for hours is dated correctly, and one that ended is not reported', () => {
    const { findings } = judged([...QUIET, search('bravo', lately(200, failing('http_5xx', 0.3)))]);
    expect(minutesSince(findings[0]?.since)).toBeGreaterThan(190);
    expect(minutesSince(findings[0]?.since)).toBeLessThan(215);
    const over: Answers = (chance, ago) =>
      ago > 12 && ago < 40 ? { cause: 'timeout', ms: 4_000 } : ordinary(chance, ago);
    expect(judged([...QUIET, search('bravo', over)]).findings).toEqual([]);
  });
});

it('ordinary noise of a day is never reported: 50 seeds, 0.3 % of timeouts, 5 % without results', () => {
  const reported: string[] = [];
  for (let seed = 1; seed <= 50; seed += 1) {
    const { findings } = judged([...QUIET, search('bravo', ordinary, 3)], { seed, hours: 3 });
    reported.push(...findings.map(({ supplier, kind }) => `${seed} ${supplier} ${kind}`));
  }
  expect(reported).toEqual([]);
});
