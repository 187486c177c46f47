import type { Visitor } from '../../accounts/sessions.service.js';
import type { Answer } from '../../http/answer.js';
import { Field, FormProblem, type FormState } from '../shell/field.js';
import { page } from '../shell/page.js';

export function signUpPage(state: FormState = {}): Answer {
  return page(
    { title: 'Sign up', visitor: undefined, status: state.problems ? 400 : 200 },
    <>
      <h1>Sign up</h1>
      <p>We'll send you an email with a link to choose a password and activate your account.</p>
      <FormProblem state={state} />
      <form class="stack" method="post" action="/signup">
        <Field state={state} name="name" label="Name" autocomplete="name" hint="Your name or your team's name." />
        <Field state={state} name="email" type="email" label="Email" autocomplete="email" />
        <p class="actions">
          <button type="submit">Sign up</button>
          <a href="/login">Log in instead</a>
        </p>
      </form>
    </>,
  );
}

/** Why an email was requested: sign-up, another activation link, or a password reset. */
export type MailAbout = 'signup' | 'verify' | 'reset';

const SENT: Readonly<Record<MailAbout, string>> = {
  signup: 'We sent an email to your address. Open the link in it to choose a password and activate your account.',
  verify: 'If an account with this address is waiting to be activated, we sent it an email with a new link.',
  reset: 'If an account with this address exists, we sent it an email with a link to set a new password.',
};

/** What becomes of emails: they are shown on this site, sent, or stay until a mail server is set. */
export type MailFate = 'outbox' | 'sent' | 'stays';

/** Identical for every address, so it doesn't reveal accounts. */
export function sentPage(about: MailAbout, fate: MailFate, visitor: Visitor | undefined): Answer {
  return page(
    { title: 'Check your email', visitor },
    <>
      <h1>Check your email</h1>
      <p class="lead">{fate === 'stays' ? 'No email can be sent yet.' : SENT[about]}</p>
      {fate === 'stays' && (
        <p class="warning">
          This gateway has no mail server. Its operator must set <code>SMTP_URL</code> and restart it; then request the
          email again.
        </p>
      )}
      {fate === 'outbox' && (
        <p class="warning">
          This sandbox has no mail server. Read the email in this site's <a href="/outbox">outbox</a>. The first time,
          open the outbox with the link that <code>npm start</code> printed.
        </p>
      )}
      <p>
        No email after a few minutes? Check your spam folder and make sure the address is correct, then{' '}
        {about === 'reset' ? <a href="/reset">try again</a> : <a href="/resend">resend the link</a>}.
      </p>
    </>,
  );
}

export function resendPage(state: FormState = {}): Answer {
  return page(
    { title: 'Resend the activation link', visitor: undefined, status: state.problems ? 400 : 200 },
    <>
      <h1>Resend the activation link</h1>
      <p>Enter the email address you signed up with, and we'll send you a new link to activate your account.</p>
      <FormProblem state={state} />
      <ResendForm state={state} />
    </>,
  );
}

/** The form to request a new activation link. */
export function ResendForm({ state }: { state: FormState }) {
  return (
    <form class="stack" method="post" action="/resend">
      <Field state={state} name="email" type="email" label="Email" autocomplete="email" />
      <p class="actions">
        <button type="submit">Resend link</button>
      </p>
    </form>
  );
}
