import type { Visitor } from '../../accounts/sessions.service.js';
import type { Answer } from '../../http/answer.js';
import { page } from '../shell/page.js';

/** What Forecourt is, and the next step: sign up, or go on. */
export function startPage(visitor: Visitor | undefined): Answer {
  return page(
    { title: 'One API over many car-rental suppliers', visitor, section: '/' },
    <>
      <h1>One API over many car-rental suppliers</h1>
      <p class="lead">
        Forecourt asks all suppliers at once, gives you one clean answer, and says plainly which supplier gave nothing
        and why. It books without doubling.
      </p>
      <p class="actions">
        {visitor ? (
          <a class="button" href="/applications">
            Your applications
          </a>
        ) : (
          <a class="button" href="/signup">
            Sign up
          </a>
        )}
        <a href="/docs">Read the docs</a>
      </p>
      <ol class="steps">
        <li>
          <strong>Sign up</strong> with name and e-mail, and follow the link in the mail.
        </li>
        <li>
          <strong>Create an application</strong>: it gets a client id and a client secret.
        </li>
        <li>
          <strong>Subscribe</strong> to the products you want to call.
        </li>
        <li>
          <strong>Try it</strong> in the console: a first answer, then one in which a supplier fails.
        </li>
      </ol>
    </>,
  );
}
