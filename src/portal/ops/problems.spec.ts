import { describe, expect, it } from '@jest/globals';
import { adviceOf, apart } from './advice.js';
import { agreedText, problemText, whatText } from './diagnosis-text.js';
import type { Finding } from './evidence.js';
import { knownCalls, normalText, otherOperationsText, sampleText } from './known-calls.js';
import { groupOf } from './outcome-groups.js';
import { affectedApplications, blocksBookings, problemsOf } from './problems.js';
import type { SupplierFacts } from './supplier-facts.service.js';
import { budgetTasks, supplierTasks } from './supplier-tasks.js';

const NOW = Date.UTC(2027, 4, 1, 3, 0, 30);
const MINUTE_MS = 60_000;
const finding = (changes: Partial<Finding> = {}): Finding => ({
  ...{ supplier: 'bravo', operation: 'searchVehicles', kind: 'timeout', who: 'them', share: 1, calls: 40 },
  ...{ since: NOW - 5 * MINUTE_MS, isBlocked: false },
  ...changes,
});
const calls = (applicationId: string, operation: string, cause: string, number: number) => ({
  ...{ applicationId, name: applicationId.toUpperCase(), operation, cause, calls: number, lastAt: NOW },
});

describe('a supplier that is down', () => {
  const [problem] = problemsOf([
    finding({ operation: 'priceCheck', share: 0.9, since: NOW - 4 * MINUTE_MS }),
    finding(),
    finding({ operation: 'searchLocations', since: NOW - 6 * MINUTE_MS }),
  ]);
  if (!problem) throw new Error('there must be a problem');

  it('has one problem, since its first operation failed, which also stops bookings', () => {
    expect(problemText(problem, 'bravo', NOW)).toBe(
      'bravo does not answer before the timeout in 90 % of price checks and 100 % of vehicle searches and location searches since 02:54 UTC (6 min ago).',
    );
    expect(blocksBookings(problem)).toBe(true);
  });

  it('affects the applications whose calls failed or were not sent because of it, and no others', () => {
    const rows = [
      calls('app_a', 'searchVehicles', 'timeout', 5),
      calls('app_a', 'searchVehicles', 'circuit_open', 2),
      calls('app_a', 'searchVehicles', 'answered', 3),
      calls('app_b', 'searchLocations', 'answered', 8),
      calls('app_b', 'searchVehicles', 'http_5xx', 1),
    ];
    expect(affectedApplications(problem, rows)).toEqual([
      { id: 'app_a', name: 'APP_A', calls: 10, affected: 7 },
      { id: 'app_b', name: 'APP_B', calls: 9, affected: 0 },
    ]);
  });
});

it('empty answers affect those who got them: 74 of 141 calls, since the first full minute of all operations', () => {
  const rows = [calls('app_a', 'searchVehicles', 'answered', 67), calls('app_a', 'searchVehicles', 'empty', 74)];
  const since = NOW - 5 * MINUTE_MS;
  const [problem] = problemsOf([
    finding({ kind: 'empty', countedFrom: since + MINUTE_MS }),
    finding({ kind: 'empty', operation: 'searchLocations' }),
  ]);
  expect(problem && affectedApplications(problem, rows)).toMatchObject([{ calls: 141, affected: 74 }]);
  expect(problem).toMatchObject({ since, countedFrom: since + MINUTE_MS });
});

it('slow and wrongly priced answers affect everyone who called the operation', () => {
  const rows = [calls('app_a', 'searchVehicles', 'answered', 5), calls('app_b', 'searchLocations', 'answered', 5)];
  for (const kind of ['slow', 'price']) {
    const [problem] = problemsOf([finding({ kind, figures: [300, 100] })]);
    expect(problem && affectedApplications(problem, rows).map(({ id, affected }) => [id, affected])).toEqual([
      ['app_a', 5],
      ['app_b', 0],
    ]);
  }
});

it('our limit is not a problem of its own if the supplier keeps calls waiting', () => {
  const limit = finding({ kind: 'own_limit', who: 'us' });
  expect(problemsOf([limit, finding()]).map(({ kind }) => kind)).toEqual(['timeout']);
  expect(problemsOf([limit, finding({ supplier: 'alpine' })]).map(({ kind }) => kind)).toEqual([
    'own_limit',
    'timeout',
  ]);
});

it('late answers are not a problem of their own where the supplier limits most calls, and are everywhere else', () => {
  const kinds = (...found: readonly Finding[]) => problemsOf(found).map(({ kind }) => kind);
  const limited = finding({ kind: 'throttled', share: 0.94 });
  const slow = finding({ kind: 'slow', share: 1, figures: [1_944, 688] });
  const late = finding({ share: 0.06 });
  expect(kinds(limited, slow, late)).toEqual(['throttled']);
  expect(kinds(finding({ kind: 'throttled', share: 0.4 }), slow)).toEqual(['throttled', 'slow']);
  expect(kinds(limited, late, finding({ operation: 'searchLocations', share: 0.06 }))).toEqual([
    'throttled',
    'timeout',
  ]);
  expect(kinds(limited, finding({ ...slow, supplier: 'alpine' }))).toEqual(['throttled', 'slow']);
  expect(kinds(limited, finding({ kind: 'http_5xx', share: 0.06 }))).toEqual(['throttled', 'http_5xx']);
});

describe('what was agreed about our calls', () => {
  it.each([
    [{ quota: {} }, 'Its file has no quota, so nothing keeps us below what was agreed.'],
    [{ quota: { perSecond: 5 } }, 'Its file allows each gateway 5 calls per second (quota.perSecond).'],
    [
      { quota: { perSecond: 5, burst: 10, concurrent: 4 }, lookToBook: { ratio: 500, windowHours: 24 } },
      'Its file allows each gateway 5 calls per second (quota.perSecond), 10 in a burst and 4 at the same time. At most 500 searches per booking in 24 hours.',
    ],
  ])('%j', (limits, agreed) => {
    expect(agreedText(limits, 7.25)).toBe(`${agreed} All gateways sent 7.3 calls per second in the last full minute.`);
  });
});

describe('what to press', () => {
  const pressed = (changes: Partial<Finding>): string | undefined => {
    const [problem] = problemsOf([finding(changes)]);
    return problem && adviceOf(problem).button;
  };

  it.each([
    ['timeout', 'maintenance'],
    ['auth', 'maintenance'],
    ['throttled', 'drain'],
    ['price', 'shadow'],
    ['slow', undefined],
    ['own_limit', undefined],
    ['quantum_loss', 'maintenance'],
  ])('%s: %s', (kind, button) => expect(pressed({ kind, figures: [300, 100] })).toBe(button));

  it('nothing about our own faults', () => {
    for (const reason of ['everywhere', 'lag', 'file'] as const)
      expect(pressed({ who: 'us', reason, kind: 'timeout' })).toBeUndefined();
  });

  it.each([
    ['timeout', 1, true, /^Press it now: most calls fail/],
    ['timeout', 0.3, false, /^Nothing yet: only some calls fail/],
    ['throttled', 0.94, true, /^Press it now/],
    ['throttled', 0.3, false, /^Nothing yet: only some calls fail/],
    ['rejected', 0.9, true, /^Press it now/],
    ['slow', 1, false, /^Nothing yet/],
    ['price', 1, true, /^Press it now.*reservations that were made since/],
  ])('%s in a share of %d of the calls: now %s', (kind, share, isNow, text) => {
    const [problem] = problemsOf([finding({ kind, share, figures: [300, 100] })]);
    expect(problem && adviceOf(problem)).toMatchObject({ isNow, text: expect.stringMatching(text) });
  });

  it('nothing for slow answers, without a hint at timeouts where there are some', () => {
    const [first, slow] = problemsOf([finding({ share: 0.2 }), finding({ kind: 'slow', figures: [300, 100] })]);
    if (!first || !slow) throw new Error('there must be two problems');
    expect(adviceOf(slow, [slow]).text).toContain('if calls begin to time out');
    expect(adviceOf(slow, [first, slow])).toEqual({
      ...{ button: undefined, isNow: false },
      text: expect.stringContaining('calls also fail'),
    });
  });

  it('the first problem is the cause of those that began with it or later, unless only they need a button', () => {
    const at = (minutes: number) => NOW - minutes * MINUTE_MS;
    const kinds = (...found: readonly Finding[]) => {
      const { separate, related } = apart(problemsOf(found));
      return [separate.map(({ kind }) => kind), related.map(({ kind }) => kind)];
    };
    const late = (since: number | undefined) => finding({ kind: 'http_5xx', share: 0.2, since });
    expect(kinds(finding(), late(at(5)), finding({ kind: 'auth', share: 0.1, since: at(2) }))).toEqual([
      ['timeout'],
      ['http_5xx', 'auth'],
    ]);
    expect(kinds(finding(), late(at(9)))).toEqual([['timeout', 'http_5xx'], []]);
    expect(kinds(finding(), late(undefined))).toEqual([['timeout', 'http_5xx'], []]);
    expect(kinds(finding({ kind: 'empty' }), late(at(5)))).toEqual([['empty', 'http_5xx'], []]);
    expect(kinds()).toEqual([[], []]);
  });

  it('bookings without an answer are urgent', () => {
    const [problem] = problemsOf([finding({ operation: 'book' })]);
    expect(problem && adviceOf(problem).text).toMatch(/^Press it now: .*unknown outcome/);
  });
});

describe('what is known of calls', () => {
  const point = (operation: string, cause: string, minutesAgo: number) => ({
    ...{ supplier: 'bravo', operation, cause, at: NOW - minutesAgo * MINUTE_MS, calls: 1 },
  });

  it('names the operations that a problem is not in, and those that were not called since it began', () => {
    const known = knownCalls([
      point('book', 'answered', 7),
      point('priceCheck', 'answered', 6),
      point('priceCheck', 'circuit_open', 2),
      point('retrieve', 'answered', 1),
      point('searchVehicles', 'timeout', 1),
    ]);
    const [problem] = problemsOf([finding()]);
    if (!problem) throw new Error('there must be a problem');
    expect(otherOperationsText(problem, [problem], known)).toBe(
      'Not affected: retrievals. Not called since it began: bookings and price checks.',
    );
    const [check] = problemsOf([finding({ operation: 'priceCheck' })]);
    expect(check && otherOperationsText(check, [check], known)).toBe('Not affected: retrievals and vehicle searches.');
    const [price] = problemsOf([finding({ kind: 'price' })]);
    const checked = knownCalls([point('priceCheck', 'answered', 1), point('retrieve', 'answered', 1)]);
    expect(price && otherOperationsText(price, [price], checked)).toBe('Not affected: retrievals.');
    const booking = problemsOf([finding(), finding({ operation: 'book', kind: 'http_5xx' })]);
    const called = knownCalls([point('book', 'http_5xx', 1), point('searchVehicles', 'timeout', 1)]);
    expect(otherOperationsText(problem, booking, called)).toBe('');
  });

  it.each([
    ['timeout', 0.97, 'searchVehicles', /bookings, but every operation that was called fails: expect them to/],
    ['timeout', 0.5, 'searchVehicles', /^Not called since it began: bookings\.$/],
    ['empty', 1, 'searchVehicles', /^Not called since it began: bookings\.$/],
    ['timeout', 1, 'retrieve', /^Not affected: retrievals\. Not called since it began: bookings\.$/],
  ])('%s in a share of %d, and calls of %s: %s', (kind, share, called, text) => {
    const known = knownCalls([point('book', 'answered', 7), point(called, 'answered', 1)]);
    const [problem] = problemsOf([finding({ kind, share })]);
    expect(problem && otherOperationsText(problem, [problem], known)).toMatch(text);
  });

  it('what costs 100 at another level of prices', () => {
    const text = (factor: number) =>
      problemsOf([finding({ kind: 'price', figures: [factor] })]).map((problem) => whatText(problem, 'Bravo'))[0];
    expect(text(0.056)).toBe('Bravo shows prices at 5.6 % of their usual level: 5.6 for what costs 100');
    expect(text(10.04)).toBe('Bravo shows prices 10 times their usual level: 1000 for what costs 100');
  });

  it('says how long it is, where nothing is unusual', () => {
    const text = (minutesAgo: number) => normalText('Bravo', knownCalls([point('book', 'answered', minutesAgo)]), NOW);
    expect(text(4)).toBe('Nothing unusual at Bravo, as far as 4 min of calls can show: earlier ones are not known.');
    expect(text(1_435)).toBe('Nothing unusual at Bravo compared with the last 24 hours.');
    expect(normalText('Bravo', knownCalls([]), NOW)).toMatch(/not called in the last 24 hours/);
  });

  it('says how many failed calls the kept ones are a sample of', () => {
    const failed = [
      { ...point('book', 'timeout', 1), calls: 130 },
      point('book', 'empty', 1),
      point('book', 'unread', 1),
    ];
    const kept = [1, 2, 3, 20].map((minutes) => ({ at: NOW - minutes * MINUTE_MS }));
    expect(sampleText(kept, failed, '10 minutes', NOW - 10 * MINUTE_MS)).toBe(
      'A sample: 3 of 130 failed calls of the last 10 minutes are shown.',
    );
    expect(sampleText(kept, [], '10 minutes', 0)).toBe('');
  });
});

it('refused credentials are counted apart from limited calls', () => {
  expect(['throttled', 'auth', 'rejected'].map(groupOf)).toEqual(['limited', 'denied', 'denied']);
});

describe('tasks of the overview', () => {
  const supplier = (id: string, findings: readonly Finding[], changes: Partial<SupplierFacts> = {}): SupplierFacts =>
    ({ id, name: id, state: 'live', breakers: [], problems: problemsOf(findings), ...changes }) as SupplierFacts;
  const own = { lagMs: 1, isLagging: false };

  it('put failures before what is only slow, whichever supplier comes first', () => {
    const slow = supplier('alpine', [finding({ supplier: 'alpine', kind: 'slow', figures: [300, 100] })]);
    const tasks = supplierTasks({ suppliers: [slow, supplier('bravo', [finding()])], now: NOW, own });
    expect(tasks.map(({ path }) => path)).toEqual(['/ops/suppliers/bravo', '/ops/suppliers/alpine']);
  });

  it('name our network once, not each supplier', () => {
    const dark = (id: string) => supplier(id, [finding({ supplier: id, who: 'us', reason: 'everywhere' })]);
    expect(supplierTasks({ suppliers: ['a', 'b', 'c'].map(dark), now: NOW, own })).toMatchObject([
      { what: 'Us', text: expect.stringMatching(/^a, b and c fail alike \(timeout\) since 02:55 UTC .*our network/) },
    ]);
  });

  it('name an overload even before a supplier seems to fail', () => {
    const lagging = { lagMs: 90, isLagging: true };
    expect(supplierTasks({ suppliers: [supplier('a', [])], now: NOW, own: lagging })).toMatchObject([
      { what: 'Us', text: expect.stringContaining('Our gateways are overloaded') },
    ]);
  });

  it('name a burning budget once, unless the problems of its supplier are listed', () => {
    const alert = (name: string, pair: string, of = '') => ({
      ...{ name, pair: { name: pair }, supplier: of, summary: `${of} burns`, description: `${pair}.`, startedAt: NOW },
    });
    const firing = [
      alert('ForecourtSearchesBurnSlow', 'slow'),
      alert('ForecourtSearchesBurnFast', 'fast'),
      alert('ForecourtSupplierBurnFast', 'fast', 'a'),
      alert('ForecourtSupplierBurnSlow', 'slow', 'b'),
    ];
    const suppliers = [supplier('a', [finding({ supplier: 'a' })]), supplier('b', [])];
    expect(budgetTasks({ suppliers, now: NOW }, firing).map(({ text, tone, path }) => [text, tone, path])).toEqual([
      [expect.stringMatching(/^ burns\. fast\. Firing since/), 'bad', '/ops/requests?status=5xx'],
      [expect.stringMatching(/^B burns\. slow\./), 'partial', '/ops/suppliers/b'],
    ]);
  });

  it('name a certificate two weeks before it expires', () => {
    const days = (number: number) => supplier('a', [], { certificateEnd: NOW + number * 86_400_000 });
    const tones = (number: number) =>
      supplierTasks({ suppliers: [days(number)], now: NOW, own }).map(({ tone }) => tone);
    expect([tones(15), tones(13), tones(2), tones(-1)]).toEqual([[], ['partial'], ['bad'], ['bad']]);
  });

  it('leave out suppliers in maintenance, and breakers that a problem explains', () => {
    const breaker = { operation: 'searchVehicles', state: 'open', applications: 1 } as const;
    const breakers = [breaker, { ...breaker, operation: 'book' }] as unknown as SupplierFacts['breakers'];
    const suppliers = [
      supplier('a', [finding({ supplier: 'a' })], { state: 'maintenance' }),
      supplier('b', [finding({ supplier: 'b' })], { breakers }),
    ];
    expect(supplierTasks({ suppliers, now: NOW, own }).map(({ text }) => text)).toEqual([
      expect.stringMatching(/^b does not answer/),
      'b: bookings are not sent for 1 application.',
    ]);
  });
});
