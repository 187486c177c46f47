import { describe, expect, it } from '@jest/globals';
import type { OwnApplication } from '../../auth/own-applications.js';
import type { ErrorGroup, ErrorSummary } from '../../records/error-groups.js';
import type { TraceRecord } from '../../records/request-record.js';
import { logsPage } from './logs-page.js';
import { type LogsQuery, logsQuery } from './logs-query.js';

const AT = Date.UTC(2027, 0, 2, 3, 4, 5);
const own = [{ id: 'app_a', name: 'Shop', environment: 'sandbox' }] as unknown as OwnApplication[];
const group = (more: Partial<ErrorGroup>): ErrorGroup => ({
  reason: 'supplier_failure',
  cause: 'timeout',
  supplier: 'bravo',
  field: null,
  requests: 7,
  newest: { at: AT, requestId: 'req:1', status: 206 },
  ...more,
});

function logs(
  errors: ErrorSummary | undefined,
  typed: Partial<Record<keyof LogsQuery, string>> = {},
  count = 1,
  trace?: TraceRecord,
) {
  const request = { applicationId: 'app_a', at: AT, operation: 'searchVehicles', status: 206, durationMs: 70 };
  const { body } = logsPage({
    visitor: { accountId: 'acc_a', name: 'Ada', role: 'ops' } as never,
    ...{ own, query: logsQuery.parse(typed), errors, records: { days: 7, perSecond: 50 } as never },
    found: {
      requests: Array.from({ length: count }, (_, index) => ({
        ...request,
        requestId: `req_${index}`.padEnd(40, '0'),
        ...(trace && { trace }),
      })),
      ...{ next: undefined, most: 5_000, isCut: false },
    },
    suppliers: [{ id: 'bravo', name: 'Bravo <Mobility>' }],
  });
  const html = String(body);
  return { html, text: html.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ') };
}

describe('a request of the log', () => {
  it('names the suppliers that failed, and why', () => {
    const failed = { supplier: 'bravo', outcome: 'failed', cause: 'bad_payload' };
    const trace = { calls: [failed, { supplier: 'alpine', outcome: 'answered' }], entries: [] };
    const { text } = logs(undefined, {}, 1, trace as unknown as TraceRecord);
    expect(text).toMatch(/206 Search vehicles Bravo &lt;Mobility>: bad payload 70 ms/);
  });
});

describe('errors by cause above the log', () => {
  it('say code, cause, supplier, count and newest request, and lead to the requests within the filters', () => {
    const groups = [
      group({}),
      group({
        reason: 'invalid_format',
        cause: null,
        supplier: null,
        field: 'pickup_date',
        requests: 2,
        newest: { at: AT, requestId: 'b', status: 400 },
      }),
      group({
        reason: null,
        cause: null,
        supplier: null,
        requests: 1,
        newest: { at: AT, requestId: 'c', status: 499 },
      }),
      group({ reason: 'gone_in_a_later_version', cause: null, newest: { at: AT, requestId: 'd', status: 500 } }),
    ];
    const { html, text } = logs({ groups, found: 9, since: AT }, { operation: 'searchVehicles', status: '4xx' });
    expect(text).toContain('500 timeout Bravo &lt;Mobility> 7 × 2027-01-02 03:04 UTC');
    expect(text).toContain('400 invalid_format : pickup_date – 2 × 2027-01-02 03:04 UTC');
    expect(text).toContain('499 Client disconnected – 1 × 2027-01-02 03:04 UTC');
    expect(text).toContain('500 gone_in_a_later_version Bravo');
    expect(text).toContain(
      'The 4 most frequent of 9 errors. Counted in the newest requests, back to 2027-01-02 03:04:05 UTC.',
    );
    expect(html).toContain(`href="/logs/req%3A1?at=${AT}"`);
    expect(html).toContain('href="/logs?status=4xx&amp;operation=searchVehicles&amp;supplier=bravo&amp;cause=timeout"');
    expect(html).toContain('href="/logs?status=400&amp;operation=searchVehicles"');
  });

  it('are absent if there are none, or if they were not read', () => {
    for (const errors of [undefined, { groups: [], found: 0, since: undefined }])
      expect(logs(errors).html).not.toContain('Errors by cause');
  });

  it('leave the page within 40,000 bytes', () => {
    const groups = Array.from({ length: 6 }, () => group({ field: 'driver.first_name' }));
    expect(logs({ groups, found: 9, since: AT }, {}, 50).html.length).toBeLessThan(40_000);
  });
});
