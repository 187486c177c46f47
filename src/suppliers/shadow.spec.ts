import { describe, expect, it } from '@jest/globals';
import { metrics } from '../metrics/metrics.js';
import type { SupplierOffer } from '../model/offers.js';
import { Warnings } from '../model/warnings.js';
import { FanOut, type PlannedCall } from './fan-out.js';
import type { CallOutcome } from './outcome.js';
import { compare, Shadows } from './shadow.js';
import type { OpenCall } from './supplier-connection.js';

const offer = (sippCode: string, amountMinor: number, currency = 'USD') =>
  ({ vehicle: { sippCode, name: 'x' }, price: { total: { amountMinor, currency } } }) as unknown as SupplierOffer;

describe('a supplier in shadow', () => {
  it('is compared by the cheapest offer of each car class', () => {
    const live = [offer('ECAR', 100), offer('EDMR', 80), offer('CCAR', 200)];
    expect(compare([offer('EXXX', 88), offer('EXXX', 300), offer('CXXX', 180)], live)).toEqual({
      coverage: 1,
      priceRatio: 1,
    });
  });

  it('covers only classes that it has in the same currency', () => {
    const live = [offer('ECAR', 100), offer('CCAR', 200)];
    expect(compare([offer('ECAR', 50), offer('CCAR', 10, 'EUR')], live)).toEqual({ coverage: 0.5, priceRatio: 0.5 });
    expect(compare([], live)).toEqual({ coverage: 0 });
  });

  it('is not compared if there are no live results', () => {
    expect(compare([offer('ECAR', 100)], [])).toEqual({});
  });
});

describe('searches of suppliers in shadow', () => {
  const fanOut = new FanOut({ settled: () => undefined, cutOff: () => undefined });
  const live: CallOutcome<SupplierOffer>[] = [
    {
      kind: 'answered',
      supplier: { id: 'live', name: 'Live' },
      items: [offer('ECAR', 100), offer('CCAR', 200)],
      durationMs: 1,
      shared: false,
    },
  ];

  /** A call for a brand that finds these offers; undefined makes it fail, a promise delays it. */
  const call = (
    supplier: { id: string; name: string },
    brand: string,
    found: readonly SupplierOffer[] | undefined | Promise<void>,
  ) =>
    ({
      ...{
        supplier,
        brand,
        operation: 'searchVehicles',
        requestId: 'req_1',
        application: 'app_1',
        timeoutMs: 10_000,
        shareKey: `${supplier.id}|${brand}|${Math.random()}`,
      },
      open: () =>
        ({
          run: (work: () => unknown) => work(),
          abort: () => undefined,
          exchanges: [],
          warnings: new Warnings(),
        }) as unknown as OpenCall,
      run: async () => {
        if (found === undefined) throw new Error('it fails');
        return { items: found instanceof Promise ? ((await found) ?? []) : found, warnings: [] };
      },
    }) as PlannedCall<SupplierOffer>;

  const seen = async (supplier: string): Promise<Record<string, number>> => {
    const told = await Promise.all(
      ['seconds', 'coverage_ratio', 'price_ratio'].map((name) =>
        metrics.getSingleMetric(`forecourt_shadow_${name}`)?.get(),
      ),
    );
    return Object.fromEntries(
      told
        .flatMap(
          (metric) =>
            (metric?.values ?? []) as { metricName?: string; labels: Record<string, unknown>; value: number }[],
        )
        .filter(
          ({ metricName, labels }) =>
            labels.supplier === supplier &&
            /_(count|sum)$/.test(metricName ?? '') &&
            !/seconds_sum$/.test(metricName ?? ''),
        )
        .map(({ metricName = '', labels, value }) => [
          `${metricName.replace('forecourt_shadow_', '')} ${labels.outcome ?? ''}`.trim(),
          value,
        ]),
    );
  };

  it('are compared together, although there is one call per brand', async () => {
    const uno = { id: 'uno', name: 'Uno' };
    new Shadows(fanOut).run([call(uno, 'A', [offer('EXXX', 110)]), call(uno, 'B', [offer('CXXX', 180)])], live);
    await new Promise((resolve) => setImmediate(resolve));
    expect(await seen('uno')).toEqual({
      'seconds_count answered': 1,
      coverage_ratio_count: 1,
      coverage_ratio_sum: 1,
      price_ratio_count: 1,
      price_ratio_sum: 1,
    });
  });

  it('are not compared if a brand failed', async () => {
    const due = { id: 'due', name: 'Due' };
    new Shadows(fanOut).run([call(due, 'A', [offer('EXXX', 110)]), call(due, 'B', undefined)], live);
    await new Promise((resolve) => setImmediate(resolve));
    expect(await seen('due')).toEqual({ 'seconds_count answered': 1 });
  });

  it('are skipped while twenty of the supplier are open, and made again afterwards', async () => {
    const tre = { id: 'tre', name: 'Tre' };
    const shadows = new Shadows(fanOut);
    let end = (): void => undefined;
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    for (let search = 0; search < 25; search += 1) shadows.run([call(tre, 'A', ended)], live);
    end();
    await new Promise((resolve) => setImmediate(resolve));
    shadows.run([call(tre, 'A', [])], live);
    await new Promise((resolve) => setImmediate(resolve));
    expect(await seen('tre')).toMatchObject({ 'seconds_count left_out': 5, 'seconds_count empty': 21 });
  });
});
