import type { Visitor } from '../../accounts/sessions.service.js';
import type { OwnApplication } from '../../auth/own-applications.js';
import type { Answer } from '../../http/answer.js';
import type { CallRecord, ExchangeRecord, RequestRecord, TracedEntry } from '../../records/request-record.js';
import { warningMeaning } from '../../suppliers/warning-meaning.js';
import { StateBadge, stateMeaning } from '../reservations/state-words.js';
import { CardTable } from '../shell/card-table.js';
import { CopyButton } from '../shell/copy-button.js';
import { utc } from '../shell/moment.js';
import { page } from '../shell/page.js';
import { ScrollingTable } from '../shell/scrolling-table.js';
import { meaningOf, nextStep } from './causes.js';
import { explanation } from './explanation.js';
import { Status } from './status.js';
import { callName, Outcome, Waterfall } from './waterfall.js';
import { count, ms, operationName, statusWords } from './words.js';

type NameOf = (supplier: string) => string;

/** The entry that a 202 would have. */
const UNKNOWN_OUTCOME: TracedEntry = { reason: 'supplier_failure', cause: 'outcome_unknown' };

/** What the page of a request shows. */
export interface ExplainedRequest {
  readonly visitor: Visitor;
  readonly own: readonly OwnApplication[];
  readonly record: RequestRecord;
  /** The reservation that it was about, with its state now; undefined: of none, or it is unknown. */
  readonly reservation: { readonly id: string; readonly state: string } | undefined;
}

/** Explains the response to one request: in words, as a waterfall, in numbers, and what to do next. */
export function explainPage({ visitor, own, record, reservation }: ExplainedRequest, nameOf: NameOf): Answer {
  const { status, trace, durationMs } = record;
  const [first, ...more] = explanation(record, nameOf);
  return page(
    { title: `${status} ${statusWords(status).text}`, visitor, section: '/logs', styles: ['usage.css'] },
    <>
      <p class="quiet crumb">
        <a href="/logs">Logs</a> / <code>{record.requestId}</code>
      </p>
      <h1 class="verdict">
        <Status status={status} /> {statusWords(status).text}
      </h1>
      <p class="lead">
        {first} It took {ms(durationMs)}.
      </p>
      {more.length > 0 && (
        <ul class="bullets">
          {more.map((sentence) => (
            <li key={sentence}>{sentence}</li>
          ))}
        </ul>
      )}
      {reservation && (
        <p class="card about">
          Reservation{' '}
          <a href={`/reservations/${reservation.id}`}>
            <code>{reservation.id}</code>
          </a>{' '}
          is now <StateBadge state={reservation.state} /> <span class="quiet">{stateMeaning(reservation.state)}</span>
        </p>
      )}
      <NextSteps entries={trace.entries} status={status} />
      <h2>Timing</h2>
      <Waterfall record={record} nameOf={nameOf} />
      {trace.calls.length > 0 && (
        <>
          <p class="quiet">In milliseconds. A call with several HTTP requests has one row per request.</p>
          <Numbers calls={trace.calls} nameOf={nameOf} />
        </>
      )}
      <Warnings calls={trace.calls} nameOf={nameOf} />
      <Entries entries={trace.entries} nameOf={nameOf} />
      <Facts own={own} record={record} />
    </>,
  );
}

function NextSteps({ entries, status }: { entries: readonly TracedEntry[]; status: number }) {
  const allEntries = status === 202 ? [...entries, UNKNOWN_OUTCOME] : entries;
  const steps = new Map(allEntries.map((entry) => [`${entry.field} ${nextStep(entry)}`, entry]));
  if (steps.size === 0) return null;
  return (
    <section class="card next">
      <h2>What to do next</h2>
      <ul>
        {[...steps].map(([key, entry]) => (
          <li key={key}>
            {entry.field !== undefined && (
              <>
                <code>{entry.field}</code>:{' '}
              </>
            )}
            {nextStep(entry)}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Numbers({ calls, nameOf }: { calls: readonly CallRecord[]; nameOf: NameOf }) {
  const heads = ['Started', 'Queued', 'First byte', 'Receiving', 'Parsing', 'Total', 'Deadline'];
  return (
    <ScrollingTable label="Supplier call timings" class="numbers">
      <thead>
        <tr>
          <th scope="col">Supplier</th>
          <th scope="col">Outcome</th>
          {heads.map((head) => (
            <th key={head} scope="col" class="number">
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {calls.flatMap((call, index) =>
          steps(call).map((exchange, step, all) => (
            <tr key={`${index}.${step}`}>
              <th scope="row">
                {nameOf(call.supplier)} {call.brand}{' '}
                <span class="quiet">
                  {callName(call)} {all.length > 1 && `step ${step + 1}`}
                </span>
              </th>
              <td>{step === all.length - 1 && <Outcome call={call} />}</td>
              <Cells call={call} exchange={exchange} isLast={step === all.length - 1} />
            </tr>
          )),
        )}
      </tbody>
    </ScrollingTable>
  );
}

/** A call without any exchange still has one row. */
function steps(call: CallRecord): readonly (ExchangeRecord | undefined)[] {
  return call.exchanges.length === 0 ? [undefined] : call.exchanges;
}

function Cells({
  call,
  exchange,
  isLast,
}: {
  call: CallRecord;
  exchange: ExchangeRecord | undefined;
  isLast: boolean;
}) {
  const [queued = call.startMs, sent = null, firstByte = null, ended = null] = exchange ?? [];
  const between = (from: number | null, to: number | null): number | null =>
    from === null || to === null ? null : to - from;
  const values = [
    queued,
    between(queued, sent),
    between(sent, firstByte),
    between(firstByte, ended),
    isLast ? between(ended, call.endMs ?? null) : null,
    isLast ? between(call.startMs, call.endMs ?? null) : null,
    isLast ? call.timeoutMs : null,
  ];
  return (
    <>
      {values.map((value, index) => (
        <td key={index} class="number">
          {value === null ? '–' : number(value)}
        </td>
      ))}
    </>
  );
}

function number(value: number): string {
  return Math.abs(value) < 100 ? value.toFixed(1) : count(value);
}

function Warnings({ calls, nameOf }: { calls: readonly CallRecord[]; nameOf: NameOf }) {
  const rows = calls.flatMap((call) =>
    Object.entries(call.warnings ?? {}).map(([kind, times]) => ({ call, kind, times })),
  );
  if (rows.length === 0) return null;
  return (
    <>
      <h2>Warnings</h2>
      <CardTable
        label="Warnings"
        columns={[{ name: 'Supplier' }, { name: 'Times', kind: 'number' }, { name: 'Warning', kind: 'change' }]}
        rows={rows.map(({ call, kind, times }, index) => ({
          key: index,
          cells: [
            <>
              {nameOf(call.supplier)} {call.brand} <span class="quiet">{callName(call)}</span>
            </>,
            count(times),
            <>
              <code>{kind}</code> <span class="quiet">{warningMeaning(kind)}</span>
            </>,
          ],
        }))}
      />
    </>
  );
}

function Entries({ entries, nameOf }: { entries: readonly TracedEntry[]; nameOf: NameOf }) {
  if (entries.length === 0) return null;
  return (
    <>
      <h2>Errors returned</h2>
      <CardTable
        label="Errors returned"
        columns={[
          { name: 'Reason' },
          { name: 'Supplier' },
          { name: 'Cause' },
          { name: 'Field' },
          { name: 'Meaning', kind: 'change' },
        ]}
        rows={entries.map((entry, index) => ({
          key: index,
          cells: [
            <a href={`/docs/errors#${entry.reason}`}>
              <code>{entry.reason}</code>
            </a>,
            entry.supplier && [nameOf(entry.supplier), entry.brand].filter(Boolean).join(' '),
            entry.cause && <code>{entry.cause}</code>,
            entry.field && <code>{entry.field}</code>,
            meaningOf(entry.reason),
          ],
        }))}
      />
      <p class="quiet">
        The log doesn't store your request values, error details or supplier messages. See the response you received.
      </p>
    </>
  );
}

function Facts({ own, record }: { own: readonly OwnApplication[]; record: RequestRecord }) {
  const { applicationId, at, requestId, operation, trace } = record;
  const application = own.find(({ id }) => id === applicationId);
  const [source = '', scenario] = trace.scenario?.split(': ', 2) ?? [];
  const again = new URLSearchParams({
    application: applicationId,
    operation,
    ...(scenario && source !== 'place' ? { scenario } : {}),
  });
  return (
    <>
      <h2>Request details</h2>
      <dl class="facts">
        <dt>Request id</dt>
        <dd>
          <code id="request-id">{requestId}</code> <CopyButton from="request-id" />
        </dd>
        <dt>Received</dt>
        <dd>{utc(at)}</dd>
        <dt>Application</dt>
        <dd>
          <a href={`/applications/${applicationId}`}>{application?.name ?? applicationId}</a>
        </dd>
        <dt>Operation</dt>
        <dd>
          {operationName(operation)}
          {trace.version !== undefined && `, ${trace.version}`}
        </dd>
        <dt>Time budget</dt>
        <dd>{ms(trace.budgetMs)}</dd>
        <dt>Scenario</dt>
        <dd>{trace.scenario === undefined ? 'none' : <code>{trace.scenario}</code>}</dd>
      </dl>
      <p class="actions">
        {application?.environment !== 'production' && (
          <a class="button second" href={`/console?${again}`}>
            Try it in the console
          </a>
        )}
        <a href="/docs/usage">What is recorded and for how long</a>
      </p>
    </>
  );
}
