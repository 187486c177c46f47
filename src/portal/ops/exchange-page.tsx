import type { Visitor } from '../../accounts/sessions.service.js';
import type { Answer } from '../../http/answer.js';
import type { MaskedExchange } from '../../metrics/failed-exchanges.js';
import type { KeptExchange, ListedFailure } from '../../records/failed-exchange-log.js';
import { utc } from '../shell/moment.js';
import { ms } from '../usage/words.js';
import { operationWords, shortWords } from './failure-words.js';
import { FailuresTable } from './failures-table.js';
import { fixtureCommand } from './fixture.js';
import { opsPage } from './ops-page.js';

const MOST_SHOWN = 8_000;

/** Kept failures, newest first. `filter`: what they were searched by, in words; undefined = all. */
export function failuresPage(visitor: Visitor, failures: readonly ListedFailure[], filter: string | undefined): Answer {
  return opsPage(
    { title: 'Failed exchanges', visitor, area: '/ops/failures' },
    <>
      <h1>Failed exchanges</h1>
      <p class="quiet">
        What was sent and received in failed operations, masked. Of each supplier and operation, the newest 50 of the
        last 24 hours are kept.
      </p>
      {filter !== undefined && (
        <p>
          Only {filter}. <a href="/ops/failures">Show all</a>
        </p>
      )}
      <FailuresTable failures={failures} hasSupplier />
    </>,
  );
}

/** One failed operation: what was sent, what came back, and how to replay it. */
export function exchangePage(visitor: Visitor, kept: KeptExchange): Answer {
  const { id, at, supplier, operation, cause, why, durationMs, requestId, exchanges } = kept;
  return opsPage(
    { title: `Failed exchange with ${supplier}`, visitor, area: '/ops/failures' },
    <>
      <p class="quiet crumb">
        <a href="/ops/suppliers">Suppliers</a> /{' '}
        <a href={`/ops/suppliers/${encodeURIComponent(supplier)}`}>{supplier}</a> / {id}
      </p>
      <h1>{`${supplier}: ${operationWords(operation)}, ${shortWords(cause)}`}</h1>
      <dl class="facts">
        <dt>Time</dt>
        <dd>{utc(at)}</dd>
        <dt>Failed after</dt>
        <dd>{ms(durationMs)}</dd>
        <dt>Why</dt>
        <dd>{why}</dd>
        <dt>Request</dt>
        <dd>
          <a href={`/ops/requests/${encodeURIComponent(requestId)}`}>
            <code>{requestId}</code>
          </a>
        </dd>
      </dl>
      {exchanges.length === 0 && <p>Nothing was sent.</p>}
      {exchanges.map((exchange, index) => (
        <Exchange key={index} exchange={exchange} number={index + 1} id={id} />
      ))}
      {exchanges.some(({ status }) => status !== null) && (
        <>
          <h2>Replay</h2>
          <p>
            Download the answers, save the request to a file, and run the adapter against them without calling the
            supplier:
          </p>
          <pre class="wrapped">
            <code>{fixtureCommand(kept)}</code>
          </pre>
        </>
      )}
      <p class="quiet">Headers aren't kept. Names, cards and secrets are masked: x is a letter, 0 a digit.</p>
    </>,
  );
}

function Exchange({ exchange, number, id }: { exchange: MaskedExchange; number: number; id: number }) {
  const { method, path, sent, status, contentType, received } = exchange;
  return (
    <section class="card">
      <h2>
        Call {number}: {method} <code>{path}</code>
      </h2>
      {sent !== '' && (
        <>
          <h3>Sent</h3>
          <pre class="wrapped">
            <code>{shown(sent)}</code>
          </pre>
        </>
      )}
      <h3>{status === null ? 'No answer' : `Received: ${status} ${contentType}`}</h3>
      {received !== '' && (
        <pre class="wrapped">
          <code>{shown(received)}</code>
        </pre>
      )}
      {status !== null && (
        <p>
          <a href={`/ops/failures/${id}/answers/${number}`} download>
            Download this answer
          </a>
        </p>
      )}
    </section>
  );
}

/** Readable JSON, cut for the page. */
function shown(text: string): string {
  let readable = text;
  try {
    readable = JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    // Not JSON, or cut: shown as it is.
  }
  return readable.length > MOST_SHOWN ? `${readable.slice(0, MOST_SHOWN)}…` : readable;
}
