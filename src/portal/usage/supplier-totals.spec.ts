import { describe, expect, it } from '@jest/globals';
import type { SupplierUsage } from '../../records/supplier-usage-reader.js';
import type { Booked } from '../../reservations/booked-reader.js';
import { bookedTotals, causeLines, supplierLines } from './supplier-totals.js';

const calls = (
  supplier: string,
  operation: string,
  cause: string,
  number: number,
  more: Partial<SupplierUsage> = {},
) => ({
  ...{ supplier, operation, cause, calls: number, isCurrent: true, remembered: 0, buckets: [], offers: 0, cheapest: 0 },
  ...{ compared: 0, changed: 0, changeBasisPoints: 0 },
  ...more,
});
const booked = (supplier: string, more: Partial<Booked> = {}): Booked => ({
  ...{ isCurrent: true, applicationId: 'app_a', supplier, currency: 'USD', requested: 0, confirmed: 0, cancelled: 0 },
  ...{ refused: 0, valueMinor: 0 },
  ...more,
});

describe('what suppliers did in a period', () => {
  it('keeps answered, empty and failed calls apart, and leaves out those whose client disconnected', () => {
    const [line] = supplierLines(
      [
        calls('a', 'searchVehicles', 'answered', 5, { offers: 50, cheapest: 2, buckets: [0, 0, 10] }),
        calls('a', 'searchVehicles', 'empty', 3, { buckets: [0, 0, 0, 0, 10] }),
        calls('a', 'searchVehicles', 'timeout', 2),
        calls('a', 'searchVehicles', 'client_left', 9),
        calls('a', 'searchLocations', 'answered', 100),
        calls('a', 'searchVehicles', 'timeout', 4, { isCurrent: false }),
      ],
      [],
    );
    expect(line?.searches).toMatchObject({ asked: 10, answered: 5, empty: 3, failed: 2, offers: 50, cheapest: 2 });
    expect([line?.searches.medianMs, line?.searches.slowMs]).toEqual([35, 72.5]);
    expect(line?.failedBefore).toMatchObject({ asked: 4, failed: 4 });
  });

  it('ranks them by the bookings that they cost: refused ones, and failures at the rate of those that were answered', () => {
    const lines = supplierLines(
      [
        calls('good', 'searchVehicles', 'answered', 100),
        calls('good', 'priceCheck', 'answered', 20),
        calls('away', 'searchVehicles', 'unavailable', 50),
        calls('dear', 'priceCheck', 'sold_out', 4),
      ],
      [booked('good', { requested: 11, confirmed: 10, refused: 1 }), booked('rude', { requested: 6, refused: 6 })],
    );
    // 10 bookings of 100 answered searches and of 20 answered price checks.
    expect(lines.map(({ id, lost }) => [id, lost])).toEqual([
      ['rude', 6],
      ['away', 5],
      ['dear', 2],
      ['good', 1],
    ]);
  });

  it('shows the mean change of the prices that changed', () => {
    const check = calls('a', 'priceCheck', 'answered', 8, { compared: 8, changed: 2, changeBasisPoints: 500 });
    expect(supplierLines([check], [])[0]?.checks).toMatchObject({ compared: 8, changed: 2, meanChange: 0.025 });
    expect(supplierLines([calls('a', 'priceCheck', 'answered', 1)], [])[0]?.checks.meanChange).toBeUndefined();
  });

  it('lists failures and refusals by cause, most frequent first', () => {
    const rows = [
      calls('a', 'searchVehicles', 'answered', 9),
      calls('a', 'searchVehicles', 'empty', 9),
      calls('a', 'searchVehicles', 'client_left', 9),
      calls('a', 'book', 'card_declined', 1),
      calls('b', 'searchVehicles', 'timeout', 3),
      calls('b', 'searchVehicles', 'throttled', 3, { isCurrent: false }),
    ];
    expect(causeLines(rows).map(({ supplier, cause, calls: number }) => `${supplier} ${cause} ${number}`)).toEqual([
      'b timeout 3',
      'a card_declined 1',
    ]);
  });

  it('adds up values by currency, not across currencies', () => {
    const rows = [
      booked('a', { valueMinor: 100 }),
      booked('a', { valueMinor: 500, currency: 'EUR' }),
      booked('b', { valueMinor: 50 }),
      booked('b', { currency: 'PLN' }),
    ];
    expect(bookedTotals(rows).value).toEqual([
      ['EUR', 500],
      ['USD', 150],
    ]);
  });
});
