import type { Visitor } from '../../accounts/sessions.service.js';
import type { OwnApplication } from '../../auth/own-applications.js';
import type { Answer } from '../../http/answer.js';
import { type Endpoint, MOST_ENDPOINTS } from '../../webhooks/endpoint-store.js';
import { EVENT_TYPES } from '../../webhooks/event-types.js';
import { areaPage } from '../applications/area-page.js';
import { Crumb } from '../applications/crumb.js';
import { CardTable } from '../shell/card-table.js';
import { CopyButton } from '../shell/copy-button.js';
import { Field, FormProblem, type FormState } from '../shell/field.js';

/** What the page of an application's endpoints shows. */
export interface EndpointsView {
  readonly visitor: Visitor;
  readonly application: OwnApplication;
  /** Oldest first. */
  readonly endpoints: readonly Endpoint[];
  readonly notice?: string | undefined;
  readonly state?: FormState;
}

/** The endpoints of an application, with a form that adds one. */
export function endpointsPage({ visitor, application, endpoints, notice, state = {} }: EndpointsView): Answer {
  const { id, name } = application;
  return areaPage(
    { title: `Webhooks of ${name}`, visitor, notice, isRefused: state.problems !== undefined },
    <>
      <Crumb application={application} here="Webhooks" />
      <h1>Webhooks of {name}</h1>
      <p>
        Events of your reservations are sent to these addresses. <a href="/docs/webhooks">How to receive them</a>
      </p>
      {endpoints.length === 0 ? <p class="quiet">There are no endpoints.</p> : <Endpoints id={id} rows={endpoints} />}
      {endpoints.length < MOST_ENDPOINTS && <AddForm application={application} state={state} />}
    </>,
  );
}

/** The signing secret of an endpoint, which is shown only once. */
export function secretPage(
  visitor: Visitor,
  { id, name }: OwnApplication,
  { endpoint, secret }: { readonly endpoint: Endpoint; readonly secret: string },
  notice: string,
): Answer {
  return areaPage(
    { title: 'Signing secret', visitor, notice },
    <>
      <Crumb application={{ id, name }} here="Signing secret">
        <a href={`/applications/${id}/webhooks`}>Webhooks</a>
      </Crumb>
      <h1>Signing secret</h1>
      <dl class="facts">
        <dt>Endpoint</dt>
        <dd>{endpoint.url}</dd>
        <dt>Secret</dt>
        <dd>
          <code id="webhook-secret">{secret}</code> <CopyButton from="webhook-secret" label="Copy secret" />
        </dd>
      </dl>
      <p class="warning">
        Store it now: it isn't shown again. Your receiver verifies the signature of each event with it.
      </p>
      <p>
        <a href={`/applications/${id}/webhooks/${endpoint.id}`}>Go to the endpoint</a>
      </p>
    </>,
  );
}

function Endpoints({ id, rows }: { id: string; rows: readonly Endpoint[] }) {
  return (
    <CardTable
      label="Endpoints"
      columns={[{ name: 'URL' }, { name: 'State' }, { name: 'Events' }]}
      rows={rows.map((endpoint) => ({
        key: endpoint.id,
        cells: [
          <a href={`/applications/${id}/webhooks/${endpoint.id}`}>{endpoint.url}</a>,
          endpoint.state,
          endpoint.events?.length ?? 'all',
        ],
      }))}
    />
  );
}

function AddForm({ application: { id, products }, state }: { application: OwnApplication; state: FormState }) {
  if (!products.includes('car_webhooks'))
    return (
      <p>
        To add endpoints, <a href={`/applications/${id}`}>subscribe the application</a> to Webhooks.
      </p>
    );
  return (
    <form method="post" action={`/applications/${id}/webhooks`} class="stack">
      <h2>Add an endpoint</h2>
      <FormProblem state={state} />
      <Field state={state} name="url" label="URL" type="url" autocomplete="off" />
      <Field state={state} name="description" label="Description" isOptional maxLength={100} />
      <fieldset>
        <legend>Events (none selected: all, including types added later)</legend>
        {state.problems?.events && <p class="problem">{state.problems.events}</p>}
        {Object.entries(EVENT_TYPES).map(([type, meaning]) => (
          <label key={type} class="choice">
            <input type="checkbox" name="events" value={type} />
            <span>
              <code>{type}</code> <span class="quiet">{meaning}</span>
            </span>
          </label>
        ))}
      </fieldset>
      <button type="submit">Add endpoint</button>
    </form>
  );
}
