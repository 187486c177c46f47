import type { RateTable } from '../currencies/rate-table.js';
import type { WireView } from '../representations/wire-view.js';
import type { conversionWire } from './vehicles.wire.js';

/** The rates with which an answer is converted; `now` is in epoch milliseconds. Without a table, there is no day and source. */
export function conversionView(
  currency: string,
  table: Pick<RateTable, 'asOf' | 'source' | 'staleAt'> | undefined,
  now: number,
): WireView<typeof conversionWire> {
  return { currency, as_of: table?.asOf, source: table?.source, stale: !table || now >= table.staleAt };
}
