import { percentile } from '../ops/percentile.js';
import type { Column } from '../shell/data-table.js';
import { utc } from '../shell/moment.js';
import { bookedTotals } from './supplier-totals.js';
import type { UsageOverview } from './usage-overview.service.js';
import { ANSWER_KINDS, type AnswerKind, type Answers, answersOf, pricesIn, searchesIn } from './usage-totals.js';
import { count, ms, operationName, share } from './words.js';

/** A table of the usage page with its rows. */
export interface UsageTable<Row> {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
}

/** The status codes and meaning of each kind of response. */
export const KIND_NAMES: Readonly<Record<AnswerKind, readonly [name: string, meaning: string]>> = {
  complete: ['2xx', 'complete responses'],
  partial: ['206', 'partial responses'],
  refused: ['4xx', 'rejected or nothing found'],
  limited: ['429', 'rate limited'],
  failed: ['5xx', 'failed'],
};

const ANSWER_COLUMNS: readonly Column<Answers>[] = [
  number('Calls', ({ calls }) => calls),
  ...ANSWER_KINDS.map((kind) => number<Answers>(KIND_NAMES[kind][0], (row) => row[kind], KIND_NAMES[kind][1])),
  fraction('206 share', ({ partialShare }) => partialShare, 'of answered GET searches'),
  duration('Mean', ({ calls, meanMs }) => (calls === 0 ? undefined : meanMs)),
];

/** Calls in each step of the period, newest first. The charts read it. */
export function stepsTable({ view }: UsageOverview): UsageTable<UsageOverview['view']['steps'][number]> {
  const start: Column<{ readonly at: number }> = {
    head: 'From (UTC)',
    value: ({ at }) => new Date(at * 1000).toISOString(),
    show: ({ at }) => utc(at * 1000).slice(0, 16),
  };
  return { label: 'Calls over time', columns: [start, ...ANSWER_COLUMNS], rows: view.steps.toReversed() };
}

/** Calls by operation, with percentiles of their durations. */
export function operationsTable({
  view,
  durations,
}: UsageOverview): UsageTable<UsageOverview['view']['operations'][number]> {
  const of = (name: string) => durations.find(({ operation }) => operation === name)?.buckets ?? [];
  const operation: Column<{ readonly operation: string }> = {
    head: 'Operation',
    value: (row) => row.operation,
    show: (row) => <a href={`/logs?operation=${row.operation}`}>{operationName(row.operation)}</a>,
  };
  const parts = [
    ['Median', 0.5],
    ['95%', 0.95],
    ['99%', 0.99],
  ] as const;
  const percentiles = parts.map(([head, part]) =>
    duration<{ readonly operation: string }>(head, (row) => percentile(of(row.operation), part)),
  );
  return {
    label: 'Calls by operation',
    columns: [operation, ...ANSWER_COLUMNS, ...percentiles],
    rows: view.operations,
  };
}

interface ApplicationLine extends Answers {
  readonly id: string;
  readonly name: string;
  readonly callsBefore: number;
  readonly confirmed: number;
  readonly used: number;
  readonly perDay: number | undefined;
}

/** The chosen applications with their calls, bookings and daily quotas, in the order in which they were created. */
export function applicationsTable(overview: UsageOverview): UsageTable<ApplicationLine> {
  const { choice, byApplication, booked, quotas } = overview;
  const rows = choice.own.flatMap(({ id, name }): ApplicationLine[] => {
    const quota = quotas.get(id);
    if (!quota) return [];
    const own = byApplication.filter(({ applicationId }) => applicationId === id);
    const before = answersOf(own.filter(({ isCurrent }) => !isCurrent));
    const made = booked.filter(({ applicationId, isCurrent }) => isCurrent && applicationId === id);
    return [
      {
        ...answersOf(own.filter(({ isCurrent }) => isCurrent)),
        ...{ id, name, callsBefore: before.calls, confirmed: bookedTotals(made).confirmed, ...quota },
      },
    ];
  });
  return {
    label: 'Applications',
    columns: [
      {
        head: 'Application',
        value: ({ name }) => name,
        show: ({ id, name }) => <a href={`/applications/${id}`}>{name}</a>,
      },
      ...ANSWER_COLUMNS,
      number('Calls before', ({ callsBefore }) => callsBefore, 'in the period of the same length before'),
      number('Bookings', ({ confirmed }) => confirmed, 'confirmed'),
      number('Today', ({ used }) => used, 'calls of this UTC day that count toward the quota'),
      number('Quota', ({ perDay }) => perDay, 'calls per UTC day'),
      fraction('Used', ({ used, perDay }) => (perDay === undefined ? undefined : used / perDay)),
    ],
    rows,
  };
}

interface FunnelLine {
  readonly stage: string;
  readonly now: number;
  readonly before: number;
  /** The share of the searches. */
  readonly share: number | undefined;
}

/** From searches to confirmed bookings, now and in the period before. */
export function funnelTable({ byApplication, booked }: UsageOverview): UsageTable<FunnelLine> {
  const stages = (isCurrent: boolean): readonly (readonly [string, number])[] => {
    const calls = byApplication.filter((row) => row.isCurrent === isCurrent);
    const { requested, confirmed, cancelled } = bookedTotals(booked.filter((row) => row.isCurrent === isCurrent));
    return [
      ['Searches with cars', searchesIn(calls)],
      ['Prices of offers', pricesIn(calls)],
      ['Bookings requested', requested],
      ['Bookings confirmed', confirmed],
      ['Cancelled afterwards', cancelled],
    ];
  };
  const [now, before] = [stages(true), stages(false)];
  const searches = now[0]?.[1] ?? 0;
  return {
    label: 'From search to booking',
    columns: [
      { head: 'Stage', value: ({ stage }) => stage },
      number('This period', (row) => row.now),
      number('Period before', (row) => row.before),
      { head: 'Change', value: changeOf, show: (row) => signed(changeOf(row)) },
      fraction('Of searches', (row) => row.share),
    ],
    rows: now.map(([stage, value], index) => ({
      ...{ stage, now: value, before: before[index]?.[1] ?? 0 },
      share: searches === 0 ? undefined : value / searches,
    })),
  };
}

function changeOf({ now, before }: { readonly now: number; readonly before: number }): number | undefined {
  return before === 0 ? undefined : (now - before) / before;
}

/** A change as a signed percentage; a dash if undefined. */
export function signed(change: number | undefined): string {
  return change === undefined ? '–' : `${change > 0 ? '+' : ''}${share(change, 1)}`;
}

/** A column of whole numbers. */
export function number<Row>(head: string, value: (row: Row) => number | undefined, title?: string): Column<Row> {
  return column(head, value, count, title);
}

/** A column of fractions (0–1), shown in percent and exported as fractions. */
export function fraction<Row>(head: string, value: (row: Row) => number | undefined, title?: string): Column<Row> {
  // A conversion of 0.02% is not 0%.
  const text = (part: number) => (part > 0 && part < 0.001 ? `${(part * 100).toPrecision(1)}%` : share(part, 1));
  return column(head, value, text, title);
}

/** A column of milliseconds, exported with six decimals at most. */
export function duration<Row>(head: string, value: (row: Row) => number | undefined, title?: string): Column<Row> {
  return column(head, value, ms, title);
}

function column<Row>(
  head: string,
  value: (row: Row) => number | undefined,
  text: (value: number) => string,
  title: string | undefined,
): Column<Row> {
  const rounded = (row: Row) => {
    const exact = value(row);
    return exact === undefined ? undefined : Math.round(exact * 1_000_000) / 1_000_000;
  };
  const show = (row: Row) => {
    const exact = value(row);
    return exact === undefined ? '–' : text(exact);
  };
  return { head, value: rounded, show, ...(title === undefined ? {} : { title }) };
}
