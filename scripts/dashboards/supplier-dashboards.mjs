import { badShare, budgetLeft, G, quantile, quantiles, rate, SUPPLIER, W } from './queries.mjs';

/** The overview, and what concerns suppliers. */
export const SUPPLIER_DASHBOARDS = [
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
];
