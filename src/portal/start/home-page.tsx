import type { Visitor } from '../../accounts/sessions.service.js';
import type { OwnApplication } from '../../auth/own-applications.js';
import { Badges } from '../applications/badges.js';
import { CopyButton } from '../shell/copy-button.js';
import { type Page, page } from '../shell/page.js';
import { Checklist } from './checklist.js';
import type { Milestones } from './milestones.service.js';
import { Recent, type RecentFacts } from './recent.js';
import { isSetUp, SetUp } from './setup.js';

/** What the home page shows. */
export interface HomeFacts {
  readonly visitor: Visitor;
  /** The application that the visitor begins with; undefined: none can call. */
  readonly application: OwnApplication | undefined;
  /** How many more applications there are. */
  readonly others: number;
  /** Undefined: unknown, or not in a sandbox. */
  readonly done: Milestones | undefined;
  /** The secret of a new application, shown this once. */
  readonly secret: string | undefined;
  readonly recent: RecentFacts;
}

/** The home page of a logged-in developer: the first steps until they are done, then what failed, the last requests and the next step. */
export function homePage(facts: HomeFacts): Page {
  const { visitor, application, done, secret, recent } = facts;
  const isBeginning = secret !== undefined || (done !== undefined && !isSetUp(done));
  return page(
    { title: 'Home', visitor, section: '/', styles: ['applications.css', 'usage.css', 'start.css'] },
    <>
      <h1>Welcome, {visitor.name}</h1>
      {!application && <None visitor={visitor} />}
      {application && isBeginning && <Credentials facts={facts} application={application} />}
      {application && done && isBeginning && <Checklist application={application} done={done} />}
      <Recent recent={recent} />
      {application && !isBeginning && (
        <>
          {recent.requests.length === 0 && <NoRequests />}
          {done && <SetUp application={application} />}
          <ShortCredentials others={facts.others} application={application} />
        </>
      )}
      <h2>Go on</h2>
      <ul class="links">
        {visitor.role === 'ops' && (
          <li>
            <a href="/ops">Operations</a>: what needs a person, suppliers, switches, all accounts
          </li>
        )}
        <li>
          <a href="/applications">All applications</a>: credentials, subscriptions, web origins
        </li>
        <li>
          <a href="/logs">Logs</a>: every call, explained
        </li>
        <li>
          <a href="/reservations">Reservations</a>: states, history, requests and webhook events
        </li>
        <li>
          <a href="/usage">Usage</a>: suppliers, bookings, calls and limits
        </li>
        <li>
          <a href="/docs/getting-started">Getting started</a> with curl
        </li>
      </ul>
    </>,
  );
}

function NoRequests() {
  return (
    <p class="card">
      No requests are kept from the last days. <a href="/docs/usage">What is recorded and for how long</a>
    </p>
  );
}

function None({ visitor }: { visitor: Visitor }) {
  if (visitor.environment === 'production')
    return (
      <p>No applications yet. To get one, request production access on the page of an application in the sandbox.</p>
    );
  return (
    <>
      <p class="lead">You have no active application. Create one to get credentials.</p>
      <p class="actions">
        <a class="button" href="/applications/new">
          New application
        </a>
      </p>
    </>
  );
}

function Credentials({ facts: { secret, others }, application }: { facts: HomeFacts; application: OwnApplication }) {
  const { id, name, clientId, products } = application;
  return (
    <section class="card" aria-labelledby="credentials">
      <h2 id="credentials">
        <a href={`/applications/${id}`}>{name}</a> <Badges application={application} />
      </h2>
      <dl class="facts">
        <dt>Client id</dt>
        <dd>
          <code id="client-id">{clientId}</code> <CopyButton from="client-id" label="Copy id" />
        </dd>
        <dt>Client secret</dt>
        <dd>
          {secret === undefined ? (
            <a href={`/applications/${id}/credentials`}>Show with your password</a>
          ) : (
            <>
              <code id="client-secret">{secret}</code> <CopyButton from="client-secret" label="Copy secret" />
              <p class="hint">Shown here once. Store it where only your application can read it.</p>
            </>
          )}
        </dd>
        <dt>Subscriptions</dt>
        <dd>
          {products.length === 0 ? 'none' : `${products.length} products`}, <a href={`/applications/${id}`}>change</a>
          <Others others={others} />
        </dd>
      </dl>
    </section>
  );
}

function ShortCredentials({ others, application }: { others: number; application: OwnApplication }) {
  const { id, name, clientId, products } = application;
  return (
    <section class="card" aria-labelledby="credentials">
      <h2 id="credentials">
        <a href={`/applications/${id}`}>{name}</a> <Badges application={application} />
      </h2>
      <p>
        Client id <code id="client-id">{clientId}</code> <CopyButton from="client-id" label="Copy id" />,{' '}
        <a href={`/applications/${id}/credentials`}>secret</a>,{' '}
        <a href={`/applications/${id}#subscriptions`}>
          {products.length === 1 ? '1 subscription' : `${products.length} subscriptions`}
        </a>
        <Others others={others} />
      </p>
    </section>
  );
}

function Others({ others }: { others: number }) {
  if (others === 0) return null;
  return (
    <>
      . You have <a href="/applications">{others === 1 ? 'one more application' : `${others} more applications`}</a>
    </>
  );
}
