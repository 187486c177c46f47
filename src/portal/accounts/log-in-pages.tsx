import type { Visitor } from '../../accounts/sessions.service.js';
import type { Answer } from '../../http/answer.js';
import { Field, FormProblem, type FormState } from '../shell/field.js';
import { page } from '../shell/page.js';

/** `next`: local path to open after login; undefined: the home page of logged-in visitors. */
export function logInPage(next: string | undefined, state: FormState = {}, notice?: string): Answer {
  return page(
    { title: 'Log in', visitor: undefined, status: state.problems ? 400 : 200, notice },
    <>
      <h1>Log in</h1>
      <FormProblem state={state} />
      <form class="stack" method="post" action="/login">
        <Field state={state} name="email" type="email" label="Email" autocomplete="username" />
        <Field state={state} name="password" type="password" label="Password" autocomplete="current-password" />
        <Next path={next} />
        <p class="actions">
          <button type="submit">Log in</button>
          <a href="/reset">Forgot password?</a>
          <a href="/signup">Sign up</a>
        </p>
      </form>
    </>,
  );
}

/** Shown after a correct password for an account that isn't active. */
export function notVerifiedPage(email: string): Answer {
  return page(
    { title: 'Activate your account first', visitor: undefined, status: 403 },
    <>
      <h1>Activate your account first</h1>
      <p>
        Your password is correct, but your account isn't active yet. Open the link in the email we sent to{' '}
        <strong>{email}</strong> and activate your account, then log in.
      </p>
      <form method="post" action="/resend">
        <input type="hidden" name="email" value={email} />
        <button type="submit">Resend link</button>
      </form>
    </>,
  );
}

export function confirmPage(visitor: Visitor, next: string | undefined, state: FormState = {}): Answer {
  return page(
    { title: 'Confirm your password', visitor, styles: ['accounts.css'], status: state.problems ? 400 : 200 },
    <>
      <h1>Confirm your password</h1>
      <p>For your security, enter your password again to continue.</p>
      <FormProblem state={state} />
      <form class="stack" method="post" action="/confirm">
        <Username email={visitor.email} />
        <Field state={state} name="password" type="password" label="Password" autocomplete="current-password" />
        <Next path={next} />
        <p class="actions">
          <button type="submit">Continue</button>
          <a href="/reset">Forgot password?</a>
        </p>
      </form>
    </>,
  );
}

/** Shows the account that the password belongs to, for the reader and for password managers. */
export function Username({ email }: { email: string }) {
  return (
    <div class="field">
      <label for="username">Account</label>
      <input id="username" type="email" autocomplete="username" value={email} readOnly />
    </div>
  );
}

function Next({ path }: { path: string | undefined }) {
  return path === undefined ? null : <input type="hidden" name="next" value={path} />;
}
