import { BOOKING_ROUTES, G, quantile, quantiles, rate, W } from './queries.mjs';

/** Bookings, limits, and the gateways themselves. */
export const GATEWAY_DASHBOARDS = [
  {
    name: 'bookings',
    title: 'Forecourt: bookings',
    panels: [
      {
        title: 'Reservations by new state',
        unit: 'none',
        shows: { [`sum by (state) (increase(forecourt_reservation_moves_total{${G}}[${W}]))`]: '{{state}}' },
      },
      {
        title: 'Changes per second by status',
        unit: 'reqps',
        shows: { [rate('forecourt_request_seconds_count', 'method, status', BOOKING_ROUTES)]: '{{method}} {{status}}' },
      },
      { title: 'Duration of changes', unit: 's', shows: quantiles('forecourt_request_seconds', BOOKING_ROUTES) },
      {
        title: 'Duration of booking calls by supplier, 95 %',
        unit: 's',
        shows: { [quantile(0.95, 'forecourt_supplier_seconds', 'supplier', ', operation="book"')]: '{{supplier}}' },
      },
      {
        title: 'Reservations with an unknown outcome',
        unit: 'none',
        shows: { [`max by (supplier, state) (forecourt_reservations_unclear{${G}})`]: '{{supplier}} {{state}}' },
      },
      {
        title: 'Oldest unknown outcome',
        unit: 's',
        shows: { [`max by (state) (forecourt_reservations_unclear_oldest_seconds{${G}})`]: '{{state}}' },
      },
      {
        title: 'Since the last round of the reconciler',
        unit: 's',
        kind: 'stat',
        shows: { [`time() - max(forecourt_reconciler_last_round_timestamp_seconds{${G}})`]: 'age' },
      },
      {
        title: 'Bookings of the journal that the database lacks',
        unit: 'none',
        kind: 'stat',
        shows: { [`max(forecourt_journal_missing{${G}})`]: 'missing' },
      },
    ],
  },
  {
    name: 'limits',
    title: 'Forecourt: limits and tenants',
    panels: [
      {
        title: 'Requests rejected by limits (429)',
        unit: 'reqps',
        shows: { [rate('forecourt_request_seconds_count', 'route', ', status="429"')]: '{{route}}' },
      },
      {
        title: 'Requests refused as invalid or not allowed',
        unit: 'reqps',
        shows: { [rate('forecourt_request_seconds_count', 'status', ', status=~"400|401|403"')]: '{{status}}' },
      },
      {
        title: 'Calls by product and version',
        unit: 'reqps',
        shows: { [rate('forecourt_version_calls_total', 'product, version')]: '{{product}} {{version}}' },
      },
      {
        title: 'Token operations by status',
        unit: 'reqps',
        shows: { [rate('forecourt_request_seconds_count', 'status', ', route=~"/oauth/.*"')]: '{{status}}' },
      },
      {
        title: 'Admission: requests worked on, waiting, and the limit',
        unit: 'none',
        shows: {
          [`sum(forecourt_admission_running{${G}})`]: 'running',
          [`sum(forecourt_admission_waiting{${G}})`]: 'waiting',
          [`sum(forecourt_admission_limit{${G}})`]: 'limit',
        },
      },
      {
        title: 'Request records by fate',
        unit: 'ops',
        shows: { [rate('forecourt_request_records_total', 'fate')]: '{{fate}}' },
      },
      {
        title: 'Calls lost from the usage counters',
        unit: 'none',
        kind: 'stat',
        shows: { [`sum(increase(forecourt_usage_calls_lost_total{${G}}[1d]))`]: 'lost today' },
      },
    ],
  },
  {
    name: 'engine',
    title: 'Forecourt: process, database, store',
    panels: [
      {
        title: 'Processor (1 = a core)',
        unit: 'none',
        shows: { [`rate(process_cpu_seconds_total{${G}}[${W}])`]: '{{instance}}' },
      },
      {
        title: 'Delay of the event loop',
        unit: 's',
        shows: {
          [`nodejs_eventloop_lag_p50_seconds{${G}}`]: '{{instance}} p50',
          [`nodejs_eventloop_lag_p99_seconds{${G}}`]: '{{instance}} p99',
        },
      },
      {
        title: 'Memory',
        unit: 'bytes',
        shows: {
          [`process_resident_memory_bytes{${G}}`]: '{{instance}} resident',
          [`nodejs_heap_size_used_bytes{${G}}`]: '{{instance}} heap',
          [`forecourt_heap_limit_bytes{${G}}`]: '{{instance}} limit of the heap',
        },
      },
      {
        title: 'Garbage collection per second',
        unit: 's',
        shows: {
          [`sum by (instance, kind) (rate(nodejs_gc_duration_seconds_sum{${G}}[${W}]))`]: '{{instance}} {{kind}}',
        },
      },
      {
        title: 'Database statements per second',
        unit: 'ops',
        shows: { [`rate(forecourt_database_statements_total{${G}}[${W}])`]: '{{instance}}' },
      },
      { title: 'Parts (1 = works)', unit: 'none', shows: { [`forecourt_part_up{${G}}`]: '{{instance}} {{part}}' } },
      { title: 'Open files and sockets', unit: 'none', shows: { [`process_open_fds{${G}}`]: '{{instance}}' } },
      {
        title: 'Emails by result',
        unit: 'none',
        shows: { [`sum by (result) (increase(forecourt_mails_total{${G}}[${W}]))`]: '{{result}}' },
      },
      {
        title: 'Start of the process',
        unit: 'dateTimeAsIso',
        kind: 'stat',
        shows: { [`process_start_time_seconds{${G}} * 1000`]: '{{instance}}' },
      },
    ],
  },
];
