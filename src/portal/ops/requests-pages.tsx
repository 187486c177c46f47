import type { Visitor } from '../../accounts/sessions.service.js';
import type { Answer } from '../../http/answer.js';
import { type NamedRequest, SEARCHED_PER_APPLICATION } from '../../records/all-requests.js';
import type { ListedFailure } from '../../records/failed-exchange-log.js';
import { causes } from '../../status/causes.js';
import { FilterForm } from '../shell/filters.js';
import { utc } from '../shell/moment.js';
import { ScrollingTable } from '../shell/scrolling-table.js';
import { explanation } from '../usage/explanation.js';
import { Status } from '../usage/status.js';
import { Waterfall } from '../usage/waterfall.js';
import { count, ms, operationName, statusWords } from '../usage/words.js';
import { FailuresTable } from './failures-table.js';
import { opsPage } from './ops-page.js';

/** The filters as entered. */
export type RequestsTyped = Partial<Record<'id' | 'application' | 'supplier' | 'cause' | 'status', string | undefined>>;

/** Requests of all accounts, newest first. */
export function opsRequestsPage(
  visitor: Visitor,
  typed: RequestsTyped,
  found: readonly NamedRequest[],
  suppliers: readonly string[],
): Answer {
  return opsPage(
    { title: 'Requests of all accounts', visitor, area: '/ops/requests' },
    <>
      <h1>Requests of all accounts</h1>
      <FilterForm
        action="/ops/requests"
        typed={typed}
        filters={[
          { name: 'id', label: 'Request id' },
          { name: 'application', label: 'Application id' },
          { name: 'supplier', label: 'Supplier', options: suppliers },
          { name: 'cause', label: 'Failed with', options: Object.keys(causes) },
          { name: 'status', label: 'Status', options: ['2xx', '206', '4xx', '429', '5xx'] },
        ]}
      />
      {found.length === 0 ? <p class="card">No requests match these filters.</p> : <RequestsTable found={found} />}
      <p class="quiet">
        The newest {count(SEARCHED_PER_APPLICATION)} logged requests of each application are searched.
      </p>
    </>,
  );
}

/** Requests in a table, each linked to its page. */
export function RequestsTable({ found }: { found: readonly NamedRequest[] }) {
  return (
    <ScrollingTable label="Requests" class="log">
      <thead>
        <tr>
          <th scope="col">Time</th>
          <th scope="col">Status</th>
          <th scope="col">Operation</th>
          <th scope="col" class="number">
            Duration
          </th>
          <th scope="col">Application</th>
          <th scope="col">Request id</th>
        </tr>
      </thead>
      <tbody>
        {found.map(({ applicationId, applicationName, at, requestId, operation, status, durationMs }) => (
          <tr key={`${applicationId}${at}${requestId}`}>
            <td class="instant">{utc(at)}</td>
            <td class="answer">
              <Status status={status} />
            </td>
            <td class="what">{operationName(operation)}</td>
            <td class="number">{ms(durationMs)}</td>
            <td class="whose">
              <a href={`/ops/applications/${applicationId}`}>{applicationName}</a>
            </td>
            <td class="id">
              <a href={`/ops/requests/${encodeURIComponent(requestId)}?application=${applicationId}&at=${at}`}>
                <code>{requestId}</code>
              </a>
            </td>
          </tr>
        ))}
      </tbody>
    </ScrollingTable>
  );
}

/** One request: what happened, in words and times, and the exchanges that were kept of it. */
export function opsRequestPage(
  visitor: Visitor,
  record: NamedRequest,
  failures: readonly ListedFailure[],
  nameOf: (supplier: string) => string,
): Answer {
  const { status, requestId, durationMs, at, applicationId, applicationName, operation } = record;
  const [first, ...more] = explanation(record, nameOf);
  return opsPage(
    { title: `Request ${requestId}`, visitor, area: '/ops/requests' },
    <>
      <p class="quiet crumb">
        <a href="/ops/requests">Requests</a> / <code>{requestId}</code>
      </p>
      <h1 class="verdict">
        <Status status={status} /> {statusWords(status).text}
      </h1>
      <p class="lead">
        {first} It took {ms(durationMs)}.
      </p>
      <ul class="bullets">
        {more.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
      <dl class="facts">
        <dt>Received</dt>
        <dd>{utc(at)}</dd>
        <dt>Application</dt>
        <dd>
          <a href={`/ops/applications/${applicationId}`}>{applicationName}</a> <code>{applicationId}</code>
        </dd>
        <dt>Operation</dt>
        <dd>{operationName(operation)}</dd>
        <dt>Changes</dt>
        <dd>
          <a href={`/ops/audit?request=${encodeURIComponent(requestId)}`}>in the audit log</a>
        </dd>
      </dl>
      <h2>Timing</h2>
      <Waterfall record={record} nameOf={nameOf} />
      <h2>Failed exchanges of this request</h2>
      <FailuresTable failures={failures} hasSupplier />
    </>,
  );
}

/** A request that isn't logged, with the exchanges that are kept of it. */
export function unloggedPage(visitor: Visitor, requestId: string, failures: readonly ListedFailure[]): Answer {
  return opsPage(
    { title: 'Request not logged', visitor, area: '/ops/requests', status: failures.length === 0 ? 404 : 200 },
    <>
      <h1>Request not logged</h1>
      <p>
        <code>{requestId}</code> is not in the log: it was left out of the sample, is too old, or was background work of
        the gateway.
      </p>
      <h2>Failed exchanges of this request</h2>
      <FailuresTable failures={failures} hasSupplier />
    </>,
  );
}
