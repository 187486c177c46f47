import type { ComponentChildren } from 'preact';
import type { Visitor } from '../../accounts/sessions.service.js';
import type { OwnApplication } from '../../auth/own-applications.js';
import type { Config } from '../../config/config.module.js';
import type { Answer } from '../../http/answer.js';
import { type LoggedRequest, type LogPage, MOST_SEARCHED } from '../../records/request-log.js';
import { utc } from '../shell/moment.js';
import { page } from '../shell/page.js';
import { ScrollingTable } from '../shell/scrolling-table.js';
import { cursorText, type RequestsQuery } from './requests-query.js';
import { count, ms, operationName, RECORDED_OPERATIONS, statusWords } from './words.js';

const FILTERS = ['id', 'status', 'operation', 'application', 'from', 'to'] as const;

/** The request log of the account's applications, newest first. */
export function requestsPage(
  visitor: Visitor,
  own: readonly OwnApplication[],
  query: RequestsQuery,
  { requests, next, isCut }: LogPage,
  { days, perSecond }: Config['records'],
): Answer {
  const isFiltered = FILTERS.some((name) => query[name]);
  return page(
    { title: 'Logs', visitor, section: '/requests', styles: ['usage.css'] },
    <>
      <h1>Logs</h1>
      <p class="quiet">
        Requests of the last {days} days, newest first. Up to {count(perSecond)} per second are logged, failures and
        partial responses first. Open a request to see what happened.
      </p>
      <Filters own={own} query={query} />
      {requests.length > 0 && <Log own={own} found={requests} />}
      {requests.length === 0 && !isCut && <Nothing isFiltered={isFiltered || query.before !== undefined} />}
      {isCut && next && (
        <p class="card">
          {count(MOST_SEARCHED)} requests were searched, back to {utc(next.at)}. Older requests may also match: search
          on, or set the end of the time range.
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

/** The page for several requests with the same X-Request-Id. */
export function sameIdPage(visitor: Visitor, own: readonly OwnApplication[], found: readonly LoggedRequest[]): Answer {
  return page(
    { title: 'Several requests with this id', visitor, section: '/requests', styles: ['usage.css'] },
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

function Filters({ own, query }: { own: readonly OwnApplication[]; query: RequestsQuery }) {
  return (
    <form class="filters" method="get" action="/requests">
      <Input name="id" label="Request id" value={query.id} placeholder="req_…" />
      <Select name="status" label="Status">
        <option value="">Any</option>
        {['2xx', '206', '4xx', '429', '499', '5xx'].map((status) => (
          <option key={status} selected={query.status === status}>
            {status}
          </option>
        ))}
        {query.status && !['2xx', '206', '4xx', '429', '499', '5xx'].includes(query.status) && (
          <option selected>{query.status}</option>
        )}
      </Select>
      <Select name="operation" label="Operation">
        <option value="">Any</option>
        {RECORDED_OPERATIONS.map(([id, name]) => (
          <option key={id} value={id} selected={query.operation === id}>
            {name}
          </option>
        ))}
      </Select>
      <Select name="application" label="Application">
        <option value="">All</option>
        {own.map(({ id, name, environment }) => (
          <option key={id} value={id} selected={query.application === id}>
            {`${name} (${environment})`}
          </option>
        ))}
      </Select>
      <Input name="from" label="From (UTC)" value={query.from} type="datetime-local" />
      <Input name="to" label="To (UTC)" value={query.to} type="datetime-local" />
      <p class="actions">
        <button type="submit">Filter</button>
        <a href="/requests">Clear</a>
      </p>
    </form>
  );
}

function Input({
  name,
  label,
  value,
  type = 'search',
  placeholder,
}: {
  name: string;
  label: string;
  value: string | undefined;
  type?: string;
  placeholder?: string;
}) {
  return (
    <div class="field">
      <label for={name}>{label}</label>
      <input id={name} name={name} type={type as 'search'} value={value ?? ''} placeholder={placeholder} />
    </div>
  );
}

function Select({ name, label, children }: { name: string; label: string; children: ComponentChildren }) {
  return (
    <div class="field">
      <label for={name}>{label}</label>
      <select id={name} name={name}>
        {children}
      </select>
    </div>
  );
}

function Nothing({ isFiltered }: { isFiltered: boolean }) {
  return isFiltered ? (
    <p class="card">
      No requests match these filters. <a href="/requests">Clear filters</a>
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

function Log({ own, found }: { own: readonly OwnApplication[]; found: readonly LoggedRequest[] }) {
  const nameOf = (id: string) => own.find((application) => application.id === id)?.name ?? id;
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
        {found.map(({ applicationId, at, requestId, operation, status, durationMs }) => (
          <tr key={`${at}${requestId}`}>
            <td class="instant">{utc(at)}</td>
            <td class="answer">
              <Status status={status} />
            </td>
            <td class="what">{operationName(operation)}</td>
            <td class="number">{ms(durationMs)}</td>
            <td class="whose">{nameOf(applicationId)}</td>
            <td class="id">
              <a href={`/requests/${encodeURIComponent(requestId)}?at=${at}`}>
                <code>{requestId}</code>
              </a>
            </td>
          </tr>
        ))}
      </tbody>
    </ScrollingTable>
  );
}

/** A status code as a badge whose tooltip explains it without relying on color. */
export function Status({ status }: { status: number }) {
  const { tone, text } = statusWords(status);
  return (
    <span class={`badge ${tone}`} title={text}>
      {status}
    </span>
  );
}

function link(query: RequestsQuery): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => Boolean(entry[1]));
  const text = new URLSearchParams(given).toString();
  return text === '' ? '/requests' : `/requests?${text}`;
}
