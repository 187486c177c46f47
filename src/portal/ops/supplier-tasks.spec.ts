import { expect, test } from '@jest/globals';
import { faultWords, whoWords } from './diagnosis-text.js';
import type { SupplierFacts } from './supplier-facts.service.js';
import { budgetTasks } from './supplier-tasks.js';
import { switchForm } from './switch-form.js';

const firing = (supplier: string, summary: string) => ({
  ...{
    pair: { name: 'fast' },
    supplier,
    name: 'ForecourtCallsBurnFast',
    summary,
    description: '20 of 100.',
    startedAt: 0,
  },
});

test('error budgets name suppliers as the other rows do', () => {
  const suppliers = [{ id: 'a', name: 'Alpine', problems: [] } as unknown as SupplierFacts];
  const texts = (summary: string) =>
    budgetTasks({ suppliers, now: 180_000 }, [firing('a', summary)]).map(({ text }) => text);
  expect(texts('calls of a fail: the error budget burns fast')).toEqual([
    'Calls of Alpine fail: the error budget burns fast. 20 of 100. Firing since 00:00 UTC (3 min ago).',
  ]);
  expect(texts('prices of a: a lot')[0]).toMatch(/^Prices of Alpine:/);
  expect(budgetTasks({ suppliers: [], now: 0 }, [firing('', 'requests fail')])[0]?.text).toMatch(
    /^Requests fail\. 20 of 100\. Firing/,
  );
});

test('refused credentials are only likely the fault of the supplier', () => {
  expect(whoWords({ who: 'them', kind: 'auth' })).toBe('Likely them');
  expect(whoWords({ who: 'us', kind: 'auth' })).toBe('Us');
  expect(whoWords({ who: 'them', kind: 'http_5xx' })).toBe('Them');
  expect(faultWords({ who: 'them', kind: 'auth' })).toBe('Likely their fault');
});

test('the end of maintenance is a time of 24 hours in UTC', () => {
  const until = (text: string) =>
    switchForm.safeParse({ state: 'maintenance', until: text, reason: 'as agreed' }).data?.until?.toISOString();
  expect(until('2099-01-31 16:00')).toBe('2099-01-31T16:00:00.000Z');
  expect(until('2099-01-31T16:00:30')).toBe('2099-01-31T16:00:30.000Z');
  for (const wrong of ['2099-01-31 4:00 PM', '2099-01-31 24:30', '31.01.2099 16:00', '2000-01-31 16:00'])
    expect([wrong, until(wrong)]).toEqual([wrong, undefined]);
});
