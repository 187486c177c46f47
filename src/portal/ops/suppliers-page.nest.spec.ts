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
