import type { OwnApplication } from '../../auth/own-applications.js';
import type { ErrorSummary } from '../../records/error-groups.js';
import type { RequestRecord } from '../../records/request-record.js';
import { utc } from '../shell/moment.js';
import { ScrollingTable } from '../shell/scrolling-table.js';
import { ErrorGroupsTable } from '../usage/error-groups.js';
import { failedIn } from '../usage/failed-in.js';
import { Status } from '../usage/status.js';
import { ms, operationName } from '../usage/words.js';

/** What the applications of an account did lately. */
export interface RecentFacts {
  /** Newest first. */
  readonly requests: readonly RequestRecord[];
  /** The errors of the last 24 hours. */
  readonly errors: ErrorSummary;
  readonly own: readonly Pick<OwnApplication, 'id' | 'name'>[];
  readonly nameOf: (supplier: string) => string;
}

/** What fails, then the last requests, each with a link to its explanation. Nothing without requests. */
export function Recent({ recent }: { recent: RecentFacts }) {
  const { requests, errors, nameOf } = recent;
  return (
    <>
      {errors.groups.length > 0 && (
        <section aria-labelledby="failing">
          <h2 id="failing">Failed in the last 24 hours</h2>
          <ErrorGroupsTable summary={errors} query={{}} nameOf={nameOf} />
        </section>
      )}
      {requests.length > 0 && (
        <section aria-labelledby="recent">
          <h2 id="recent">Last requests</h2>
          <Requests recent={recent} />
          <p>
            <a href="/logs">All requests</a>
          </p>
        </section>
      )}
    </>
  );
}

/** Shorter than the log: the operation links to the explanation, and a single application isn't named. */
function Requests({ recent: { requests, own, nameOf } }: { recent: RecentFacts }) {
  const applicationOf = (id: string) => own.find((application) => application.id === id)?.name ?? id;
  return (
    <ScrollingTable label="Requests" class="log">
      <thead>
        <tr>
          <th scope="col">Status</th>
          <th scope="col">Operation</th>
          <th scope="col">Failed</th>
          <th scope="col" class="number">
            Duration
          </th>
          <th scope="col">Time</th>
          {own.length > 1 && <th scope="col">Application</th>}
        </tr>
      </thead>
      <tbody>
        {requests.map((request) => (
          <tr key={`${request.at}${request.requestId}`}>
            <td class="answer">
              <Status status={request.status} />
            </td>
            <td class="what">
              <a href={`/logs/${encodeURIComponent(request.requestId)}?at=${request.at}`}>
                {operationName(request.operation)}
              </a>
            </td>
            <td class="failed">{failedIn(request, nameOf)}</td>
            <td class="number">{ms(request.durationMs)}</td>
            <td class="instant">{utc(request.at)}</td>
            {own.length > 1 && <td class="whose">{applicationOf(request.applicationId)}</td>}
          </tr>
        ))}
      </tbody>
    </ScrollingTable>
  );
}
