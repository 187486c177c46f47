import type { OwnApplication } from '../../auth/own-applications.js';
import type { ErrorSummary } from '../../records/error-groups.js';
import type { RequestRecord } from '../../records/request-record.js';
import { ErrorGroupsTable } from '../usage/error-groups.js';
import { failedIn } from '../usage/failed-in.js';
import { Log } from '../usage/logs-page.js';

/** What the applications of an account did lately. */
export interface RecentFacts {
  /** Newest first. */
  readonly requests: readonly RequestRecord[];
  /** Of the last 24 hours. */
  readonly errors: ErrorSummary;
  readonly own: readonly Pick<OwnApplication, 'id' | 'name'>[];
  readonly nameOf: (supplier: string) => string;
}

/** What fails, then the last requests, each with a link to its explanation. Nothing without requests. */
export function Recent({ recent: { requests, errors, own, nameOf } }: { recent: RecentFacts }) {
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
          <Log own={own} found={requests} failedIn={(request) => failedIn(request, nameOf)} />
          <p>
            <a href="/logs">All requests</a>
          </p>
        </section>
      )}
    </>
  );
}
