import type { OwnApplication } from '../../auth/own-applications.js';
import { escaped } from '../shell/escaped.js';
import { Article } from './docs-frame.js';

interface GettingStartedProps {
  /** Of docs/getting-started.md, with {base_url} and {client_id} in it. */
  readonly html: string;
  readonly baseUrl: string;
  /** Of the reader; empty = none, or nobody is logged in. */
  readonly applications: readonly OwnApplication[];
  readonly chosen: OwnApplication | undefined;
  readonly isSignedIn: boolean;
}

/** The first four minutes, with the reader's own client id in the commands. */
export function GettingStarted({ html, baseUrl, applications, chosen, isSignedIn }: GettingStartedProps) {
  const filled = html
    .replaceAll('{base_url}', escaped(baseUrl))
    .replaceAll('{client_id}', escaped(chosen?.clientId ?? 'YOUR_CLIENT_ID'));
  return (
    <>
      {chosen ? (
        <form class="card chooser" method="get" action="/docs/getting-started">
          <label for="application">The commands below are those of</label>
          <select id="application" name="application">
            {applications.map(({ id, name }) => (
              <option key={id} value={id} selected={id === chosen.id}>
                {name}
              </option>
            ))}
          </select>
          <button type="submit">Use it</button>
          <span>
            Its secret: <a href={`/applications/${chosen.id}`}>on its page</a>.
          </span>
        </form>
      ) : (
        <p class="notice">
          {isSignedIn ? (
            <>
              <a href="/applications">Create an application</a>, and the commands below have its client id.
            </>
          ) : (
            <>
              <a href="/login?next=/docs/getting-started">Log in</a>, and the commands below have your client id.
            </>
          )}
        </p>
      )}
      <Article html={filled} />
    </>
  );
}
