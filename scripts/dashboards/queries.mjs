// PromQL that several panels share.

/** The window of rates; Grafana replaces it by one that fits the resolution. */
export const W = '$__rate_interval';
/** The gateways that the variables select. */
export const G = 'job=~"$job"';

/** @type {(metric: string, by: string, labels?: string) => string} */
export const rate = (metric, by, labels = '') => `sum by (${by}) (rate(${metric}{${G}${labels}}[${W}]))`;
/** @type {(share: number, metric: string, by?: string, labels?: string) => string} */
export const quantile = (share, metric, by = '', labels = '') =>
  `histogram_quantile(${share}, sum by (le${by === '' ? '' : `, ${by}`}) (rate(${metric}_bucket{${G}${labels}}[${W}])))`;
/** @type {(metric: string, labels?: string) => Record<string, string>} */
export const quantiles = (metric, labels = '') =>
  Object.fromEntries([0.5, 0.95, 0.99].map((share) => [quantile(share, metric, '', labels), `p${share * 100}`]));
/** @type {(labels: string, by: string) => string} */
export const badShare = (labels, by) =>
  `${rate('forecourt_slo_events_total', by, `, result="bad"${labels}`)} / (${rate('forecourt_slo_events_total', by, labels)} > 0)`;
/** @type {(labels: string, by: string) => string} */
export const budgetLeft = (labels, by) =>
  `1 - (sum by (${by}) (increase(forecourt_slo_events_total{${G}, result="bad"${labels}}[30d])) / sum by (${by}) (increase(forecourt_slo_events_total{${G}${labels}}[30d]))) / on (${by}) (1 - max by (${by}) (forecourt_slo_target{${G}${labels}}))`;

export const SUPPLIER = ', supplier="$supplier"';
export const BOOKING_ROUTES = ', route=~"/cars/reservation.*", method!="GET"';
