import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { claim } from '../../test/support/claim.js';
import { createLogger } from '../config/logger.js';
import { accountVotes } from '../metrics/account-votes.js';
import { failedExchanges } from '../metrics/failed-exchanges.js';
import { metrics } from '../metrics/metrics.js';
import { serviceCounts } from '../metrics/service-counts.js';
import { sloCounts } from '../metrics/slo-counts.js';
import { SupplierError } from '../model/supplier.js';
import { CallRejectedError } from './resilience/call-rejected.js';
import { supplierLog } from './supplier-log.js';

const CALL = {
  supplier: { id: 'uno', name: 'Uno' },
  operation: 'book',
  requestId: 'req_one',
  application: 'app_one',
} as const;
const RENTER = [
  { driver: { firstName: 'Ada', lastName: 'Lovelace', phone: '+44 20 7946 0000', loyalty: [{ number: 'L-77123' }] } },
  'ADA K LOVELACE',
];

/** The lines that a failed call leaves. */
function logged(error: unknown, renter?: unknown): Record<string, unknown>[] {
  let lines = '';
  const log = supplierLog(
    createLogger('info', {
      write: (line: string) => {
        lines += line;
      },
    }),
  );
  log.settled({ ...CALL, renter }, 'rejected', 12, error);
  return lines
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

/** The lines that an answer with these doubtful rows leaves. */
function warned(...texts: readonly string[]): Record<string, unknown>[] {
  const lines: Record<string, unknown>[] = [];
  const log = supplierLog(createLogger('info', { write: (line: string) => void lines.push(JSON.parse(line)) }));
  const warnings = texts.map((text) => ({ kind: 'row_dropped', text, times: 1 }) as const);
  log.settled({ ...CALL, renter: RENTER }, 'answered', 1, undefined, warnings);
  return lines;
}

claim(
  ['suppliers', 'V16.2.5'],
  "Log lines mask the supplier's own credentials if it quotes them, in errors and in warnings.",
  () => {
    const credentials = { user: 'travel', password: 'Wq7(R4)tLp9', agency: 'AG-77812' };
    const supplier = { id: 'uno', name: 'Uno', config: { credentials } };
    const lines: Record<string, unknown>[] = [];
    const log = supplierLog(createLogger('info', { write: (line: string) => void lines.push(JSON.parse(line)) }));
    const quoted = 'no access for travel with wq7(R4)tLp9 of AG-77812';
    log.settled({ ...CALL, supplier }, 'rejected', 1, new SupplierError('rejected', quoted));
    const warning = { kind: 'row_dropped', text: quoted, times: 1 } as const;
    log.settled({ ...CALL, supplier }, 'answered', 1, undefined, [warning]);
    const [failed, doubtful] = lines;
    const expected = 'no access for travel with [secret] of [secret]';
    expect([failed, doubtful]).toMatchObject([{ why: expected }, { texts: [expected] }]);
  },
);

it('a line about a failed call names its request and application', () => {
  const [line] = logged(new SupplierError('rejected', 'no'));
  expect(line).toMatchObject({
    ...CALL,
    supplier: 'uno',
    fault: 'rejected',
    why: 'no',
    outcome: 'rejected',
    ms: 12,
    msg: 'supplier failed',
  });
});

claim.each<[string, () => unknown]>([
  [
    'an error of a supplier',
    () =>
      logged(
        new SupplierError(
          'rejected',
          'card 4111 1111 1111 1111 of Ada LOVELACE (ada@example.com, +44 20 7946 0000, L-77123, Ada K Lovelace) declined',
        ),
        RENTER,
      ),
  ],
  [
    'an error of an adapter',
    () =>
      logged(
        new TypeError(
          'Unexpected token: card 4111111111111111 of Ada Lovelace, ada@example.com, +44 20 7946 0000, L-77123',
        ),
        RENTER,
      ),
  ],
  ['a warning', () => warned('car of Ada Lovelace, 4111 1111 1111 1111, ada@example.com, +44 20 7946 0000, L-77123')],
])(
  ['card-data', 'personal-data', 'suppliers', 'V16.2.5'],
  'Log lines mask what suppliers say about the renter of the call, including in warnings and errors of adapters.',
  '%s',
  (_case, lines) => {
    const text = JSON.stringify(lines());
    expect(text).not.toMatch(/1111|\bada\b|lovelace|example\.com|7946|77123/i);
    expect(text).toMatch(/\[card number\]/);
  },
);

it('a long text is cut after what is masked', () => {
  const [line] = logged(
    new SupplierError('rejected', `${'x '.repeat(140)} 4111 1111 1111 1111 ${'y'.repeat(6_000_000)}`),
  );
  expect(String(line?.why).length).toBeLessThanOrEqual(300);
  expect(JSON.stringify(line)).not.toContain('1111');
});

it('an error of an adapter is logged with the places in its code', () => {
  const [line] = logged(new RangeError('x'));
  expect(line).toMatchObject({ msg: 'adapter failed', why: 'x', requestId: 'req_one' });
  expect((line?.at as string[] | undefined)?.[0]).toMatch(/supplier-log\.spec/);
});

it('calls that the gateway itself rejected leave no line', () => {
  expect(logged(new CallRejectedError('circuit_open', 'open'))).toEqual([]);
});

it('warnings are counted, and logged once a minute per kind without what they say about the renter', async () => {
  const lines: Record<string, unknown>[] = [];
  const log = supplierLog(createLogger('info', { write: (line: string) => void lines.push(JSON.parse(line)) }));
  const warnings = [
    { kind: 'row_dropped', text: 'car of Ada Lovelace, 4111 1111 1111 1111, ada@example.com', times: 2 },
    { kind: 'row_dropped', text: 'another row', times: 1 },
    { kind: 'contradiction', text: 'another date', times: 1 },
  ] as const;
  for (let call = 0; call < 5; call += 1)
    log.settled({ ...CALL, supplier: { id: 'warner', name: 'W' }, renter: RENTER }, 'answered', 1, undefined, warnings);
  expect(lines.map(({ kind, times, requestId }) => [kind, times, requestId])).toEqual([
    ['row_dropped', 3, 'req_one'],
    ['contradiction', 1, 'req_one'],
  ]);
  expect(JSON.stringify(lines)).not.toMatch(/1111|\bada\b|lovelace|example\.com/i);
  const counted = await metrics.getSingleMetricAsString('forecourt_supplier_warnings_total');
  expect(counted).toContain('{supplier="warner",operation="book",kind="row_dropped"} 15');
  expect(counted).toContain('{supplier="warner",operation="book",kind="contradiction"} 5');
});

it.each<[string, Error | undefined, readonly [good: number, bad: number]]>([
  ['an answer', undefined, [1, 0]],
  ['a clear refusal', new SupplierError('rejected', 'no', true, { refusal: 'sold_out' }), [1, 0]],
  ['a failure', new SupplierError('unavailable', 'no'), [0, 1]],
  ['a bug of the adapter', new TypeError('no'), [0, 1]],
  ['an open breaker', new CallRejectedError('circuit_open', 'no'), [0, 1]],
  ['the quota', new CallRejectedError('throttled', 'no'), [0, 0]],
])('the objective of a supplier counts %s', (_what, error, [good, bad]) => {
  sloCounts.set([]);
  sloCounts.set([{ slo: 'supplier_availability', supplier: 'uno', target: 0.99, windowDays: 30 }]);
  const log = supplierLog(createLogger('silent'));
  log.settled(CALL, 'any', 12, error);
  log.settled({ ...CALL, isStaged: true }, 'any', 12, error);
  expect(sloCounts.all).toMatchObject([{ good, bad }]);
});

it('calls of a watched supplier are votes of the account, unless their outcome was ordered or says nothing', () => {
  accountVotes.watch(['uno']);
  const log = supplierLog(createLogger('silent'));
  const settled = (more: object, error?: Error) =>
    log.settled({ ...CALL, account: 'acc_1', ...more }, 'answered', 12, error);
  settled({});
  settled({}, new SupplierError('unavailable', 'no'));
  settled({ account: 'acc_2' }, new SupplierError('timeout', 'no'));
  settled({ isStaged: true }, new SupplierError('timeout', 'ordered by a scenario'));
  settled({}, new SupplierError('cancelled', 'the caller left'));
  settled({ supplier: { id: 'due', name: 'Due' } });
  settled({ account: undefined });
  const votes = accountVotes.take();
  expect([...votes.keys()]).toEqual(['uno']);
  expect(Object.fromEntries(votes.get('uno')?.calls ?? [])).toEqual({
    acc_1: { good: 1, bad: 1 },
    acc_2: { good: 0, bad: 1 },
    '': { good: 1, bad: 0 },
  });
  expect(accountVotes.take().get('uno')?.calls.size).toBe(0);
  accountVotes.watch([]);
});

it('calls count for the status page as those of their account, including those of background work, which accounts share', () => {
  serviceCounts.take();
  const log = supplierLog(createLogger('silent'));
  const settled = (more: object, error?: Error) => log.settled({ ...CALL, ...more }, 'answered', 12, error);
  settled({ account: 'acc_1' }, new SupplierError('unavailable', 'no'));
  settled({ account: 'acc_2' });
  settled({ account: 'acc_2', isStaged: true }, new SupplierError('unavailable', 'ordered by a scenario'));
  settled({ account: undefined });
  settled({ account: undefined, application: undefined });
  expect(serviceCounts.take().map(({ account, calls, failed }) => [account, calls, failed])).toEqual([
    ['acc_1', 1, 1],
    ['acc_2', 1, 0],
    ['+', 1, 0],
    ['', 1, 0],
  ]);
});

it('further accounts share one ballot', () => {
  accountVotes.watch(['uno']);
  for (let index = 0; index < 300; index += 1) accountVotes.count('uno', 'prices', `acc_${index}`, true);
  const prices = accountVotes.take().get('uno')?.prices;
  expect([prices?.size, prices?.get('')]).toEqual([201, { good: 0, bad: 100 }]);
  accountVotes.watch([]);
});

it('exchanges of failed calls are masked in turns of the event loop, of at most eight calls at a time', async () => {
  failedExchanges.take();
  const log = supplierLog(createLogger('silent'));
  const sent = [{ call: { method: 'POST', path: '/book', body: '4 '.repeat(8_000) }, answer: undefined }] as const;
  for (let index = 0; index < 12; index += 1) {
    const supplier = { id: `masked-${index}`, name: 'Uno', credentials: {} };
    const call = { ...CALL, supplier, operation: 'searchVehicles' } as unknown as Parameters<typeof log.settled>[0];
    log.settled(call, 'rejected', 12, new SupplierError('rejected', 'no'), [], [...sent, ...sent]);
  }
  const perTurn: number[] = [];
  for (let turn = 0; turn < 60; turn += 1) {
    perTurn.push(failedExchanges.take().length);
    await nextTurn();
  }
  expect(perTurn[0]).toBe(0);
  expect(Math.max(...perTurn)).toBeLessThan(8);
  expect(perTurn.reduce((sum, count) => sum + count)).toBe(8);
});
