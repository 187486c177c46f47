import { amountText } from '../../reservations/booked-reader.js';
import type { Column } from '../shell/data-table.js';
import { type CauseLine, causeLines, type SupplierLine, supplierLines } from './supplier-totals.js';
import type { UsageOverview } from './usage-overview.service.js';
import { duration, fraction, number, signed, type UsageTable } from './usage-tables.js';
import { callWords, count } from './words.js';

/** The name of a supplier by its id. */
export type NameOf = (supplier: string) => string;

/** How suppliers answered searches, those that cost most bookings first. */
export function searchedTable({ suppliers, booked }: UsageOverview, nameOf: NameOf): UsageTable<SupplierLine> {
  return {
    label: 'Searches by supplier',
    columns: [
      supplierColumn(nameOf),
      number('Asked', ({ searches }) => searches.asked, 'calls, including answers from memory'),
      number('Answered', ({ searches }) => searches.answered, 'with cars that match'),
      number('Empty', ({ searches }) => searches.empty, 'answered without a matching car'),
      {
        head: 'Failed',
        value: ({ searches }) => searches.failed,
        show: ({ id, searches }) =>
          searches.failed === 0 ? (
            '0'
          ) : (
            <a href={`/logs?supplier=${encodeURIComponent(id)}&cause=failed`}>{count(searches.failed)}</a>
          ),
      },
      fraction('Failed share', ({ searches }) => partOf(searches.failed, searches.asked)),
      fraction(
        'Before',
        ({ failedBefore }) => partOf(failedBefore.failed, failedBefore.asked),
        'failed share of the period before',
      ),
      duration('Median', ({ searches }) => searches.medianMs, 'of calls, without answers from memory'),
      duration('95%', ({ searches }) => searches.slowMs, 'of calls, without answers from memory'),
      number('Offers', ({ searches }) => searches.offers, 'after your filters'),
      number(
        'Cheapest',
        ({ searches }) => searches.cheapest,
        'searches in which it had the cheapest offer, alone or with others',
      ),
    ],
    rows: supplierLines(suppliers, booked),
  };
}

/** What became of suppliers' offers: price checks, bookings and their value. */
export function soldTable({ suppliers, booked }: UsageOverview, nameOf: NameOf): UsageTable<SupplierLine> {
  return {
    label: 'Prices and bookings by supplier',
    columns: [
      supplierColumn(nameOf),
      number('Price checks', ({ checks }) => checks.asked, 'for prices and before bookings'),
      number('Failed', ({ checks }) => checks.failed, 'price checks that failed or were refused, such as sold out'),
      fraction(
        'Changed',
        ({ checks }) => partOf(checks.changed, checks.compared),
        'prices that had changed, of those compared',
      ),
      {
        head: 'By',
        title: 'mean change of the prices that changed',
        value: ({ checks }) => checks.meanChange,
        show: ({ checks }) => signed(checks.meanChange),
      },
      number('Requested', ({ bookings }) => bookings.requested, 'reservations made'),
      number('Confirmed', ({ bookings }) => bookings.confirmed),
      number('Before', (line) => line.confirmedBefore, 'confirmed in the period before'),
      number('Refused', ({ bookings }) => bookings.refused, 'failed, rejected or expired'),
      number('Cancelled', ({ bookings }) => bookings.cancelled, 'after they were confirmed'),
      fraction(
        'Conversion',
        ({ bookings, searches }) => partOf(bookings.confirmed, searches.answered),
        'confirmed bookings of answered searches',
      ),
      { head: 'Value', title: 'totals of confirmed bookings that are not cancelled', value: valueText },
      { head: 'Lost (est.)', title: 'bookings that it cost', value: ({ lost }) => Math.round(lost * 10) / 10 },
    ],
    rows: supplierLines(suppliers, booked),
  };
}

/** Failures and refusals by supplier, kind of call and cause. */
export function causesTable({ suppliers }: UsageOverview, nameOf: NameOf): UsageTable<CauseLine> {
  return {
    label: 'Failures by cause',
    columns: [
      { head: 'Supplier', value: ({ supplier }) => nameOf(supplier) },
      { head: 'Call', isText: true, value: ({ operation }) => callWords(operation) },
      {
        head: 'Cause',
        isText: true,
        value: ({ cause }) => cause,
        show: ({ supplier, cause }) => (
          <a href={`/logs?supplier=${encodeURIComponent(supplier)}&cause=${cause}`}>
            <code>{cause}</code>
          </a>
        ),
      },
      number('Calls', ({ calls }) => calls),
    ],
    rows: causeLines(suppliers),
  };
}

/** One sentence about the supplier that cost most bookings, with the numbers behind it. */
export function CostliestSupplier({ overview, nameOf }: { overview: UsageOverview; nameOf: NameOf }) {
  const [line] = supplierLines(overview.suppliers, overview.booked);
  if (!line) return null;
  const { searches, checks, bookings, lost } = line;
  const said = [
    [searches.failed, searches.asked, 'searches'],
    [checks.failed, checks.asked, 'price checks'],
    [bookings.refused, bookings.requested, 'bookings'],
  ].flatMap(([failed = 0, all = 0, what]) =>
    failed === 0 ? [] : [`${count(Number(failed))} of ${count(Number(all))} ${what}`],
  );
  if (said.length === 0) return <p class="lead">No supplier failed in this period.</p>;
  return (
    <p class="lead costliest">
      <strong>{nameOf(line.id)}</strong> costs you most: {listed(said)} failed
      {lost >= 0.5 &&
        `, which cost about ${count(Math.round(lost))} ${Math.round(lost) === 1 ? 'booking' : 'bookings'}`}
      .
    </p>
  );
}

function listed(parts: readonly string[]): string {
  return parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;
}

function supplierColumn(nameOf: NameOf): Column<SupplierLine> {
  return { head: 'Supplier', value: ({ id }) => nameOf(id) };
}

function valueText({ bookings }: SupplierLine): string {
  return bookings.value.map(([currency, minor]) => amountText(minor, currency)).join(', ') || '–';
}

function partOf(part: number, total: number): number | undefined {
  return total === 0 ? undefined : part / total;
}
