import { describe, expect, it } from '@jest/globals';
import type { OwnApplication } from '../../auth/own-applications.js';
import type { ErrorGroup } from '../../records/error-groups.js';
import type { RequestRecord, TraceRecord } from '../../records/request-record.js';
import { type HomeFacts, homePage } from './home-page.js';

const DONE = { token: true, ok: true, partial: true, booking: true, webhook: true };
const application = {
  id: 'app_a',
  name: 'Shop <b>',
  clientId: 'client_a',
  environment: 'sandbox',
  state: 'active',
  products: ['cars'],
  launch: null,
  isLaunched: false,
} as unknown as OwnApplication;
const request = (requestId: string, status: number, trace: Partial<TraceRecord> = {}): RequestRecord => ({
  applicationId: 'app_a',
  at: Date.UTC(2027, 0, 2),
  requestId,
  operation: 'searchVehicles',
  status,
  durationMs: 70,
  trace: { budgetMs: 8_000, calls: [], skipped: [], entries: [], ...trace },
});
const timeout = {
  supplier: 'bravo',
  operation: 'searchVehicles',
  outcome: 'failed',
  cause: 'timeout',
} as TraceRecord['calls'][number];
const partial = request('req_partial', 206, {
  calls: [timeout, { ...timeout, brand: 'X' }, { ...timeout, supplier: 'dune', cause: 'bad_payload' }],
  entries: [{ reason: 'supplier_failure', supplier: 'bravo', cause: 'timeout' }],
});
const group: ErrorGroup = {
  reason: 'supplier_failure',
  cause: 'timeout',
  supplier: 'bravo',
  field: null,
  requests: 1_234,
  newest: { at: 5, requestId: 'req_partial', status: 206 },
};

/** The page and its text, without the parts that all pages have. */
function home(more: Partial<HomeFacts> = {}, recent: Partial<HomeFacts['recent']> = {}) {
  const visitor = { accountId: 'acc_a', name: 'Ada', role: 'developer', environment: 'sandbox' } as never;
  const answer = homePage({
    ...{ visitor, application, others: 0, done: DONE, secret: undefined },
    recent: {
      ...{ requests: [partial, request('req_ok', 200)], errors: { groups: [group], found: 1, since: undefined } },
      ...{ own: [application], nameOf: (supplier: string) => supplier.toUpperCase() },
      ...recent,
    },
    ...more,
  });
  const body = String(answer.body);
  const html = body.slice(body.indexOf('<main'), body.indexOf('<footer'));
  return { html, bytes: body.length, text: html.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ') };
}

it('links to the operations console for operators only', () => {
  const visitor = { accountId: 'acc_a', name: 'Ada', role: 'ops', environment: 'sandbox' } as never;
  expect(home({ visitor }).html).toContain('<a href="/ops">');
  expect(home().html).not.toContain('<a href="/ops">');
});

describe('the home page', () => {
  it('begins with what fails, then the last requests, the next step and the credentials', () => {
    const { html, text } = home();
    expect([...html.matchAll(/<h2 id="([\w-]+)"/g)].map(([, id]) => id)).toEqual([
      'failing',
      'recent',
      'set-up',
      'credentials',
    ]);
    expect(text).toContain('500 timeout BRAVO 1,234 × 1970-01-01 00:00 UTC');
    expect(text).toContain('206 Search vehicles BRAVO: timeout, DUNE: bad payload 70 ms 2027-01-02 00:00:00 UTC 200 ');
    expect(html).toContain(`href="/logs/req_partial?at=${partial.at}"`);
    expect(html).toContain('href="/logs?supplier=bravo&amp;cause=timeout"');
  });

  it('names the application of each request if there are several', () => {
    expect(home({}, { own: [application, { ...application, id: 'app_b' }] }).text).toContain(
      '00:00:00 UTC Shop &lt;b> ',
    );
  });

  it('has no checklist when all steps are done, and leads to production', () => {
    const { html } = home();
    expect(html).not.toContain('class="checklist"');
    expect(html).toContain('href="/applications/app_a/certification"');
    expect(html).toContain('href="/applications/app_a/production-access"');
  });

  it.each([
    [
      { launch: { state: 'requested', at: '2027-01-02T03:04:05Z', decision: null } },
      'You requested production access on 2027-01-02 03:04 UTC',
    ],
    [
      { launch: { state: 'refused', at: '2027-01-02T03:04:05Z', decision: 'No.' } },
      'was rejected on 2027-01-02 03:04 UTC',
    ],
    [
      { isLaunched: true, launch: { state: 'approved', at: '2027-01-02T03:04:05Z', decision: null } },
      'has production access',
    ],
  ])('says what became of a production access request: %j', (more, expected) => {
    const { text } = home({ application: { ...application, ...more } as OwnApplication });
    expect(text).toContain(expected);
    expect(text).not.toContain('Request production access');
  });

  it('has the checklist above the requests while a step is open; done steps are one line', () => {
    const { html, text } = home({ done: { ...DONE, webhook: false } });
    expect([...html.matchAll(/<h2 id="([\w-]+)"/g)].map(([, id]) => id)).toEqual([
      'credentials',
      'checklist',
      'failing',
      'recent',
    ]);
    expect(text).toContain('Search cars: 200 Done See a supplier fail: 206 Done Book a car: 201 Done');
    expect(html).toMatch(/<a class="button" href="\/applications\/app_a\/webhooks">/);
  });

  it('shows a new secret, and no empty parts before the first request', () => {
    const done = { ...DONE, ok: false };
    const empty = { requests: [], errors: { groups: [], found: 0, since: undefined } };
    const { html } = home({ done, secret: 'fcs_1' }, empty);
    expect(html).toMatch(/fcs_1.*id="checklist"/s);
    expect(html).not.toMatch(/id="(?:recent|failing)"/);
    expect(home({}, empty).text).toContain('No requests are kept from the last days.');
  });

  it('in production has neither checklist nor next step', () => {
    const { html } = home({ done: undefined });
    expect(html).not.toMatch(/id="(?:checklist|set-up)"/);
    expect(html).toContain('id="recent"');
  });

  it('has at most 40,000 bytes with the longest of everything', () => {
    const id = 'r'.repeat(100);
    const calls = Array.from({ length: 40 }, (_, index) => ({ ...timeout, supplier: `supplier_${index}` }));
    const requests = Array.from({ length: 5 }, () => request(id, 206, { calls }));
    const groups = Array.from({ length: 3 }, () => ({ ...group, newest: { ...group.newest, requestId: id } }));
    const { bytes } = home({ done: { ...DONE, ok: false } }, { requests, errors: { groups, found: 9, since: 5 } });
    expect(bytes).toBeLessThan(40_000);
  });
});
