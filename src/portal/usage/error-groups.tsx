import type { ErrorGroup, ErrorSummary } from '../../records/error-groups.js';
import { reasons } from '../../status/reasons.js';
import { filteredPath } from '../shell/filters.js';
import { utc, utcMinute } from '../shell/moment.js';
import { ScrollingTable } from '../shell/scrolling-table.js';
import type { LogsQuery } from './logs-query.js';
import { Status } from './status.js';
import { count, statusWords } from './words.js';

interface ErrorGroupsProps {
  readonly summary: ErrorSummary;
  /** The filters of the log that lists the requests of a group. */
  readonly query: Partial<LogsQuery>;
  readonly nameOf: (supplier: string) => string;
}

/** Groups of errors, most frequent first: each leads to its requests in the log, and to the explanation of the newest one. */
export function ErrorGroupsTable({ summary: { groups, found, since }, query, nameOf }: ErrorGroupsProps) {
  return (
    <>
      <ScrollingTable label="Errors by cause" class="log groups">
        <thead>
          <tr>
            <th scope="col">Code</th>
            <th scope="col">Error</th>
            <th scope="col">Supplier</th>
            <th scope="col" class="number">
              Requests
            </th>
            <th scope="col">Newest</th>
          </tr>
        </thead>
        <tbody>
          {groups.map((group, index) => (
            <tr key={index}>
              <td class="answer">
                <Status status={codeOf(group)} />
              </td>
              <td class="what">
                <a href={filteredPath('/logs', filtersOf(group, query))}>{nameIn(group)}</a>
              </td>
              <td class="whose">{group.supplier === null ? '–' : nameOf(group.supplier)}</td>
              <td class="number">{count(group.requests)} ×</td>
              <td class="instant">
                <a href={`/logs/${encodeURIComponent(group.newest.requestId)}?at=${group.newest.at}`}>
                  {utcMinute(group.newest.at)}
                </a>
              </td>
            </tr>
          ))}
        </tbody>
      </ScrollingTable>
      {(since !== undefined || found > groups.length) && (
        <p class="quiet">
          {found > groups.length && `The ${count(groups.length)} most frequent of ${count(found)} errors. `}
          {since !== undefined && `Counted in the newest requests, back to ${utc(since)}.`}
        </p>
      )}
    </>
  );
}

/** The code of the entry, or of the response if it has none. */
function codeOf({ reason, newest }: ErrorGroup): number {
  return (reasons as Readonly<Record<string, { readonly code: number }>>)[reason ?? '']?.code ?? newest.status;
}

function nameIn({ reason, cause, field, newest }: ErrorGroup) {
  if (reason === null) return statusWords(newest.status).text;
  return (
    <>
      <code>{cause ?? reason}</code>
      {field !== null && (
        <>
          : <code>{field}</code>
        </>
      )}
    </>
  );
}

/** A reason without a cause isn't a filter of the log: the status of its newest request is the closest one. */
function filtersOf({ cause, supplier, newest }: ErrorGroup, query: Partial<LogsQuery>): Partial<LogsQuery> {
  return {
    ...query,
    supplier: supplier ?? query.supplier,
    ...(cause === null ? { status: String(newest.status) } : { cause }),
  };
}
