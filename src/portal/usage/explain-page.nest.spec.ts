import { expect, it } from '@jest/globals';
import type { CallRecord, RequestRecord, TracedEntry } from '../../records/request-record.js';
import { explainPage } from './explain-page.js';

function pageOf(warnings: CallRecord['warnings'], entries: readonly TracedEntry[] = []): string {
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
    trace: { budgetMs: 8_000, calls: [call], skipped: [], entries },
  };
  const visitor = { account: { id: 'acc_a', email: 'a@example.com' }, role: 'user', environment: 'sandbox' } as never;
  return String(explainPage({ visitor, own: [], record, reservation: undefined }, () => 'Uno Cars').body);
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

it('errors returned are cards in narrow windows: each value has its column’s name, absent ones are left out', () => {
  const html = pageOf(undefined, [
    { reason: 'supplier_failure', supplier: 'uno', brand: 'X', cause: 'timeout' },
    { reason: 'invalid_format', field: 'pickup_date' },
  ]);
  const cells = [...html.matchAll(/<td(?: class="(\w*)")? data-label="(\w+)">(.*?)<\/td>/g)].map(
    ([, kind, name, text]) => [kind, name, text?.replaceAll(/<[^>]+>/g, '')].filter(Boolean).join(' '),
  );
  expect(cells.slice(0, 3)).toEqual(['Supplier Uno Cars X', 'Cause timeout', 'absent Field –']);
  expect(cells.slice(4, 7)).toEqual(['absent Supplier –', 'absent Cause –', 'Field pickup_date']);
  expect(html).toContain('<table class="cards">');
  expect(html).toContain('href="/docs/errors#supplier_failure"');
});
