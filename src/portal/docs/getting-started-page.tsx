import type { OwnApplication } from '../../auth/own-applications.js';
import { escaped } from '../shell/escaped.js';
import { Article } from './docs-frame.js';

interface GettingStartedProps {
  /** The HTML of docs/getting-started.md, with the placeholders {base_url} and {client_id}. */
  readonly html: string;
  readonly baseUrl: string;
  /** The reader's applications; empty for anonymous visitors. */
  readonly applications: readonly OwnApplication[];
  readonly chosen: OwnApplication | undefined;
  readonly isSignedIn: boolean;
  /** In production, applications can't be created, and the scenarios of the page are refused. */
  readonly isProduction: boolean;
}

/** Getting started, with the reader's own client id in the commands. */
export function GettingStarted(props: GettingStartedProps) {
  const { html, baseUrl, applications, chosen, isSignedIn, isProduction } = props;
  const filled = html
    .replaceAll('{base_url}', escaped(baseUrl))
    .replaceAll('{client_id}', escaped(chosen?.clientId ?? 'YOUR_CLIENT_ID'));
  return (
    <>
      {isProduction && (
        <p class="warning">
          This is a production gateway: bookings are real, and it refuses <code>X-Sandbox-Scenario</code>. Go through
          this page in the sandbox, and request production access there.
        </p>
      )}
      {chosen ? (
        <form class="card chooser" method="get" action="/docs/getting-started">
          <label for="application">Show commands for</label>
          <select id="application" name="application">
            {applications.map(({ id, name }) => (
              <option key={id} value={id} selected={id === chosen.id}>
                {name}
              </option>
            ))}
          </select>
          <button type="submit">Apply</button>
          <span>
            The client secret is on the <a href={`/applications/${chosen.id}`}>application page</a>.
          </span>
        </form>
      ) : (
        <p class="notice">
          {isSignedIn && isProduction ? (
            <>
              You have no application in production yet: it appears here once your{' '}
              <a href="/docs/applications#to-production">production access request</a> is approved.
            </>
          ) : isSignedIn ? (
            <>
              <a href="/applications">Create an application</a> to show its client id in the commands below.
            </>
          ) : (
            <>
              <a href="/login?next=/docs/getting-started">Log in</a> to show your client id in the commands below.
            </>
          )}
        </p>
      )}
      <Article html={filled} />
    </>
  );
}
