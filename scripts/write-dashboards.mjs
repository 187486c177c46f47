// Writes deploy/grafana/*.json, the dashboards for Grafana, from scripts/dashboards/dashboards.mjs. A test fails if a file is
// stale.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DASHBOARDS } from './dashboards/dashboards.mjs';
import { grafanaDashboard } from './dashboards/grafana.mjs';

for (const dashboard of DASHBOARDS)
  writeFileSync(
    join(import.meta.dirname, '../deploy/grafana', `${dashboard.name}.json`),
    `${JSON.stringify(grafanaDashboard(dashboard), null, 2)}\n`,
  );
