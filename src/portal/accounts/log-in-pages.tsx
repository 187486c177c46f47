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

/** What is wrong with a code. */
export const CODE_PROBLEMS = {
  wrong: 'The code is incorrect. Check that the clock of your device is right, and enter the newest code.',
  used: 'This code was already used. Wait for the next one.',
} as const;

/** After the password, for accounts with a second factor. */
export function codePage(next: string | undefined, state: FormState = {}): Answer {
  return page(
    { title: 'Enter your code', visitor: undefined, status: state.problems ? 400 : 200 },
    <>
      <h1>Enter your code</h1>
      <p>Your password is correct. Enter the code from your authenticator app to log in.</p>
      <FormProblem state={state} />
      <form class="stack" method="post" action="/login/code">
        <CodeField state={state} />
        <Next path={next} />
        <p class="actions">
          <button type="submit">Log in</button>
          <a href="/login">Back to login</a>
        </p>
      </form>
      <p class="quiet">
        If you lost your device and your recovery codes, contact an operator of this gateway, who can turn off
        two-factor authentication for your account.
      </p>
    </>,
  );
}

/** A field for a code of the second factor. `id` must be unique on the page. */
export function CodeField({ state, id = 'code' }: { state: FormState; id?: string }) {
  return (
    <Field
      state={state}
      name="code"
      id={id}
      label="Code"
      autocomplete="one-time-code"
      hint="6 digits from your authenticator app, or a recovery code."
      maxLength={100}
    />
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
