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
  ['now', 'now'],
  ['hour', 'in one hour'],
  ['day', 'in 24 hours'],
  ['week', 'in 7 days'],
] as const;

/** Asks when the older secrets end, before a new one is made. */
export function newSecretPage(visitor: Visitor, { id, name }: OwnApplication, state: FormState = {}): Answer {
  return areaPage(
    { title: 'New secret', visitor, isRefused: state.problems !== undefined },
    <>
      <h1>New secret for {name}</h1>
      <p>
        Both work until the older ones end, so that you can change over without an outage. Tokens live on. At most{' '}
        {MAX_LIVE_SECRETS} secrets are live at once.
      </p>
      <FormProblem state={state} />
      <form method="post" action={`/applications/${id}/secrets`} class="stack">
        <fieldset>
          <legend>The older secrets end</legend>
          {state.problems?.overlap && <p class="problem">{state.problems.overlap}</p>}
          {OVERLAP_LABELS.map(([value, label]) => (
            <label key={value}>
              <input type="radio" name="overlap" value={value} checked={value === 'day'} required /> {label}
            </label>
          ))}
        </fieldset>
        <p class="actions">
          <button type="submit">Make the secret</button>
          <a href={`/applications/${id}`}>Cancel</a>
        </p>
      </form>
    </>,
  );
}

/** Says what revoking a secret ends. */
export function revokePage(visitor: Visitor, { id, name, secrets }: OwnApplication, secret: OwnSecret): Answer {
  return areaPage(
    { title: 'Revoke a secret', visitor },
    <>
      <h1>Revoke a secret of {name}</h1>
      <p>
        The secret <code>{shortId(secret.id)}</code>, made <Moment at={secret.createdAt} />,{' '}
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
        <li>It gets no token any more, and is never shown again.</li>
        <li>All tokens of the application end at once, whichever secret they came from.</li>
        <li>
          {secrets.length > 1
            ? `Its other live secrets (${secrets.length - 1}) stay: get new tokens with one of them.`
            : 'It is the only live secret: nobody can get a token until you make a new one.'}
        </li>
      </ul>
      <form method="post" action={`/applications/${id}/secrets/${secret.id}/revoke`}>
        <p class="actions">
          <button class="danger" type="submit">
            Revoke it
          </button>
          <a href={`/applications/${id}`}>Cancel</a>
        </p>
      </form>
    </>,
  );
}

/** Says what deleting ends, and wants the name typed. */
export function deletePage(visitor: Visitor, { id, name, environment }: OwnApplication, state: FormState = {}): Answer {
  return areaPage(
    { title: `Delete ${name}`, visitor, isRefused: state.problems !== undefined },
    <>
      <h1>Delete {name}</h1>
      <ul>
        <li>All its secrets and tokens end at once; its subscriptions end.</li>
        <li>It cannot be brought back, and neither can its client id.</li>
        <li>
          Its reservations stay with the suppliers: cancel what you do not want before. Afterwards nobody can reach them
          by the API.
        </li>
        {environment === 'sandbox' && <li>A production application made from it stays.</li>}
      </ul>
      <FormProblem state={state} />
      <form method="post" action={`/applications/${id}/delete`} class="stack">
        <Field state={state} name="name" label={`Type its name, ${name}`} autocomplete="off" />
        <p class="actions">
          <button class="danger" type="submit">
            Delete for good
          </button>
          <a href={`/applications/${id}`}>Cancel</a>
        </p>
      </form>
    </>,
  );
}

/** Asks what goes live. */
export function accessRequestPage(visitor: Visitor, { id, name }: OwnApplication, state: FormState = {}): Answer {
  return areaPage(
    { title: `Ask for production: ${name}`, visitor, isRefused: state.problems !== undefined },
    <>
      <h1>Ask for production: {name}</h1>
      <p>
        Operations read this and approve or refuse it. Then a production application is made, with the same
        subscriptions and its own credentials.
      </p>
      <FormProblem state={state} />
      <form method="post" action={`/applications/${id}/launch`} class="stack">
        <Field
          state={state}
          name="message"
          label="What goes live"
          type="textarea"
          hint="What it is, who uses it, from when, how many calls a day."
          maxLength={LONGEST_TEXT}
        />
        <p class="actions">
          <button type="submit">Ask for production</button>
          <a href={`/applications/${id}`}>Cancel</a>
        </p>
      </form>
    </>,
  );
}
