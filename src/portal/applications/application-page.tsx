import type { Visitor } from '../../accounts/sessions.service.js';
import type { ApplicationEvent, OwnApplication } from '../../auth/own-applications.js';
import type { Answer } from '../../http/answer.js';
import type { VisibleProduct } from '../products/visible-products.js';
import { CopyButton } from '../shell/copy-button.js';
import { eventWords } from '../shell/event-words.js';
import { Moment } from '../shell/moment.js';
import { AccessRequestSection } from './access-request-section.js';
import { areaPage } from './area-page.js';
import { Badges } from './badges.js';
import { NextSteps } from './next-steps.js';
import { SecretsSection } from './secrets-section.js';
import { SubscriptionsSection } from './subscriptions-section.js';
import { ClockBanner, type ClockFacts } from './test-clock/clock-page.js';

/** What the page of an application shows. */
export interface ApplicationView {
  readonly visitor: Visitor;
  readonly application: OwnApplication;
  readonly products: readonly VisibleProduct[];
  /** Newest first. */
  readonly events: readonly ApplicationEvent[];
  readonly clock: ClockFacts;
  /** Origin to call. */
  readonly origin: string;
  readonly notice?: string | undefined;
  /** Why the change just submitted was rejected. */
  readonly refusal?: string | undefined;
}

/** The application page: everything but the secrets themselves. */
export function applicationPage(view: ApplicationView): Answer {
  const { visitor, application, products, clock, origin, notice, refusal } = view;
  const { id, name, description, state } = application;
  return areaPage(
    {
      title: name,
      visitor,
      notice,
      isRefused: refusal !== undefined,
    },
    <>
      {refusal !== undefined && (
        <p class="refusal" role="alert">
          {refusal}
        </p>
      )}
      <h1>{name}</h1>
      <p>
        <Badges application={application} />
      </p>
      {state === 'suspended' && (
        <p class="warning">
          This application is suspended. Its credentials and tokens get a 401.
          {application.isHeld && ' An operator suspended it; contact them to have it resumed.'}
        </p>
      )}
      <ClockBanner id={id} facts={clock} />
      {description !== '' && <p class="described">{description}</p>}
      <Facts application={application} />
      <p class="actions">
        <a class="button" href={`/applications/${id}/credentials`}>
          Show credentials
        </a>
        <a href={`/applications/${id}/settings`}>Change settings</a>
        <a href={`/usage?application=${id}`}>Usage</a>
        <a href={`/applications/${id}/webhooks`}>Webhooks</a>
        {application.environment === 'sandbox' && <a href={`/applications/${id}/certification`}>Certification</a>}
        {application.environment === 'sandbox' && <a href={`/applications/${id}/clock`}>Test clock</a>}
      </p>
      {state === 'active' && <NextSteps application={application} origin={origin} />}
      <SubscriptionsSection application={application} products={products} />
      <SecretsSection application={application} />
      {application.environment === 'sandbox' && <AccessRequestSection application={application} />}
      <Events view={view} />
      <Ending application={application} />
    </>,
  );
}

function Facts({
  application: { clientId, environment, redirectUrl, allowedOrigins, defaultScenario },
}: {
  application: OwnApplication;
}) {
  return (
    <dl class="facts">
      <dt>Client id</dt>
      <dd>
        <code id="client-id">{clientId}</code> <CopyButton from="client-id" label="Copy id" />
      </dd>
      <dt>Redirect URL</dt>
      <dd>{redirectUrl === null ? <span class="quiet">none</span> : <code>{redirectUrl}</code>}</dd>
      <dt>Web origins</dt>
      <dd>{allowedOrigins.length === 0 ? <span class="quiet">none</span> : allowedOrigins.join(', ')}</dd>
      {environment === 'sandbox' && (
        <>
          <dt>Default scenario</dt>
          <dd>
            {defaultScenario === null ? (
              <span class="quiet">none (no simulated failures)</span>
            ) : (
              <code>{defaultScenario}</code>
            )}
          </dd>
        </>
      )}
    </dl>
  );
}

function Events({ view: { events, products, visitor } }: { view: ApplicationView }) {
  const nameOf = (id: string) => products.find(({ facts }) => facts.id === id)?.name ?? id;
  return (
    <section aria-labelledby="events">
      <h2 id="events">Activity</h2>
      <ul class="events">
        {events.map((event, index) => (
          <li key={index}>
            <span class="quiet">
              <Moment at={event.at} />
            </span>{' '}
            {eventWords(event, visitor.accountId, nameOf)}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Ending({ application: { id, state, isHeld } }: { application: OwnApplication }) {
  return (
    <section aria-labelledby="ending">
      <h2 id="ending">Suspend or delete</h2>
      {state === 'active' && (
        <form method="post" action={`/applications/${id}/suspend`}>
          <p>Suspending revokes all tokens. The application can't get new ones until you resume it.</p>
          <p>
            <button class="second" type="submit">
              Suspend
            </button>
          </p>
        </form>
      )}
      {state === 'suspended' && !isHeld && (
        <form method="post" action={`/applications/${id}/resume`}>
          <p>
            <button type="submit">Resume</button>
          </p>
        </form>
      )}
      <p>
        <a href={`/applications/${id}/delete`}>Delete this application…</a>
      </p>
    </section>
  );
}
