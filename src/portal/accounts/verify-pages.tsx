import type { Answer } from '../../http/answer.js';
import { page } from '../shell/page.js';
import { ResendForm } from './sign-up-pages.js';

/** The link works; only the button activates, for scanners of mails open links. */
export function verifyPage(email: string): Answer {
  return page(
    { title: 'Activate your account', visitor: undefined },
    <>
      <h1>Activate your account</h1>
      <p>
        For <strong>{email}</strong>. If you did not sign up, close this page.
      </p>
      <form method="post">
        <button type="submit">Activate the account</button>
      </form>
    </>,
  );
}

const WHY = {
  used: 'This link was used already, or a newer one took its place.',
  expired: 'This link is too old.',
  unknown: 'This link is not one of ours. Perhaps a part of it was lost: copy it from the mail once more.',
} as const;

/** The link works no more, why, and how to get another. */
export function deadVerifyPage(state: keyof typeof WHY): Answer {
  return page(
    { title: 'The link does not work', visitor: undefined, status: state === 'unknown' ? 404 : 410 },
    <>
      <h1>The link does not work</h1>
      <p class="refusal" role="alert">
        {WHY[state]}
      </p>
      {state === 'used' && (
        <p>
          If you activated your account with it, <a href="/login">log in</a>.
        </p>
      )}
      <p>To get a new link, give the address you signed up with:</p>
      <ResendForm state={{}} />
    </>,
  );
}
