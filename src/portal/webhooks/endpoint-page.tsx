import type { Visitor } from '../../accounts/sessions.service.js';
import type { OwnApplication } from '../../auth/own-applications.js';
import type { Answer } from '../../http/answer.js';
import type { DeliveryRow } from '../../webhooks/delivery-log.js';
import type { Endpoint } from '../../webhooks/endpoint-store.js';
import { areaPage } from '../applications/area-page.js';
import { Crumb } from '../applications/crumb.js';
import { FormProblem, type FormState } from '../shell/field.js';
import { Moment } from '../shell/moment.js';
import { DeliveriesTable } from './deliveries-table.js';

/** What the page of an endpoint shows. */
export interface EndpointView {
  readonly visitor: Visitor;
  readonly application: OwnApplication;
  readonly endpoint: Endpoint;
  /** Newest first. */
  readonly deliveries: readonly DeliveryRow[];
  readonly notice?: string | undefined;
  readonly state?: FormState | undefined;
}

/** The most events on the page. */
export const SHOWN_EVENTS = 20;

const OVERLAPS = [
  ['none', 'Not at all (after a leak)'],
  ['hour', 'For 1 hour'],
  ['day', 'For 24 hours'],
  ['week', 'For 7 days'],
] as const;

/** Where the form that sends an event again goes to; undefined = nothing is sent to the endpoint. */
export function replayPathOf({ applicationId, id, state }: Endpoint): string | undefined {
  return state === 'active' ? `/applications/${applicationId}/webhooks/${id}/replay` : undefined;
}

/** An endpoint with its settings and newest events, which are kept up to date. */
export function endpointPage({ visitor, application, endpoint, deliveries, notice, state = {} }: EndpointView): Answer {
  const path = `/applications/${application.id}/webhooks/${endpoint.id}`;
  const isRefused = state.problems !== undefined;
  return areaPage(
    { title: 'Webhook endpoint', visitor, notice, isRefused, scripts: ['webhooks-live.js'] },
    <>
      <Crumb application={application} here="Endpoint">
        <a href={`/applications/${application.id}/webhooks`}>Webhooks</a>
      </Crumb>
      <h1>{endpoint.url}</h1>
      <FormProblem state={state} />
      <Facts endpoint={endpoint} />
      <div class="actions">
        {endpoint.state === 'active' && <Action path={`${path}/test`} label="Send a test event" />}
        {endpoint.state === 'active' ? (
          <Action path={`${path}/state`} label="Disable" value="disabled" />
        ) : (
          <Action path={`${path}/state`} label="Activate" value="active" />
        )}
      </div>
      <section>
        <h2 id="events">Events</h2>
        <p class="quiet">
          The newest {SHOWN_EVENTS} of the last 14 days. Without scripts, reload the page to update it.
        </p>
        <div id="live" data-events={`${path}/events`}>
          <DeliveriesTable rows={deliveries} replayPath={replayPathOf(endpoint)} />
        </div>
      </section>
      <form method="post" action={`${path}/secret`} class="stack">
        <h2>Replace the secret</h2>
        <fieldset>
          <legend>How long does the existing secret sign as well?</legend>
          {OVERLAPS.map(([value, label]) => (
            <label key={value}>
              <input type="radio" name="overlap" value={value} checked={value === 'day'} required /> {label}
            </label>
          ))}
        </fieldset>
        <button type="submit">Replace secret</button>
      </form>
      <form method="post" action={`${path}/delete`} class="stack">
        <h2>Delete</h2>
        <label>
          <input type="checkbox" name="confirmed" required /> Delete it and its events, including queued ones
        </label>
        <p>
          <button class="danger" type="submit">
            Delete endpoint
          </button>
        </p>
      </form>
    </>,
  );
}

function Facts({ endpoint: { id, state, events, description, failingSince, previousUntil } }: { endpoint: Endpoint }) {
  return (
    <dl class="facts">
      <dt>Endpoint</dt>
      <dd>
        <code>{id}</code>
      </dd>
      {description !== '' && (
        <>
          <dt>Description</dt>
          <dd>{description}</dd>
        </>
      )}
      <dt>State</dt>
      <dd>
        {state}
        {state === 'suspended' && ' by the gateway, because it accepted nothing. Its events wait for up to 14 days.'}
      </dd>
      <dt>Events</dt>
      <dd>{events?.join(', ') ?? 'all'}</dd>
      {failingSince !== null && (
        <>
          <dt>Failing since</dt>
          <dd>
            <Moment at={failingSince} />
          </dd>
        </>
      )}
      {previousUntil !== null && previousUntil.getTime() > Date.now() && (
        <>
          <dt>Previous secret</dt>
          <dd>
            signs as well until <Moment at={previousUntil} />
          </dd>
        </>
      )}
    </dl>
  );
}

function Action({ path, label, value }: { path: string; label: string; value?: string }) {
  return (
    <form method="post" action={path}>
      {value !== undefined && <input type="hidden" name="state" value={value} />}
      <button class="second" type="submit">
        {label}
      </button>
    </form>
  );
}
