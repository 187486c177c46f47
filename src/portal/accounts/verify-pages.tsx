import type { LinkOwner } from '../../accounts/account-links.js';
import type { Visitor } from '../../accounts/sessions.service.js';
import type { Answer } from '../../http/answer.js';
import { Field, FormProblem, type FormState } from '../shell/field.js';
import { page } from '../shell/page.js';
import { LinkSecret } from './link-page.js';
import { Username } from './log-in-pages.js';
import { NewPasswordField } from './new-password-field.js';
import { ResendForm } from './sign-up-pages.js';

/**
 * The link is valid. Only the form activates the account and logs in, because mail scanners open links. It names the account, so that no one
 * is logged in to another person's account unnoticed; `visitor` is who is logged in now.
 */
export function verifyPage(
  secret: string,
  { name, email }: Pick<LinkOwner, 'name' | 'email'>,
  visitor: Visitor | undefined,
  state: FormState = {},
): Answer {
  return page(
    {
      title: 'Activate your account',
      visitor,
      styles: ['accounts.css'],
      scripts: ['link.js'],
      status: state.problems ? 400 : 200,
    },
    <>
      <h1>Activate your account</h1>
      <p>Choose a password to activate the account. If you didn't sign up, close this page.</p>
      {visitor && (
        <p class="warning">
          You are logged in as {visitor.email}. Activating this account logs you out there, and in as {email}.
        </p>
      )}
      <FormProblem state={state} />
      <form class="stack" method="post" action="/verify">
        <LinkSecret secret={secret} />
        <Username email={email} />
        <Field state={state} name="name" label="Name" autocomplete="name" value={name} />
        <NewPasswordField state={state} label="Password" />
        <p class="actions">
          <button type="submit">Activate account</button>
        </p>
      </form>
    </>,
  );
}

const WHY = {
  used: 'This link was already used or was replaced by a newer one.',
  expired: 'This link expired.',
  unknown: 'This link is invalid. Part of it may be missing: copy it from the email again.',
} as const;

/** Why a link is invalid and how to get a new one. */
export function deadVerifyPage(state: keyof typeof WHY): Answer {
  return page(
    { title: 'Invalid link', visitor: undefined, scripts: ['link.js'], status: state === 'unknown' ? 404 : 410 },
    <>
      <h1>Invalid link</h1>
      <p class="refusal" role="alert">
        {WHY[state]}
      </p>
      {state === 'used' && (
        <p>
          If you already activated your account, <a href="/login">log in</a>.
        </p>
      )}
      <p>To get a new link, enter the email address you signed up with:</p>
      <ResendForm state={{}} />
    </>,
  );
}
