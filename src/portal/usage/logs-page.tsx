import { renderToString } from 'preact-render-to-string';
import type { Visitor } from '../../accounts/sessions.service.js';
import type { OwnApplication } from '../../auth/own-applications.js';
import type { Config } from '../../config/config.module.js';
import type { Answer } from '../../http/answer.js';
import type { ErrorSummary } from '../../records/error-groups.js';
import type { ListedRequest, LogPage } from '../../records/request-log.js';
import { causes } from '../../status/causes.js';
import { FilterForm, filteredPath } from '../shell/filters.js';
import { utc } from '../shell/moment.js';
import { page } from '../shell/page.js';
import { ScrollingTable } from '../shell/scrolling-table.js';
import { applicationOptions } from './chosen-ids.js';
import { ErrorGroupsTable } from './error-groups.js';
import { failedIn } from './failed-in.js';
import { cursorText, type LogsQuery } from './logs-query.js';
import { Status } from './status.js';
import { count, ms, operationName, RECORDED_OPERATIONS } from './words.js';

const STATUSES = ['2xx', '206', '4xx', '429', '499', '5xx'];

/** What the log shows. */
export interface LogsView {
  readonly visitor: Visitor;
  readonly own: readonly OwnApplication[];
  readonly query: LogsQuery;
  readonly found: LogPage;
  /** Undefined: not read, because the log is filtered by more than time, application, operation, status and supplier. */
  readonly errors: ErrorSummary | undefined;
  readonly suppliers: readonly { readonly id: string; readonly name: string }[];
  readonly records: Config['records'];
}

/** The log of requests of the account's applications, newest first. */
export function logsPage(view: LogsView): Answer {
  const { visitor, query, found, records } = view;
  const { next, isCut } = found;
  return page(
    { title: 'Logs', visitor, section: '/logs', isWide: true, styles: ['usage.css'], scripts: ['logs-live.js'] },
    <>
      <h1>Logs</h1>
      <p class="quiet">
        Requests of the last {records.days} days, newest first. Up to {count(records.perSecond)} per second are logged,
        failures and partial responses first. Open a request to see what happened.
      </p>
      <Filters view={view} />
      <Errors view={view} />
      {query.before === undefined && (
        <p class="tail">
          <button id="tail" class="second" type="button" hidden aria-pressed="false">
            Live tail
          </button>{' '}
          <span id="tail-state" class="quiet" role="status" />
        </p>
      )}
      <div id="live" data-events={filteredPath('/logs/events', query)}>
        <LogPart view={view} />
      </div>
      {isCut && next && (
        <p class="card">
          {count(found.most)} requests were searched, back to {utc(next.at)}. Older requests may also match: search on,
          or set the end of the time range.
        </p>
      )}
      <p class="actions">
        {query.before && <a href={link({ ...query, before: undefined })}>Newest</a>}
        {next && (
          <a class="button second" href={link({ ...query, before: cursorText(next) })} rel="next">
            {isCut ? 'Search older requests' : 'Older'}
          </a>
        )}
      </p>
    </>,
  );
}

/** The table of the log as HTML, for the live tail. */
export function logPart(view: LogsView): string {
  return renderToString(<LogPart view={view} />);
}

function LogPart({ view: { visitor, own, query, found, suppliers } }: { view: LogsView }) {
  if (found.requests.length > 0) return <Log own={own} found={found.requests} nameOf={supplierNames(suppliers)} />;
  if (found.isCut) return null;
  return (
    <Nothing isFiltered={Object.values(query).some(Boolean)} isProduction={visitor.environment === 'production'} />
  );
}

/** The page for several requests with the same X-Request-Id. */
export function sameIdPage(visitor: Visitor, own: readonly OwnApplication[], found: readonly ListedRequest[]): Answer {
  return page(
    { title: 'Several requests with this id', visitor, section: '/logs', styles: ['usage.css'] },
    <>
      <h1>Several requests with this id</h1>
      <p class="lead">
        You sent <code>{found[0]?.requestId}</code> as the X-Request-Id of {found.length} requests. Choose one.
      </p>
      <Log own={own} found={found} />
      <p class="quiet">Send a unique id with each request, or omit the header to let the gateway generate one.</p>
    </>,
  );
}

function Filters({ view: { own, query, suppliers } }: { view: LogsView }) {
  return (
    <FilterForm
      action="/logs"
      typed={query}
      filters={[
        { name: 'status', label: 'Status', options: STATUSES },
        { name: 'operation', label: 'Operation', options: RECORDED_OPERATIONS },
        { name: 'supplier', label: 'Supplier', options: suppliers.map(({ id, name }) => [id, name]) },
        { name: 'cause', label: 'Outcome', options: CAUSES },
      ]}
      further={[
        { name: 'id', label: 'Request id', placeholder: 'req_…' },
        { name: 'reservation', label: 'Reservation', placeholder: 'res_…' },
        { name: 'scenario', label: 'Sandbox scenario', placeholder: 'bravo=timeout' },
        { name: 'application', label: 'Application', all: 'All', options: applicationOptions(own) },
        { name: 'from', label: 'From (UTC)', type: 'datetime-local' },
        { name: 'to', label: 'To (UTC)', type: 'datetime-local' },
      ]}
    />
  );
}

/** Above the list, so that what fails is found without paging through it. */
function Errors({ view: { query, errors, suppliers } }: { view: LogsView }) {
  if (errors === undefined || errors.groups.length === 0) return null;
  return (
    <details open class="errors">
      <summary>Errors by cause: {errors.found}</summary>
      <ErrorGroupsTable summary={errors} query={query} nameOf={supplierNames(suppliers)} />
    </details>
  );
}

const CAUSES = [['failed', 'failed, any cause'] as const, 'empty', ...Object.keys(causes)];

function Nothing({ isFiltered, isProduction }: { isFiltered: boolean; isProduction: boolean }) {
  if (isProduction && !isFiltered)
    return <p class="card">No requests yet. Calls of your applications appear here within two seconds.</p>;
  return isFiltered ? (
    <p class="card">
      No requests match these filters. <a href="/logs">Clear filters</a>
    </p>
  ) : (
    <p class="actions card">
      <span>No requests yet.</span>
      <a class="button" href="/console">
        Make your first call in the console
      </a>
      <span class="quiet">It appears here within two seconds.</span>
    </p>
  );
}

/** Requests in a table, each with a link to its explanation. A single application isn't named. */
export function Log({
  own,
  found,
  nameOf = (supplier) => supplier,
}: {
  own: readonly OwnApplication[];
  found: readonly ListedRequest[];
  /** The name of a supplier. */
  nameOf?: (supplier: string) => string;
}) {
  const applicationOf = (id: string) => own.find((application) => application.id === id)?.name ?? id;
  return (
    <ScrollingTable label="Requests" class="log">
      <thead>
        <tr>
          <th scope="col">Time</th>
          <th scope="col">Status</th>
          <th scope="col">Operation</th>
          <th scope="col">Failed</th>
          <th scope="col" class="number">
            Duration
          </th>
          {own.length > 1 && <th scope="col">Application</th>}
          <th scope="col">Request id</th>
        </tr>
      </thead>
      <tbody>
        {found.map(({ applicationId, at, requestId, operation, status, durationMs, trace }) => (
          <tr key={`${at}${requestId}`}>
            <td class="instant">{utc(at)}</td>
            <td class="answer">
              <Status status={status} />
            </td>
            <td class="what">{operationName(operation)}</td>
            <td class="failed">{trace && failedIn({ status, trace }, nameOf)}</td>
            <td class="number">{ms(durationMs)}</td>
            {own.length > 1 && <td class="whose">{applicationOf(applicationId)}</td>}
            <td class="id">
              <a href={`/logs/${encodeURIComponent(requestId)}?at=${at}`}>
                <code>{requestId}</code>
              </a>
            </td>
          </tr>
        ))}
      </tbody>
    </ScrollingTable>
  );
}

function supplierNames(suppliers: LogsView['suppliers']) {
  return (id: string): string => suppliers.find((supplier) => supplier.id === id)?.name ?? id;
}

function link(query: LogsQuery): string {
  return filteredPath('/logs', query);
}
