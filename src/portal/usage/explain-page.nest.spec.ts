import { expect, it } from '@jest/globals';
import type { CallRecord, RequestRecord } from '../../records/request-record.js';
import { explainPage } from './explain-page.js';

function pageOf(warnings: CallRecord['warnings']): string {
  const call: CallRecord = {
    supplier: 'uno',
    operation: 'searchVehicles',
    outcome: 'answered',
    timeoutMs: 4_000,
    startMs: 1,
    endMs: 60,
    exchanges: [],
    ...(warnings && { warnings }),
  };
  const record: RequestRecord = {
    applicationId: 'app_a',
    at: 0,
    requestId: 'req_one',
    operation: 'searchVehicles',
    status: 200,
    durationMs: 70,
    trace: { budgetMs: 8_000, calls: [call], skipped: [], entries: [] },
  };
  const visitor = { account: { id: 'acc_a', email: 'a@example.com' }, role: 'user', environment: 'sandbox' } as never;
  return JSON.stringify(explainPage({ visitor, own: [], record, reservation: undefined }, () => 'Uno Cars'));
}

it('the explain page shows how many rows of a supplier were left out, and why', () => {
  const html = pageOf({ row_dropped: 1_250, contradiction: 2 });
  expect(html).toMatch(/<h2>Warnings<\/h2>/);
  expect(html).toMatch(
    /Uno Cars.*1,250.*row_dropped.*a required value other than an amount is missing.*>2<.*contradiction.*contradicts/s,
  );
});

it('the explain page has no warnings when every row was usable', () => {
  expect(pageOf(undefined)).not.toContain('Warnings');
});
