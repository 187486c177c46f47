import type { Answer } from '../../http/answer.js';
import { csvAnswer } from '../shell/data-table.js';
import { causesTable, type NameOf, searchedTable, soldTable } from './supplier-tables.js';
import type { UsageOverview } from './usage-overview.service.js';
import { applicationsTable, funnelTable, operationsTable, stepsTable, type UsageTable } from './usage-tables.js';

const TABLES: Readonly<Record<string, (overview: UsageOverview, nameOf: NameOf) => Answer>> = {
  searches: (overview, nameOf) => csv('searches', searchedTable(overview, nameOf)),
  bookings: (overview, nameOf) => csv('bookings', soldTable(overview, nameOf)),
  causes: (overview, nameOf) => csv('causes', causesTable(overview, nameOf)),
  funnel: (overview) => csv('funnel', funnelTable(overview)),
  time: (overview) => csv('time', stepsTable(overview)),
  operations: (overview) => csv('operations', operationsTable(overview)),
  applications: (overview) => csv('applications', applicationsTable(overview)),
};

/** A table of the usage page as a CSV file; undefined = there is no such table. */
export function usageExport(name: string, overview: UsageOverview, nameOf: NameOf): Answer | undefined {
  return Object.hasOwn(TABLES, name) ? TABLES[name]?.(overview, nameOf) : undefined;
}

function csv<Row>(name: string, { columns, rows }: UsageTable<Row>): Answer {
  return csvAnswer(`usage-${name}`, columns, rows);
}
