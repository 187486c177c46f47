import { Answer } from '../../http/answer.js';

/**
 * A part of a page as server-sent events with one event per connection: the browser connects again after `retryMs`. So the session is checked each time, no connection
 * stays open, and a restart of the gateway is not noticed.
 */
export function livePart(html: string, retryMs: number): Answer {
  const lines = html.split(/\r?\n|\r/).map((line) => `data: ${line}\n`);
  const headers = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store' };
  return new Answer(200, `retry: ${retryMs}\n${lines.join('')}\n`, headers);
}
