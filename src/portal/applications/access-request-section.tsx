import type { OwnApplication } from '../../auth/own-applications.js';
import { Moment } from '../shell/moment.js';

/** The state of a sandbox application's production access request, and the next step. */
export function AccessRequestSection({ application }: { application: OwnApplication }) {
  return (
    <section aria-labelledby="production">
      <h2 id="production">Production access</h2>
      <RequestState application={application} />
    </section>
  );
}

function RequestState({ application: { id, state, launch, isLaunched, products } }: { application: OwnApplication }) {
  const introduction = isLaunched ? (
    <p>
      The production application has its own credentials. To see them, log in to the production platform with the same
      email address; the email about the decision has the link. It can call only the products of the newest approved
      request. To change them, change the subscriptions of this application, then request production access again.
    </p>
  ) : (
    <p>
      Sandbox credentials are not valid in production. Once an operator approves your request, you get a production
      application with its own credentials, for the products that this application is subscribed to.
    </p>
  );
  if (launch?.state === 'requested') {
    return (
      <>
        {isLaunched && introduction}
        <p>
          Requested on <Moment at={launch.at} />. We'll email you the decision.
        </p>
      </>
    );
  }
  return (
    <>
      {launch?.state === 'refused' && (
        <p class="warning described">
          Rejected on <Moment at={launch.at} />: {launch.decision}
        </p>
      )}
      {introduction}
      {products.length > 0 && state === 'active' ? (
        <p>
          <a class="button second" href={`/applications/${id}/production-access`}>
            Request production access
          </a>
        </p>
      ) : (
        <p class="hint">
          {state === 'active'
            ? 'To request production access, subscribe to at least one product.'
            : 'To request production access, resume the application.'}
        </p>
      )}
    </>
  );
}
