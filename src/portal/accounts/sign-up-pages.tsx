import { LONGEST_PASSWORD, SHORTEST_PASSWORD } from '../../accounts/password-rules.js';
import type { Visitor } from '../../accounts/sessions.service.js';
import type { Answer } from '../../http/answer.js';
import { Field, FormProblem, type FormState } from '../shell/field.js';
import { page } from '../shell/page.js';

/** What a good password is, beside every field for a new one. */
export const PASSWORD_HINT = `${SHORTEST_PASSWORD} to ${LONGEST_PASSWORD} characters of any kind. A few words in a row are easy to remember.`;

export function signUpPage(state: FormState = {}): Answer {
  return page(
    { title: 'Sign up', visitor: undefined, status: state.problems ? 400 : 200 },
    <>
      <h1>Sign up</h1>
      <p>
        After this you get a mail with a link that activates your account. Then you create an application and call the
        APIs.
      </p>
      <FormProblem state={state} />
      <form class="stack" method="post" action="/signup">
        <Field
          state={state}
          name="name"
          label="Name"
          autocomplete="name"
          hint="Of yourself or your team, as it shall be shown."
        />
        <Field state={state} name="email" type="email" label="E-mail address" autocomplete="email" />
        <Field
          state={state}
          name="password"
          type="password"
          label="Password"
          autocomplete="new-password"
          hint={PASSWORD_HINT}
        />
        <p class="actions">
          <button type="submit">Sign up</button>
          <a href="/login">I have an account</a>
        </p>
      </form>
    </>,
  );
}

/** What was asked for: a first mail, the same again, a new password. */
export type MailAbout = 'signup' | 'verify' | 'reset';

const SENT: Readonly<Record<MailAbout, string>> = {
  signup:
    'We sent a mail to the address you gave. Open the link in it and press the button there: then your account is active.',
  verify: 'If there is an account with this address that waits to be activated, a mail with a new link is on its way.',
  reset: 'If there is an account with this address, a mail with a link to set a new password is on its way.',
};

/** The same for every address. `hasOutbox`: mails are to be seen on this site. */
export function sentPage(about: MailAbout, hasOutbox: boolean, visitor: Visitor | undefined): Answer {
  return page(
    { title: 'Look into your mail', visitor },
    <>
      <h1>Look into your mail</h1>
      <p class="lead">{SENT[about]}</p>
      {hasOutbox && (
        <p class="warning">
          This sandbox has no mail server: the mail is in the <a href="/outbox">outbox</a> of this site.
        </p>
      )}
      <p>
        Nothing there after some minutes? Look into the folder for spam, check the address for typing errors, and{' '}
        {about === 'reset' ? <a href="/reset">ask again</a> : <a href="/resend">have the link sent again</a>}.
      </p>
    </>,
  );
}

export function resendPage(state: FormState = {}): Answer {
  return page(
    { title: 'Send the link again', visitor: undefined, status: state.problems ? 400 : 200 },
    <>
      <h1>Send the link again</h1>
      <p>Give the address you signed up with. You get a new link that activates your account.</p>
      <FormProblem state={state} />
      <ResendForm state={state} />
    </>,
  );
}

/** Asks for a new link to activate an account. */
export function ResendForm({ state }: { state: FormState }) {
  return (
    <form class="stack" method="post" action="/resend">
      <Field state={state} name="email" type="email" label="E-mail address" autocomplete="email" />
      <p class="actions">
        <button type="submit">Send the link again</button>
      </p>
    </form>
  );
}
