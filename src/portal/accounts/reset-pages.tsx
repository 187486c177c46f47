import type { Visitor } from '../../accounts/sessions.service.js';
import type { Answer } from '../../http/answer.js';
import { Field, FormProblem, type FormState } from '../shell/field.js';
import { page } from '../shell/page.js';
import { Username } from './log-in-pages.js';
import { PASSWORD_HINT } from './sign-up-pages.js';

export function askResetPage(visitor: Visitor | undefined, state: FormState = {}): Answer {
  return page(
    { title: 'Set a new password', visitor, status: state.problems ? 400 : 200 },
    <>
      <h1>Set a new password</h1>
      <p>Give the address of your account. You get a mail with a link to set a new password.</p>
      <FormProblem state={state} />
      <AskForm state={state} />
    </>,
  );
}

/** The link works: the new password. */
export function resetPage(email: string, state: FormState = {}): Answer {
  return page(
    {
      title: 'Choose your new password',
      visitor: undefined,
      styles: ['accounts.css'],
      status: state.problems ? 400 : 200,
    },
    <>
      <h1>Choose your new password</h1>
      <p>With the new password every session of the account ends, on all devices.</p>
      <FormProblem state={state} />
      <form class="stack" method="post">
        <Username email={email} />
        <Field
          state={state}
          name="new_password"
          type="password"
          label="New password"
          autocomplete="new-password"
          hint={PASSWORD_HINT}
        />
        <p class="actions">
          <button type="submit">Set the password</button>
        </p>
      </form>
    </>,
  );
}

const WHY = {
  used: 'This link was used already, or the password was set since it was sent.',
  expired: 'This link is too old.',
  unknown: 'This link is not one of ours. Perhaps a part of it was lost: copy it from the mail once more.',
} as const;

/** The link works no more, why, and how to get another. */
export function deadResetPage(state: keyof typeof WHY): Answer {
  return page(
    { title: 'The link does not work', visitor: undefined, status: state === 'unknown' ? 404 : 410 },
    <>
      <h1>The link does not work</h1>
      <p class="refusal" role="alert">
        {WHY[state]}
      </p>
      <p>
        If you know your password, <a href="/login">log in</a>. To get a new link, give the address of your account:
      </p>
      <AskForm state={{}} />
    </>,
  );
}

function AskForm({ state }: { state: FormState }) {
  return (
    <form class="stack" method="post" action="/reset">
      <Field state={state} name="email" type="email" label="E-mail address" autocomplete="username" />
      <p class="actions">
        <button type="submit">Send the link</button>
        <a href="/login">Back to the login</a>
      </p>
    </form>
  );
}
