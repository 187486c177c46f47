import { expect, it } from '@jest/globals';
import { conversionView } from './conversion-view.js';
import { conversionWire } from './vehicles.wire.js';

const table = { asOf: '2026-11-20', source: 'European Central Bank', staleAt: 1_000 };

it.each([
  ['current', table, 999, { as_of: '2026-11-20', source: 'European Central Bank', stale: false }],
  ['stale', table, 1_000, { as_of: '2026-11-20', source: 'European Central Bank', stale: true }],
  ['missing', undefined, 0, { stale: true }],
])('an answer says whether the rates are %s', (_state, rates, now, shown) => {
  const view = JSON.parse(JSON.stringify(conversionView('EUR', rates, now)));
  expect(view).toEqual({ currency: 'EUR', ...shown });
  expect(conversionWire.parse(view)).toEqual(view);
});
