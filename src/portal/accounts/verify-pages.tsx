import type { Answer } from '../../http/answer.js';
import { page } from '../shell/page.js';
import { LinkSecret } from './link-page.js';
import { ResendForm } from './sign-up-pages.js';

/** The link is valid. Only the button activates the account, because mail scanners open links. */
export function verifyPage(secret: string, email: string): Answer {
  return page(
    { title: 'Activate your account', visitor: undefined },
    <>
      <h1>Activate your account</h1>
      <p>
        This activates the account for <strong>{email}</strong>. If you didn't sign up, close this page.
      </p>
      <form method="post" action="/verify">
        <LinkSecret secret={secret} />
        <button type="submit">Activate account</button>
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
    { title: 'Invalid link', visitor: undefined, status: state === 'unknown' ? 404 : 410 },
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
