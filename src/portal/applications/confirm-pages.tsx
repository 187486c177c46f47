import type { Visitor } from '../../accounts/sessions.service.js';
import { MAX_LIVE_SECRETS } from '../../auth/application-admin.js';
import type { OwnApplication, OwnSecret } from '../../auth/own-applications.js';
import type { Answer } from '../../http/answer.js';
import { Field, FormProblem, type FormState } from '../shell/field.js';
import { Moment } from '../shell/moment.js';
import { shortId } from '../shell/short-id.js';
import { areaPage } from './area-page.js';
import { LONGEST_TEXT } from './forms.js';

const OVERLAP_LABELS = [
  ['now', 'Now'],
  ['hour', 'In 1 hour'],
  ['day', 'In 24 hours'],
  ['week', 'In 7 days'],
] as const;

/** Asks when the existing secrets expire before a new one is created. */
export function newSecretPage(visitor: Visitor, { id, name }: OwnApplication, state: FormState = {}): Answer {
  return areaPage(
    { title: 'New secret', visitor, isRefused: state.problems !== undefined },
    <>
      <h1>New secret for {name}</h1>
      <p>
        The new secret and the existing ones work side by side until the existing ones expire, so you can switch without
        downtime. Tokens stay valid. An application can have up to {MAX_LIVE_SECRETS} secrets.
      </p>
      <FormProblem state={state} />
      <form method="post" action={`/applications/${id}/secrets`} class="stack">
        <fieldset>
          <legend>When do the existing secrets expire?</legend>
          {state.problems?.overlap && <p class="problem">{state.problems.overlap}</p>}
          {OVERLAP_LABELS.map(([value, label]) => (
            <label key={value}>
              <input type="radio" name="overlap" value={value} checked={value === 'day'} required /> {label}
            </label>
          ))}
        </fieldset>
        <p class="actions">
          <button type="submit">Create secret</button>
          <a href={`/applications/${id}`}>Cancel</a>
        </p>
      </form>
    </>,
  );
}

/** Asks for confirmation and lists the effects of revoking a secret. */
export function revokePage(visitor: Visitor, { id, name, secrets }: OwnApplication, secret: OwnSecret): Answer {
  return areaPage(
    { title: 'Revoke a secret', visitor },
    <>
      <h1>Revoke a secret for {name}</h1>
      <p>
        Secret <code>{shortId(secret.id)}</code>, created <Moment at={secret.createdAt} />,{' '}
        {secret.lastUsedAt === null ? (
          'never used'
        ) : (
          <>
            last used <Moment at={secret.lastUsedAt} />
          </>
        )}
        .
      </p>
      <ul>
        <li>The secret can no longer be used to get tokens, and can't be shown again.</li>
        <li>The tokens issued with it, and those of the console, are revoked immediately on every gateway.</li>
        <li>
          {secrets.length > 1
            ? `The application's other secrets (${secrets.length - 1}) and their tokens stay valid.`
            : "This is the only active secret. The application can't get tokens until you create a new one."}
        </li>
      </ul>
      <form method="post" action={`/applications/${id}/secrets/${secret.id}/revoke`}>
        <p class="actions">
          <button class="danger" type="submit">
            Revoke secret
          </button>
          <a href={`/applications/${id}`}>Cancel</a>
        </p>
      </form>
    </>,
  );
}

/** Lists the effects of deleting an application and asks for its name as confirmation. */
export function deletePage(visitor: Visitor, { id, name, environment }: OwnApplication, state: FormState = {}): Answer {
  return areaPage(
    { title: `Delete ${name}`, visitor, isRefused: state.problems !== undefined },
    <>
      <h1>Delete {name}</h1>
      <ul>
        <li>All secrets and tokens are revoked immediately, and all subscriptions end.</li>
        <li>The application and its client id can't be restored.</li>
        <li>
          Its reservations stay active with the suppliers, and you can no longer access them through the API. Cancel the
          ones you don't need first.
        </li>
        {environment === 'sandbox' && <li>A production application created from it isn't deleted.</li>}
      </ul>
      <FormProblem state={state} />
      <form method="post" action={`/applications/${id}/delete`} class="stack">
        <Field state={state} name="name" label={`To confirm, enter the application name: ${name}`} autocomplete="off" />
        <p class="actions">
          <button class="danger" type="submit">
            Delete permanently
          </button>
          <a href={`/applications/${id}`}>Cancel</a>
        </p>
      </form>
    </>,
  );
}

/** The form for a production access request. */
export function accessRequestPage(
  visitor: Visitor,
  { id, name, isLaunched }: OwnApplication,
  state: FormState = {},
): Answer {
  return areaPage(
    { title: `Request production access: ${name}`, visitor, isRefused: state.problems !== undefined },
    <>
      <h1>Request production access: {name}</h1>
      <p>
        An operator reviews your request. If it's approved,{' '}
        {isLaunched
          ? 'your production application gets the same subscriptions instead of its own. It keeps its credentials.'
          : 'you get a production application with the same subscriptions and its own credentials.'}
      </p>
      <FormProblem state={state} />
      <form method="post" action={`/applications/${id}/production-access`} class="stack">
        <Field
          state={state}
          name="message"
          label="Describe your application"
          type="textarea"
          hint="What it does, who uses it, when it goes live, and how many calls per day you expect."
          maxLength={LONGEST_TEXT}
        />
        <p class="actions">
          <button type="submit">Submit request</button>
          <a href={`/applications/${id}`}>Cancel</a>
        </p>
      </form>
    </>,
  );
}
