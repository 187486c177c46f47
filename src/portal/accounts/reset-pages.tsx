import type { LinkOwner } from '../../accounts/account-links.js';
import type { Visitor } from '../../accounts/sessions.service.js';
import type { Answer } from '../../http/answer.js';
import { Field, FormProblem, type FormState } from '../shell/field.js';
import { page } from '../shell/page.js';
import { LinkSecret } from './link-page.js';
import { Username } from './log-in-pages.js';
import { NewPasswordField } from './new-password-field.js';

export function askResetPage(visitor: Visitor | undefined, state: FormState = {}): Answer {
  return page(
    { title: 'Reset your password', visitor, status: state.problems ? 400 : 200 },
    <>
      <h1>Reset your password</h1>
      <p>Enter your account's email address, and we'll send you a link to set a new password.</p>
      <FormProblem state={state} />
      <AskForm state={state} />
    </>,
  );
}

/** The form for the new password, if the link is valid; for an account without a password, such as a new operator's, for its first one. */
export function resetPage(
  secret: string,
  { email, hasPassword }: Pick<LinkOwner, 'email' | 'hasPassword'>,
  state: FormState = {},
): Answer {
  const title = hasPassword ? 'Choose a new password' : 'Welcome to Forecourt';
  return page(
    {
      title,
      visitor: undefined,
      styles: ['accounts.css'],
      scripts: ['link.js'],
      status: state.problems ? 400 : 200,
    },
    <>
      <h1>{title}</h1>
      <p>
        {hasPassword
          ? 'Setting a new password logs you out on all devices.'
          : `Choose a password for your new account, ${email}. Then log in with it.`}
      </p>
      <FormProblem state={state} />
      <form class="stack" method="post" action="/reset/password">
        <LinkSecret secret={secret} />
        <Username email={email} />
        <NewPasswordField state={state} />
        {hasPassword && <Revocation isChosen={state.typed?.revoke === 'yes'} />}
        <p class="actions">
          <button type="submit">Set password</button>
        </p>
      </form>
    </>,
  );
}

function Revocation({ isChosen }: { isChosen: boolean }) {
  return (
    <div class="field choice">
      <label>
        <input type="checkbox" name="revoke" value="yes" checked={isChosen} aria-describedby="revoke-hint" /> Revoke all
        client secrets and access tokens of my applications
      </label>
      <p class="hint" id="revoke-hint">
        Choose this if someone else may have had access to your account. Your applications stop working until you create
        new secrets and deploy them.
      </p>
    </div>
  );
}

const WHY = {
  used: 'This link was already used, or the password was changed after it was sent.',
  expired: 'This link expired.',
  unknown: 'This link is invalid. Part of it may be missing: copy it from the email again.',
} as const;

/** Why a link is invalid and how to get a new one. */
export function deadResetPage(state: keyof typeof WHY): Answer {
  return page(
    { title: 'Invalid link', visitor: undefined, scripts: ['link.js'], status: state === 'unknown' ? 404 : 410 },
    <>
      <h1>Invalid link</h1>
      <p class="refusal" role="alert">
        {WHY[state]}
      </p>
      <p>
        If you know your password, <a href="/login">log in</a>. To get a new link, enter your account's email address:
      </p>
      <AskForm state={{}} />
    </>,
  );
}

function AskForm({ state }: { state: FormState }) {
  return (
    <form class="stack" method="post" action="/reset">
      <Field state={state} name="email" type="email" label="Email" autocomplete="username" />
      <p class="actions">
        <button type="submit">Send link</button>
        <a href="/login">Back to login</a>
      </p>
    </form>
  );
}
