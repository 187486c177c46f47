import { mayDecide, type Visitor } from '../../accounts/sessions.service.js';
import type { OwnApplication } from '../../auth/own-applications.js';
import type { Answer } from '../../http/answer.js';
import { areaPage } from './area-page.js';
import { Badges } from './badges.js';

/** An account's applications. In production, they are created when a request from the sandbox is approved. */
export function listPage(
  visitor: Visitor,
  applications: readonly OwnApplication[],
  notice: string | undefined,
): Answer {
  return areaPage(
    { title: 'Applications', visitor, notice },
    <>
      <h1>Applications</h1>
      <p class="lead">Each application has its own client id, client secrets and subscriptions.</p>
      <p class="actions">
        {visitor.environment === 'sandbox' && (
          <a class="button" href="/applications/new">
            New application
          </a>
        )}
        {mayDecide(visitor) && <a href="/ops/access-requests">Production access requests</a>}
      </p>
      <Cards
        applications={applications}
        none={
          visitor.environment === 'sandbox'
            ? 'No applications yet. Create one to get credentials.'
            : 'No applications yet. To get one, request production access on the page of an application in the sandbox.'
        }
      />
    </>,
  );
}

function Cards({ applications, none }: { applications: readonly OwnApplication[]; none: string }) {
  if (applications.length === 0) return <p class="quiet">{none}</p>;
  return (
    <>
      {applications.map((application) => (
        <section class="card" key={application.id} aria-labelledby={application.id}>
          <h2 id={application.id}>
            <a href={`/applications/${application.id}`}>{application.name}</a> <Badges application={application} />
          </h2>
          {application.description !== '' && <p class="described">{application.description}</p>}
          <p class="quiet">
            Client id <code>{application.clientId}</code> · {count(application.products.length, 'subscription')} ·{' '}
            {count(application.secrets.length, 'active secret')}
          </p>
        </section>
      ))}
    </>
  );
}

function count(number: number, thing: string): string {
  return `${number === 0 ? 'no' : number} ${thing}${number === 1 ? '' : 's'}`;
}
