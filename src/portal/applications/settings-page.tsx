import type { Visitor } from '../../accounts/sessions.service.js';
import type { OwnApplication } from '../../auth/own-applications.js';
import { MAX_ORIGINS } from '../../auth/web-origin.js';
import type { Answer } from '../../http/answer.js';
import { Field, FormProblem, type FormState } from '../shell/field.js';
import { areaPage } from './area-page.js';
import { Crumb } from './crumb.js';
import { LONGEST_NAME, LONGEST_TEXT } from './forms.js';

/** The settings forms of an application. `state` belongs to the form that was rejected, if any. */
export function settingsPage(visitor: Visitor, application: OwnApplication, state: FormState = {}): Answer {
  const { id, name, description, redirectUrl, allowedOrigins, defaultScenario, environment } = application;
  const path = `/applications/${id}`;
  return areaPage(
    { title: `Settings for ${name}`, visitor, isRefused: state.problems !== undefined },
    <>
      <Crumb application={application} here="Settings" />
      <h1>Settings for {name}</h1>
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
          label="OAuth redirect URL"
          value={redirectUrl ?? ''}
          autocomplete="off"
          isOptional
          hint={
            <>
              Must match the redirect URL in the request exactly. Use <code>https://</code>, or <code>http://</code>{' '}
              with 127.0.0.1, [::1] or localhost. Leave empty for none.
            </>
          }
        />
        <button type="submit">Save redirect URL</button>
      </form>
      <form method="post" action={`${path}/origins`} class="stack">
        <h2>Web origins</h2>
        <Field
          state={state}
          name="origins"
          label="Origins of pages that call the API"
          type="textarea"
          value={allowedOrigins.join('\n')}
          isOptional
          hint={
            <>
              One per line, at most {MAX_ORIGINS}, such as <code>https://shop.example.com</code>. Get tokens on your own
              server: a client secret in a page is public. <a href="/docs/browsers">Calls from browsers</a>
            </>
          }
        />
        <button type="submit">Save web origins</button>
      </form>
      {environment === 'sandbox' && (
        <form method="post" action={`${path}/scenario`} class="stack">
          <h2>Default scenario</h2>
          <Field
            state={state}
            name="scenario"
            label="Scenario for calls without X-Sandbox-Scenario"
            value={defaultScenario ?? ''}
            autocomplete="off"
            isOptional
            hint={
              <>
                Same format as the X-Sandbox-Scenario header, such as <code>bravo=timeout</code>. Leave empty for no
                simulated failures. <a href="/docs/sandbox">All scenarios</a>
              </>
            }
          />
          <button type="submit">Save scenario</button>
        </form>
      )}
    </>,
  );
}
