import type { Visitor } from '../../accounts/sessions.service.js';
import type { OwnApplication } from '../../auth/own-applications.js';
import type { Answer } from '../../http/answer.js';
import { areaPage } from './area-page.js';
import { Badges } from './badges.js';

/** An account's applications, grouped by environment. */
export function listPage(
  visitor: Visitor,
  applications: readonly OwnApplication[],
  notice: string | undefined,
): Answer {
  const production = applications.filter(({ environment }) => environment === 'production');
  return areaPage(
    { title: 'Applications', visitor, notice },
    <>
      <h1>Applications</h1>
      <p class="lead">Each application has its own client id, client secrets and subscriptions.</p>
      <p class="actions">
        <a class="button" href="/applications/new">
          New application
        </a>
        {visitor.role === 'ops' && <a href="/access-requests">Production access requests</a>}
      </p>
      <h2>Sandbox</h2>
      <Cards
        applications={applications.filter(({ environment }) => environment === 'sandbox')}
        none="No sandbox applications yet. Create one to get credentials."
      />
      <h2>Production</h2>
      <Cards
        applications={production}
        none="No production applications yet. Request production access on a sandbox application's page."
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
          <h3 id={application.id}>
            <a href={`/applications/${application.id}`}>{application.name}</a> <Badges application={application} />
          </h3>
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
