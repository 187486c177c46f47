import type { Visitor } from '../../accounts/sessions.service.js';
import type { Answer } from '../../http/answer.js';
import type { ListedFailure } from '../../records/failed-exchange-log.js';
import type { ApplicationCalls, TimelinePoint } from '../../records/supplier-timeline.js';
import { CardTable } from '../shell/card-table.js';
import type { FormState } from '../shell/field.js';
import { Moment, utc, utcMinute } from '../shell/moment.js';
import { ScrollingTable } from '../shell/scrolling-table.js';
import { count } from '../usage/words.js';
import { boundText } from './bound-text.js';
import { operationWords, shortWords } from './failure-words.js';
import { FailuresTable } from './failures-table.js';
import { Findings } from './findings.js';
import { countedSinceOf, sampleText } from './known-calls.js';
import { opsPage } from './ops-page.js';
import { OtherCommands } from './other-commands.js';
import { SPANS, type SpanName } from './spans.js';
import { StackLegend, StackPlot, words } from './stack-plot.js';
import { type SupplierChange, type SupplierFacts, type SuppliersFacts, stackOf } from './supplier-facts.service.js';
import { Breakers, StateBadge } from './suppliers-page.js';
import { SwitchForm } from './switch-form.js';

/** Everything on a supplier's page. */
export interface SupplierView {
  readonly facts: SuppliersFacts;
  readonly supplier: SupplierFacts;
  readonly span: SpanName;
  readonly points: readonly TimelinePoint[];
  /** By the minute from which on they are counted. */
  readonly applications: ReadonlyMap<number, readonly ApplicationCalls[]>;
  readonly failures: readonly ListedFailure[];
  readonly changes: readonly SupplierChange[];
}

/** One supplier: what is unusual, the switch, its timeline, whom it affects, and its last failures and changes. */
export function supplierPage(
  visitor: Visitor,
  { facts, supplier, span, points, applications, failures, changes }: SupplierView,
  { notice, state = {} }: { readonly notice?: string | undefined; readonly state?: FormState },
): Answer {
  const { name, id } = supplier;
  const status = state.problems === undefined ? 200 : 400;
  const from = countedSinceOf(supplier.problems[0], facts.now);
  return opsPage(
    { title: name, visitor, area: '/ops/suppliers', notice, status },
    <>
      <p class="quiet crumb">
        <a href="/ops/suppliers">Suppliers</a> / <code>{id}</code>
      </p>
      <h1 class="verdict">
        {name} <span class={`badge ${supplier.state === 'live' ? 'good' : 'partial'}`}>{supplier.state}</span>
      </h1>
      <p class="quiet">As of {utc(facts.now).slice(11)}. Calls of the last seconds may be missing.</p>
      {supplier.isSet && (
        <p>
          State: <StateBadge supplier={supplier} />
        </p>
      )}
      <Findings
        supplier={supplier}
        applications={applications}
        now={facts.now}
        own={facts.own}
        others={facts.suppliers.filter((one) => one.id !== id)}
      />
      <SwitchForm supplier={supplier} state={state} now={facts.now} />
      <Timeline id={id} span={span} points={points} now={facts.now} />
      <Operations points={points} supplier={supplier} span={SPANS[span].text} />
      <Applications rows={applications.get(from) ?? []} from={from} hasProblem={supplier.problems.length > 0} />
      <h2>Last failures</h2>
      <p class="quiet">{sampleText(failures, points, SPANS[span].text, facts.now - SPANS[span].lengthMs)}</p>
      <FailuresTable failures={failures} hasSupplier={false} />
      <Changes changes={changes} />
      <OtherCommands
        of={[
          ['Plan a maintenance', `planSupplierMaintenance?supplier=${id}`],
          ['Switch one of its brands off', 'switchOff?kind=brand'],
          ['Post a notice on the status page', `openIncident?part=${id}`],
        ]}
      />
    </>,
  );
}

function Timeline({
  id,
  span,
  points,
  now,
}: {
  id: string;
  span: SpanName;
  points: readonly TimelinePoint[];
  now: number;
}) {
  const { stepSeconds, lengthMs } = SPANS[span];
  const step = stepSeconds * 1_000;
  const first = Math.floor((now - lengthMs) / step) * step + step;
  const instants = Array.from({ length: Math.round(lengthMs / step) }, (_, index) => first + index * step);
  const byStep = Map.groupBy(points, ({ at }) => at);
  const stacks = instants.map((at) => stackOf(byStep.get(at) ?? []));
  const names = instants.map((at) => utcMinute(at));
  return (
    <section class="timeline">
      <h2>Timeline</h2>
      <nav aria-label="Period" class="periods">
        {Object.entries(SPANS).map(([name, { text }]) => (
          <a
            key={name}
            href={`/ops/suppliers/${encodeURIComponent(id)}?span=${name}`}
            aria-current={span === name ? 'true' : undefined}
          >
            {text}
          </a>
        ))}
      </nav>
      <StackPlot
        stacks={stacks}
        names={names}
        label={`Calls of the last ${SPANS[span].text} by outcome; see the table for the numbers.`}
      />
      <p class="axis-times quiet">
        <span>{names[0]}</span>
        <span>{names.at(-1)}</span>
      </p>
      <StackLegend stacks={stacks} />
      <details>
        <summary>Show as table</summary>
        <ScrollingTable label="Calls over time">
          <tbody>
            {instants.toReversed().flatMap((at, index) => {
              const stack = stacks[instants.length - 1 - index];
              return stack === undefined || Object.keys(stack).length === 0
                ? []
                : [
                    <tr key={at}>
                      <th scope="row">{utcMinute(at)}</th>
                      <td>{words(stack)}</td>
                    </tr>,
                  ];
            })}
          </tbody>
        </ScrollingTable>
      </details>
    </section>
  );
}

function Operations({
  points,
  supplier,
  span,
}: {
  points: readonly TimelinePoint[];
  supplier: SupplierFacts;
  span: string;
}) {
  const byOperation = [...Map.groupBy(points, ({ operation }) => operation)];
  return (
    <>
      <h2>Operations</h2>
      <dl class="facts">
        <dt>Breakers</dt>
        <dd>
          <Breakers supplier={supplier} />
        </dd>
        {supplier.certificateEnd !== undefined && !supplier.problems.some(({ kind }) => kind === 'tls') && (
          <>
            <dt>Certificate</dt>
            <dd>
              expires <Moment at={supplier.certificateEnd} />
            </dd>
          </>
        )}
        <dt>Responses in the last 10 minutes</dt>
        <dd>
          {supplier.p50 === undefined
            ? 'none'
            : `half ${boundText(supplier.p50)}, 95 % ${boundText(supplier.p95 ?? 0)}`}
        </dd>
      </dl>
      <p class="quiet">The table counts the calls of the period above: {span}.</p>
      {byOperation.length > 0 && (
        <CardTable
          label="Operations"
          columns={[{ name: 'Operation' }, { name: 'Calls', kind: 'number' }, { name: 'Outcomes', kind: 'change' }]}
          rows={byOperation.map(([operation, rows]) => ({
            key: operation,
            cells: [operationWords(operation), count(callsOf(rows)), outcomesOf(rows)],
          }))}
        />
      )}
    </>
  );
}

function outcomesOf(rows: readonly { readonly cause: string; readonly calls: number }[]): string {
  const byCause = [...Map.groupBy(rows, ({ cause }) => cause)].map(
    ([cause, same]) => [cause, same.reduce((sum, { calls }) => sum + calls, 0)] as const,
  );
  return byCause
    .sort(([, one], [, other]) => other - one)
    .map(([cause, calls]) => `${count(calls)} ${cause === 'answered' ? 'answered' : shortWords(cause)}`)
    .join(', ');
}

/** Who calls it, and how that ended: since the problem began, or in the last hour. */
function Applications({
  rows,
  from,
  hasProblem,
}: {
  rows: readonly ApplicationCalls[];
  from: number;
  hasProblem: boolean;
}) {
  const groups = [...Map.groupBy(rows, ({ applicationId, operation }) => `${applicationId} ${operation}`).values()];
  return (
    <>
      <h2>Applications</h2>
      <p class="quiet">
        Calls since {utcMinute(from)}
        {hasProblem ? ', as in the diagnosis above' : ' (the last hour)'}.
      </p>
      {groups.length === 0 && <p>No application called it.</p>}
      {groups.length > 0 && (
        <CardTable
          label="Applications"
          columns={[
            { name: 'Application' },
            { name: 'Operation' },
            { name: 'Calls', kind: 'number' },
            { name: 'Outcomes', kind: 'change' },
          ]}
          rows={groups.map((group) => ({
            key: `${group[0]?.applicationId} ${group[0]?.operation}`,
            cells: applicationCells(group),
          }))}
        />
      )}
    </>
  );
}

function applicationCells(group: readonly ApplicationCalls[]) {
  const { applicationId = '', name = '', operation = '' } = group[0] ?? {};
  return [
    applicationId === '' ? (
      'others, or background work'
    ) : (
      <a href={`/ops/requests?application=${encodeURIComponent(applicationId)}`}>{name || applicationId}</a>
    ),
    operationWords(operation),
    count(callsOf(group)),
    outcomesOf(group),
  ];
}

function callsOf(rows: readonly { readonly calls: number }[]): number {
  return rows.reduce((sum, { calls }) => sum + calls, 0);
}

function Changes({ changes }: { changes: readonly SupplierChange[] }) {
  return (
    <>
      <h2>Changes</h2>
      {changes.length === 0 && <p>No operator changed its state.</p>}
      <ul class="events">
        {changes.map(({ at, who, before, after, until, reason }) => (
          <li key={at}>
            <Moment at={at} /> <strong>{who}</strong>: {before ?? 'as in its file'} → {after ?? 'as in its file'}
            {until !== null && (
              <>
                {' '}
                until <Moment at={until} />
              </>
            )}
            {reason !== null && `. ${reason}`}
          </li>
        ))}
      </ul>
    </>
  );
}
