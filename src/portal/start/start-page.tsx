import type { Visitor } from '../../accounts/sessions.service.js';
import { type Page, page } from '../shell/page.js';

/** What Forecourt is, and the next step: sign up or go to your applications. */
export function startPage(visitor: Visitor | undefined): Page {
  return page(
    { title: 'One API over many car-rental suppliers', visitor, section: '/' },
    <>
      <h1>One API over many car-rental suppliers</h1>
      <p class="lead">
        Search all suppliers with one call and get one normalized response that reports which suppliers failed and why.
        Retry bookings safely: the same request never books twice.
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
          <strong>Sign up</strong> with your name and email, and follow the link we send you.
        </li>
        <li>
          <strong>Create an application</strong> to get a client id and a client secret.
        </li>
        <li>
          <strong>Subscribe</strong> to the products you want to call.
        </li>
        <li>
          <strong>Try it</strong> in the console: send a search, then simulate a failing supplier.
        </li>
      </ol>
    </>,
  );
}
