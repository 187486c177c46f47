/** The window of rates; Grafana replaces it by one that fits the resolution. */
const W = '$__rate_interval';
/** The gateways that the variables select. */
const G = 'job=~"$job"';

/** @type {(metric: string, by: string, labels?: string) => string} */
const rate = (metric, by, labels = '') => `sum by (${by}) (rate(${metric}{${G}${labels}}[${W}]))`;
/** @type {(share: number, metric: string, by?: string, labels?: string) => string} */
const quantile = (share, metric, by = '', labels = '') =>
  `histogram_quantile(${share}, sum by (le${by === '' ? '' : `, ${by}`}) (rate(${metric}_bucket{${G}${labels}}[${W}])))`;
/** @type {(metric: string, labels?: string) => Record<string, string>} */
const quantiles = (metric, labels = '') =>
  Object.fromEntries([0.5, 0.95, 0.99].map((share) => [quantile(share, metric, '', labels), `p${share * 100}`]));
/** @type {(labels: string, by: string) => string} */
const badShare = (labels, by) =>
  `${rate('forecourt_slo_events_total', by, `, result="bad"${labels}`)} / (${rate('forecourt_slo_events_total', by, labels)} > 0)`;
/** @type {(labels: string, by: string) => string} */
const budgetLeft = (labels, by) =>
  `1 - (sum by (${by}) (increase(forecourt_slo_events_total{${G}, result="bad"${labels}}[30d])) / sum by (${by}) (increase(forecourt_slo_events_total{${G}${labels}}[30d]))) / on (${by}) (1 - max by (${by}) (forecourt_slo_target{${G}${labels}}))`;

const SUPPLIER = ', supplier="$supplier"';
const BOOKING_ROUTES = ', route=~"/cars/reservation.*", method!="GET"';

export const DASHBOARDS = [
  {
    name: 'overview',
    title: 'Forecourt: overview',
    panels: [
      { title: 'Gateways that are scraped', unit: 'none', kind: 'stat', shows: { [`sum(up{${G}})`]: 'up' } },
      {
        title: 'Parts (1 = works)',
        unit: 'none',
        kind: 'stat',
        shows: { [`min by (part) (forecourt_part_up{${G}})`]: '{{part}}' },
      },
      {
        title: 'Burn alerts of the gateways',
        unit: 'none',
        kind: 'stat',
        shows: { [`sum by (pair) (forecourt_alerts_firing{${G}})`]: '{{pair}}' },
      },
      {
        title: 'Error budget left (30 days)',
        unit: 'percentunit',
        kind: 'stat',
        shows: { [budgetLeft(', supplier=""', 'slo')]: '{{slo}}' },
      },
      {
        title: 'Requests per second by route',
        unit: 'reqps',
        shows: { [rate('forecourt_request_seconds_count', 'route')]: '{{route}}' },
      },
      {
        title: 'Requests per second by status',
        unit: 'reqps',
        shows: { [rate('forecourt_request_seconds_count', 'status')]: '{{status}}' },
      },
      {
        title: 'Duration of searches',
        unit: 's',
        shows: quantiles('forecourt_request_seconds', ', route=~"/cars/(catalog|locations).*"'),
      },
      { title: 'Share of bad events', unit: 'percentunit', shows: { [badShare(', supplier=""', 'slo')]: '{{slo}}' } },
    ],
  },
  {
    name: 'suppliers',
    title: 'Forecourt: suppliers',
    panels: [
      {
        title: 'Calls per second',
        unit: 'reqps',
        shows: { [rate('forecourt_supplier_seconds_count', 'supplier')]: '{{supplier}}' },
      },
      {
        title: 'Share answered',
        unit: 'percentunit',
        shows: {
          [`${rate('forecourt_supplier_seconds_count', 'supplier', ', outcome=~"answered|empty"')} / ${rate('forecourt_supplier_seconds_count', 'supplier')}`]:
            '{{supplier}}',
        },
      },
      {
        title: 'Duration of searches, 95 %',
        unit: 's',
        shows: {
          [quantile(0.95, 'forecourt_supplier_seconds', 'supplier', ', operation=~"search.*"')]: '{{supplier}}',
        },
      },
      {
        title: 'Failures per second',
        unit: 'reqps',
        shows: {
          [rate('forecourt_supplier_seconds_count', 'supplier, outcome', ', outcome!~"answered|empty"')]:
            '{{supplier}} {{outcome}}',
        },
      },
      {
        title: 'Breakers (1 half open, 2 open)',
        unit: 'none',
        shows: {
          [`max by (supplier, operation) (forecourt_supplier_breaker_state{${G}})`]: '{{supplier}} {{operation}}',
        },
      },
      {
        title: 'Calls rejected by the gateway',
        unit: 'reqps',
        shows: { [rate('forecourt_supplier_refused_total', 'supplier, why')]: '{{supplier}} {{why}}' },
      },
      {
        title: 'Error budget left: availability (30 days)',
        unit: 'percentunit',
        kind: 'stat',
        shows: { [budgetLeft(', slo="supplier_availability"', 'supplier')]: '{{supplier}}' },
      },
      {
        title: 'Error budget left: latency (30 days)',
        unit: 'percentunit',
        kind: 'stat',
        shows: { [budgetLeft(', slo="supplier_latency"', 'supplier')]: '{{supplier}}' },
      },
    ],
  },
  {
    name: 'supplier',
    title: 'Forecourt: one supplier',
    hasSupplier: true,
    panels: [
      {
        title: 'Calls per second by operation',
        unit: 'reqps',
        shows: { [rate('forecourt_supplier_seconds_count', 'operation', SUPPLIER)]: '{{operation}}' },
      },
      {
        title: 'Calls per second by outcome',
        unit: 'reqps',
        shows: { [rate('forecourt_supplier_seconds_count', 'outcome', SUPPLIER)]: '{{outcome}}' },
      },
      { title: 'Duration', unit: 's', shows: quantiles('forecourt_supplier_seconds', SUPPLIER) },
      {
        title: 'Duration by operation, 95 %',
        unit: 's',
        shows: { [quantile(0.95, 'forecourt_supplier_seconds', 'operation', SUPPLIER)]: '{{operation}}' },
      },
      {
        title: 'Distribution of durations',
        unit: 's',
        kind: 'heatmap',
        shows: { [`sum by (le) (increase(forecourt_supplier_seconds_bucket{${G}${SUPPLIER}}[${W}]))`]: '{{le}}' },
      },
      {
        title: 'Share of bad events, and limits of alerts',
        unit: 'percentunit',
        shows: {
          [badShare(SUPPLIER, 'slo')]: '{{slo}}',
          [`max by (slo, pair) (forecourt_slo_burn_limit{${G}${SUPPLIER}})`]: '{{slo}} {{pair}} limit',
        },
      },
      {
        title: 'Breakers (1 half open, 2 open)',
        unit: 'none',
        shows: { [`max by (operation) (forecourt_supplier_breaker_state{${G}${SUPPLIER}})`]: '{{operation}}' },
      },
      {
        title: 'Bookings by new state',
        unit: 'none',
        shows: { [`sum by (state) (increase(forecourt_reservation_moves_total{${G}${SUPPLIER}}[${W}]))`]: '{{state}}' },
      },
    ],
  },
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
