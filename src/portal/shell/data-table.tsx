import type { ComponentChildren } from 'preact';
import { Answer } from '../../http/answer.js';
import { ScrollingTable } from './scrolling-table.js';

/** One column of a table that is shown on a page and exported as CSV. */
export interface Column<Row> {
  readonly head: string;
  /** Text, not a number. */
  readonly isText?: true;
  /** Explains the head. */
  readonly title?: string;
  /** In the export; undefined or null = empty. */
  readonly value: (row: Row) => string | number | undefined | null;
  /** On the page; default: the value. */
  readonly show?: (row: Row) => ComponentChildren;
}

/** The rows of a table. The first column names the row. */
export interface DataTableProps<Row> {
  /** What screen readers announce. */
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  /** Attributes of a row, for scripts. */
  readonly attributes?: (row: Row) => Readonly<Record<`data-${string}`, string | number>>;
  /** Where the export is. */
  readonly csv: string;
}

/** A table that scrolls on its own, with a link to its CSV export. */
export function DataTable<Row>({ label, columns, rows, attributes, csv }: DataTableProps<Row>) {
  return (
    <>
      <ScrollingTable label={label} class="data">
        <thead>
          <tr>
            {columns.map(({ head, title, isText }) => (
              <th key={head} scope="col" title={title} class={isText && 'text'}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index} {...attributes?.(row)}>
              {columns.map(({ head, value, show = value, isText }, place) =>
                place === 0 ? (
                  <th key={head} scope="row">
                    {show(row)}
                  </th>
                ) : (
                  <td key={head} class={isText && 'text'}>
                    {show(row) ?? '–'}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </ScrollingTable>
      <p class="csv">
        <a href={csv} download>
          CSV<span class="hidden"> of {label}</span>
        </a>
      </p>
    </>
  );
}

/** The rows as a CSV file (RFC 4180). Texts that a spreadsheet would take for a formula begin with an apostrophe. */
export function csvAnswer<Row>(name: string, columns: readonly Column<Row>[], rows: readonly Row[]): Answer {
  const lines = [columns.map(({ head }) => head), ...rows.map((row) => columns.map(({ value }) => value(row) ?? ''))];
  const text = lines.map((line) => line.map(cell).join(',')).join('\r\n');
  return new Answer(200, `${text}\r\n`, {
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': `attachment; filename="${name}.csv"`,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
}

function cell(value: string | number): string {
  if (typeof value === 'number') return String(value);
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
