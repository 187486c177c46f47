import type { Dashboard } from './dashboards.mjs';

/** The JSON that Grafana imports. */
export function grafanaDashboard(dashboard: Dashboard): unknown;
