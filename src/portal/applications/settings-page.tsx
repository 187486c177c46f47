import type { Visitor } from '../../accounts/sessions.service.js';
import type { OwnApplication } from '../../auth/own-applications.js';
import type { Answer } from '../../http/answer.js';
import { Field, FormProblem, type FormState } from '../shell/field.js';
import { areaPage } from './area-page.js';
import { LONGEST_NAME, LONGEST_TEXT } from './forms.js';

/** What a developer may change of an application: three forms. `state` is that of the form which was refused, if one was. */
export function settingsPage(visitor: Visitor, application: OwnApplication, state: FormState = {}): Answer {
  const { id, name, description, redirectUrl, defaultScenario, environment } = application;
  const path = `/applications/${id}`;
  return areaPage(
    { title: `Settings of ${name}`, visitor, isRefused: state.problems !== undefined },
    <>
      <h1>Settings of {name}</h1>
      <FormProblem state={state} />
      <form method="post" action={`${path}/description`} class="stack">
        <h2>Name and description</h2>
        <Field state={state} name="name" label="Name" value={name} autocomplete="off" maxLength={LONGEST_NAME} />
        <Field
          state={state}
          name="description"
          label="Description"
          type="textarea"
          value={description}
          isOptional
          maxLength={LONGEST_TEXT}
        />
        <button type="submit">Save name and description</button>
      </form>
      <form method="post" action={`${path}/redirect-url`} class="stack">
        <h2>Redirect URL</h2>
        <Field
          state={state}
          name="redirect_url"
          label="Redirect URL of OAuth"
          value={redirectUrl ?? ''}
          autocomplete="off"
          isOptional
          hint={
            <>
              Exactly as it will be sent: <code>https://…</code>, or <code>http://</code> with 127.0.0.1, [::1] or
              localhost. Empty = none.
            </>
          }
        />
        <button type="submit">Save redirect URL</button>
      </form>
      {environment === 'sandbox' && (
        <form method="post" action={`${path}/scenario`} class="stack">
          <h2>Default scenario</h2>
          <Field
            state={state}
            name="scenario"
            label="Scenario of calls that name none"
            value={defaultScenario ?? ''}
            autocomplete="off"
            isOptional
            hint={
              <>
                Written as the header X-Sandbox-Scenario, such as <code>bravo=timeout</code>. Empty = suppliers behave.{' '}
                <a href="/docs/sandbox">All scenarios</a>
              </>
            }
          />
          <button type="submit">Save scenario</button>
        </form>
      )}
      <p>
        <a href={path}>Back to the application</a>
      </p>
    </>,
  );
}
