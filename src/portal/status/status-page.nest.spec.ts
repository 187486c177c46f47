import { describe, expect, it } from '@jest/globals';
import type { StatusReport } from '../../incidents/status-report.schema.js';
import { statusPage } from './status-page.js';

const day = (index: number) => new Date(Date.UTC(2027, 0, 1 + index)).toISOString().slice(0, 10);

function pageOf(uptimes: readonly (number | null)[], parts = 1): string {
  const days = uptimes.map((uptime, index) => ({ date: day(index), uptime }));
  const report = {
    ...{ environment: 'sandbox', state: 'operational', generated_at: '2027-04-01T00:00:00Z', counted_at: null },
    parts: Array.from({ length: parts }, (_, index) => ({
      ...{ id: `supplier:${index}`, name: `Supplier ${index}`, state: 'operational', uptime_90d: 1, days },
    })),
    ...{ planned: [], incidents: [] },
  } as unknown as StatusReport;
  return String(statusPage(undefined, report).body);
}

it('says that no supplier is connected, and to operators how to add one', () => {
  const report = {
    ...{ environment: 'production', state: 'operational', generated_at: '2027-04-01T00:00:00Z', counted_at: null },
    ...{ parts: [{ id: 'service', name: 'Service', state: 'operational', uptime_90d: null, days: [] }] },
    ...{ planned: [], incidents: [] },
  } as unknown as StatusReport;
  const text = (role?: string) => String(statusPage(role ? ({ role, name: 'Ada' } as never) : undefined, report).body);
  expect(text()).toContain('No supplier is connected to this gateway yet');
  expect(text()).not.toContain('/docs/adding-a-supplier');
  expect(text('ops')).toContain('/docs/adding-a-supplier');
  expect(pageOf([1])).not.toContain('No supplier is connected');
});

it('says since when an incident is open, and does not say that everything works meanwhile', () => {
  const at = (ended_at: string | null) => {
    const incident = {
      ...{ id: 'inc_1', kind: 'notice', part: 'service', name: 'The service' },
      operations: [],
      notes: [],
    };
    const report = {
      ...{ environment: 'sandbox', state: 'operational', generated_at: '2027-04-01T00:00:00Z', counted_at: null },
      ...{ parts: [], planned: [], incidents: [{ ...incident, began_at: '2027-03-31T22:00:00.000Z', ended_at }] },
    } as unknown as StatusReport;
    return String(statusPage(undefined, report).body);
  };
  expect(at(null)).toMatch(/Please read the notices.*Since <time/s);
  expect(at(null)).not.toContain('Everything works');
  expect(at('2027-03-31T23:00:00.000Z')).toMatch(/Everything works.*From <time.*<\/time> to <time/s);
});

describe('the bars of the status page', () => {
  it('are one per day; days in a row with the same uptime share a shape and its title', () => {
    const html = pageOf([null, null, 1, 0.9, 1]);
    const shapes = [...html.matchAll(/<path class="(\w+)" d="([^"]+)"><title>([^<]+)</g)].map(
      ([, tone, bars, title]) => [tone, bars, title],
    );
    expect(shapes).toEqual([
      ['none', 'M0 0h7v32h-7zM10 0h7v32h-7z', '2027-01-01 to 2027-01-02: no calls'],
      ['good', 'M20 0h7v32h-7z', '2027-01-03: 100.00 %'],
      ['bad', 'M30 0h7v32h-7z', '2027-01-04: 90.00 %'],
      ['good', 'M40 0h7v32h-7z', '2027-01-05: 100.00 %'],
    ]);
  });

  it('leave a page of 9 parts within 40,000 bytes, if most days are alike', () => {
    const uptimes = Array.from({ length: 90 }, (_, index) => (index % 9 === 0 ? 0.9876 : 1));
    expect(pageOf(uptimes, 9).length).toBeLessThan(40_000);
  });
});
