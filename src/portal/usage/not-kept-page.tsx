import type { Visitor } from '../../accounts/sessions.service.js';
import type { Config } from '../../config/config.module.js';
import type { Answer } from '../../http/answer.js';
import { page } from '../shell/page.js';
import { count } from './words.js';

/** Requests are written within this time after their answer, from whatever gateway it was. */
const WRITTEN_WITHIN_SECONDS = 2;

/**
 * There is no such request, as far as this account may know: why that may be, and what to do. Who comes for the first time (`again` false) comes
 * perhaps straight from the answer: the browser looks again by itself, once.
 */
export function notKeptPage(
  visitor: Visitor,
  id: string,
  again: boolean,
  { days, perApplication, perSecond }: Config['records'],
): Answer {
  const path = `/requests/${encodeURIComponent(id)}`;
  const headers: Record<string, string> = again ? {} : { refresh: `${WRITTEN_WITHIN_SECONDS};url=${path}?again=1` };
  return page(
    { title: 'Request not found', visitor, section: '/requests', status: 404, styles: ['usage.css'], headers },
    <>
      <h1>Request not found</h1>
      <p class="lead">
        No request <code>{id}</code> of your applications is kept
        {again ? '.' : ' yet. This page looks again by itself in a moment.'}
      </p>
      <p class="actions">
        <a class="button" href={path}>
          Look again
        </a>
        <a href="/requests">All requests that are kept</a>
      </p>
      <h2>Why it may be missing</h2>
      <ul class="steps">
        <li>
          <strong>It was answered a moment ago.</strong> Requests are written within {WRITTEN_WITHIN_SECONDS} seconds
          after their answer: look again.
        </li>
        <li>
          <strong>It was one of many.</strong> A gateway keeps {count(perSecond)} requests a second, failures and
          partial answers first. All are counted on the <a href="/usage">usage page</a>.
        </li>
        <li>
          <strong>It is older</strong> than {days} days, or than the newest {count(perApplication)} requests of its
          application.
        </li>
        <li>
          <strong>It carried no valid token</strong>: then nobody knows whose it was.
        </li>
        <li>
          <strong>The id is another one.</strong> It stands in the header <code>X-Request-Id</code> of every answer.
        </li>
      </ul>
    </>,
  );
}
