import type { OwnApplication } from '../../auth/own-applications.js';
import { Moment } from '../shell/moment.js';

/** Where an application of the sandbox stands on its way to production, and the next step. */
export function AccessRequestSection({ application }: { application: OwnApplication }) {
  return (
    <section aria-labelledby="launch">
      <h2 id="launch">Production</h2>
      <Standing application={application} />
    </section>
  );
}

function Standing({ application: { id, state, launch, launchedAs, products } }: { application: OwnApplication }) {
  if (launchedAs !== null) {
    return (
      <p>
        It is live, with credentials of its own: <a href={`/applications/${launchedAs}`}>the production application</a>.
      </p>
    );
  }
  if (launch?.state === 'requested') {
    return (
      <p>
        Asked for on <Moment at={launch.at} />. You get a mail when it is decided.
      </p>
    );
  }
  return (
    <>
      {launch?.state === 'refused' && (
        <p class="warning described">
          Refused on <Moment at={launch.at} />: {launch.decision}
        </p>
      )}
      <p>
        Credentials of the sandbox are not valid in production. A production application has its own, once operations
        have approved it.
      </p>
      {products.length > 0 && state === 'active' ? (
        <p>
          <a class="button second" href={`/applications/${id}/launch`}>
            Ask for production
          </a>
        </p>
      ) : (
        <p class="hint">{state === 'active' ? 'Subscribe to what shall go live first.' : 'Resume it first.'}</p>
      )}
    </>
  );
}
