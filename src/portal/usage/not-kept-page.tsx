import type { Visitor } from '../../accounts/sessions.service.js';
import type { Config } from '../../config/config.module.js';
import type { Answer } from '../../http/answer.js';
import { page } from '../shell/page.js';
import { count } from './words.js';

/** There is no such request, as far as this account may know: why that may be, and what to do. */
export function notKeptPage(visitor: Visitor, id: string, { days, perApplication, perSecond }: Config['records']): Answer {
  const path = `/requests/${encodeURIComponent(id)}`;
  return page(
    { title: 'Request not found', visitor, section: '/requests', status: 404, styles: ['usage.css'] },
    <>
      <h1>Request not found</h1>
      <p class="lead">
        No request <code>{id}</code> of your applications is kept.
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
          <strong>It was answered a moment ago.</strong> Requests are written within two seconds after their answer: look again.
        </li>
        <li>
          <strong>It was one of many.</strong> A gateway keeps {count(perSecond)} requests a second, failures and partial answers first. All
          are counted on the <a href="/usage">usage page</a>.
        </li>
        <li>
          <strong>It is older</strong> than {days} days, or than the newest {count(perApplication)} requests of its application.
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
