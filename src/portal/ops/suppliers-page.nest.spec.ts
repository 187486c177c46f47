import { expect, test } from '@jest/globals';
import { overviewPart } from './overview-page.js';
import { suppliersPage } from './suppliers-page.js';

const facts = { now: Date.UTC(2027, 0, 2), own: { lagMs: 1, isLagging: false }, suppliers: [] };

test('without a supplier, the pages of operators say how to add the first one, and not that all is well', () => {
  const none = { tasks: [], switched: { off: 0, planned: 0 }, requests: [], bookings: [], partial: [], p95: [] };
  for (const html of [overviewPart({ ...none, facts }), String(suppliersPage({ role: 'ops' } as never, facts).body)]) {
    expect(html).toContain('This gateway has no supplier yet');
    expect(html).toContain('href="/docs/adding-a-supplier"');
    expect(html).not.toMatch(/No supplier fails|<table/);
  }
});

test('the plot of response times shows a bound that no response exceeded, and is full above the last one', () => {
  const none = { tasks: [], switched: { off: 0, planned: 0 }, requests: [], bookings: [], partial: [] };
  const said = (p95: readonly (number | null)[]) => overviewPart({ ...none, facts, p95 });
  expect(said([75, null])).toContain('last: ≤ 75 ms');
  expect(said([75, Number.POSITIVE_INFINITY])).toMatch(/last: (>|&gt;) 8,000 ms/);
  expect(said([75, Number.POSITIVE_INFINITY])).not.toMatch(/NaN|Infinity/);
});
