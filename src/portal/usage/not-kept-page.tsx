import type { Visitor } from '../../accounts/sessions.service.js';
import type { Config } from '../../config/config.module.js';
import type { Answer } from '../../http/answer.js';
import { page } from '../shell/page.js';
import { count } from './words.js';

/** Every gateway writes requests within this time after the response. */
const WRITTEN_WITHIN_SECONDS = 2;
/** After at most one second, browsers replace the page in their history, so that Back leads to where the reader came from. */
const RELOAD_AFTER_SECONDS = 1;

/**
 * The page for an unknown request or another account's: possible reasons and what to do. On the first visit, the reader may
 * come straight from the response, so the browser reloads the page until the request must have been written. `reloads`: how often it has.
 */
export function notKeptPage(
  visitor: Visitor,
  id: string,
  reloads: number,
  { days, perApplication, perSecond }: Config['records'],
): Answer {
  const path = `/logs/${encodeURIComponent(id)}`;
  const isOver = reloads * RELOAD_AFTER_SECONDS >= WRITTEN_WITHIN_SECONDS;
  const refresh = `${RELOAD_AFTER_SECONDS};url=${path}?again=${reloads + 1}`;
  const headers: Record<string, string> = isOver ? {} : { refresh };
  return page(
    { title: 'Request not found', visitor, section: '/logs', status: 404, styles: ['usage.css'], headers },
    <>
      <h1>Request not found</h1>
      <p class="lead">
        None of your applications has a logged request <code>{id}</code>
        {isOver ? '.' : ' yet. This page reloads automatically in a moment.'}
      </p>
      <p class="actions">
        <a class="button" href={path}>
          Reload
        </a>
        <a href="/logs">View all logs</a>
      </p>
      <h2>Possible reasons</h2>
      <ul class="steps">
        <li>
          <strong>It's too recent.</strong> Requests are logged within {WRITTEN_WITHIN_SECONDS} seconds of the response.
          Reload this page.
        </li>
        <li>
          <strong>It was sampled out.</strong> Each gateway logs up to {count(perSecond)} requests per second, failures
          and partial responses first. The <a href="/usage">usage page</a> counts all requests.
        </li>
        <li>
          <strong>It's too old.</strong> The log keeps {days} days and the newest {count(perApplication)} requests per
          application.
        </li>
        <li>
          <strong>It had no valid token</strong>, so it can't be linked to your account.
        </li>
        <li>
          <strong>The id is wrong.</strong> Copy it from the <code>X-Request-Id</code> header of the response.
        </li>
      </ul>
    </>,
  );
}
