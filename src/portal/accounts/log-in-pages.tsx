import type { Visitor } from '../../accounts/sessions.service.js';
import type { Answer } from '../../http/answer.js';
import { Field, FormProblem, type FormState } from '../shell/field.js';
import { page } from '../shell/page.js';

/** `next` is where to go on afterwards, a path of ours; undefined = the first page of people who are logged in. */
export function logInPage(next: string | undefined, state: FormState = {}, notice?: string): Answer {
  return page(
    { title: 'Log in', visitor: undefined, status: state.problems ? 400 : 200, notice },
    <>
      <h1>Log in</h1>
      <FormProblem state={state} />
      <form class="stack" method="post" action="/login">
        <Field state={state} name="email" type="email" label="E-mail address" autocomplete="username" />
        <Field state={state} name="password" type="password" label="Password" autocomplete="current-password" />
        <Next path={next} />
        <p class="actions">
          <button type="submit">Log in</button>
          <a href="/reset">I do not know my password</a>
          <a href="/signup">Sign up</a>
        </p>
      </form>
    </>,
  );
}

/** The password was right. */
export function notVerifiedPage(email: string): Answer {
  return page(
    { title: 'Activate your account first', visitor: undefined, status: 403 },
    <>
      <h1>Activate your account first</h1>
      <p>
        Your password is right, but your account is not active yet. Open the link in the mail that we sent to{' '}
        <strong>{email}</strong> and press the button there; then log in.
      </p>
      <form method="post" action="/resend">
        <input type="hidden" name="email" value={email} />
        <button type="submit">Send the link again</button>
      </form>
    </>,
  );
}

export function confirmPage(visitor: Visitor, next: string | undefined, state: FormState = {}): Answer {
  return page(
    { title: 'Your password, please', visitor, styles: ['accounts.css'], status: state.problems ? 400 : 200 },
    <>
      <h1>Your password, please</h1>
      <p>What comes next needs your password once more, in case somebody else sits at your screen.</p>
      <FormProblem state={state} />
      <form class="stack" method="post" action="/confirm">
        <Username email={visitor.email} />
        <Field state={state} name="password" type="password" label="Password" autocomplete="current-password" />
        <Next path={next} />
        <p class="actions">
          <button type="submit">Go on</button>
          <a href="/reset">I do not know my password</a>
        </p>
      </form>
    </>,
  );
}

/** Whose password it is: for the reader, and for password managers. */
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
