import type { Visitor } from '../../accounts/sessions.service.js';
import type { OwnApplication } from '../../auth/own-applications.js';
import type { Answer } from '../../http/answer.js';
import type { OperationDurations } from '../../records/usage-reader.js';
import { assetPath } from '../shell/assets.js';
import { utc } from '../shell/moment.js';
import { page } from '../shell/page.js';
import { ScrollingTable } from '../shell/scrolling-table.js';
import { PERIODS, type PeriodName } from './periods.js';
import { AnswerCells, AnswerHeads, ByOperation, KIND_NAMES, percent } from './usage-tables.js';
import { ANSWER_KINDS, type UsageView } from './usage-totals.js';
import { count, ms, share } from './words.js';

/** The chosen applications and period; instants are epoch milliseconds. */
export interface UsageChoice {
  readonly own: readonly OwnApplication[];
  /** Undefined: all. */
  readonly application: string | undefined;
  readonly period: PeriodName;
  readonly from: number;
  readonly now: number;
}

/** An application's calls on this UTC day and its daily limit, if it has one. */
export interface Quota {
  readonly name: string;
  readonly used: number;
  readonly perDay: number | undefined;
}

/** How an account's applications use the API: totals, then over time and by operation. */
export function usagePage(
  visitor: Visitor,
  choice: UsageChoice,
  view: UsageView,
  durations: readonly OperationDurations[],
  quotas: readonly Quota[],
): Answer {
  const facts = {
    title: 'Usage',
    visitor,
    section: '/usage',
    styles: ['uplot.css', 'usage.css'],
    scripts: view.total.calls > 0 ? ['usage-charts.js'] : [],
  };
  return page(
    facts,
    <>
      <h1>Usage</h1>
      {choice.own.length === 0 ? <NoApplication /> : <Choice choice={choice} />}
      {choice.own.length > 0 && view.total.calls === 0 && <NoCalls choice={choice} />}
      {view.total.calls > 0 && (
        <>
          <Figures view={view} quotas={quotas} />
          <OverTime choice={choice} view={view} />
          <ByOperation view={view} durations={durations} />
        </>
      )}
    </>,
  );
}

function NoApplication() {
  return (
    <>
      <p class="lead">See how often your applications call the API, how it responds, and how long calls take.</p>
      <p class="actions">
        <a class="button" href="/applications">
          Create an application
        </a>
        <span class="quiet">All you need is a name.</span>
      </p>
    </>
  );
}

function NoCalls({ choice }: { choice: UsageChoice }) {
  const query = choice.application === undefined ? '' : `?application=${choice.application}`;
  return (
    <>
      <p class="lead">No calls in the last {PERIODS[choice.period].name}.</p>
      <p class="actions">
        <a class="button" href={`/console${query}`}>
          Make your first call in the console
        </a>
        <span class="quiet">It appears here within a few seconds.</span>
      </p>
    </>
  );
}

function Choice({ choice }: { choice: UsageChoice }) {
  return (
    <form class="filters" method="get" action="/usage">
      <div class="field">
        <label for="application">Application</label>
        <select id="application" name="application">
          <option value="">All applications</option>
          {choice.own.map(({ id, name, environment }) => (
            <option key={id} value={id} selected={choice.application === id}>
              {`${name} (${environment})`}
            </option>
          ))}
        </select>
      </div>
      <div class="field">
        <label for="period">Period</label>
        <select id="period" name="period">
          {Object.entries(PERIODS).map(([name, period]) => (
            <option key={name} value={name} selected={choice.period === name}>
              {`Last ${period.name}`}
            </option>
          ))}
        </select>
      </div>
      <button type="submit">Show</button>
    </form>
  );
}

function Figures({ view, quotas }: { view: UsageView; quotas: readonly Quota[] }) {
  const { total, looks, books } = view;
  return (
    <dl class="tiles">
      <Tile name="Calls" value={count(total.calls)} note={`${share(total.failed, total.calls)} failed (5xx)`} />
      <Tile
        name="Partial responses"
        value={percent(total.partialShare)}
        note="of GET searches returned 206: a supplier failed"
      />
      <Tile name="Mean duration" value={ms(total.meanMs)} note="over all calls" />
      <Tile
        name="Look-to-book"
        value={books === 0 ? '–' : `${count(Math.round(looks / books))} : 1`}
        note={`${count(looks)} availability searches, ${count(books)} bookings`}
      />
      <Tile
        name="Rate limited"
        value={count(total.limited)}
        note={`429 responses, ${share(total.limited, total.calls)} of all calls`}
      />
      {quotas.map(({ name, used, perDay }) =>
        perDay === undefined ? null : (
          <Tile
            key={name}
            name={`Today, ${name}`}
            value={share(used, perDay)}
            note={`${count(used)} of ${count(perDay)} calls per UTC day`}
          />
        ),
      )}
    </dl>
  );
}

function Tile({ name, value, note }: { name: string; value: string; note: string }) {
  return (
    <div class="tile">
      <dt>{name}</dt>
      <dd>
        <strong>{value}</strong>
        <span class="quiet">{note}</span>
      </dd>
    </div>
  );
}

function OverTime({ choice, view }: { choice: UsageChoice; view: UsageView }) {
  const { stepSeconds, name } = PERIODS[choice.period];
  const data = {
    'data-uplot': assetPath('uplot.js'),
    'data-plot-series': assetPath('plot-series.js'),
    'data-from': Math.floor(choice.from / 1000),
    'data-to': Math.floor(choice.now / 1000),
    'data-step': stepSeconds,
  };
  const step = stepSeconds < 3_600 ? `${stepSeconds / 60} min` : `${stepSeconds / 3_600} h`;
  return (
    <section class="charts" {...data}>
      <h2>
        Last {name}, in steps of {step}
      </h2>
      <ul class="kinds">
        {ANSWER_KINDS.map((kind) => (
          <li key={kind}>
            <svg class={`swatch ${kind}`} width="14" height="14" aria-hidden="true">
              <rect width="14" height="14" />
            </svg>
            <span>
              <strong>{count(view.total[kind])}</strong> {KIND_NAMES[kind][0]}{' '}
              <span class="quiet">{KIND_NAMES[kind][1]}</span>
            </span>
          </li>
        ))}
      </ul>
      <figure data-chart="stack" data-columns={ANSWER_KINDS.join(' ')}>
        <figcaption>Calls by response</figcaption>
      </figure>
      <figure data-chart="line" data-columns="mean" data-unit="ms">
        <figcaption>Mean duration</figcaption>
      </figure>
      <figure data-chart="line" data-columns="share" data-unit="%">
        <figcaption>Partial responses (206) of searches</figcaption>
      </figure>
      <details open>
        <summary>Show as table</summary>
        <ScrollingTable label="Calls over time">
          <thead>
            <tr>
              <th scope="col">From</th>
              <AnswerHeads />
            </tr>
          </thead>
          <tbody>
            {view.steps.toReversed().map((row) => (
              <tr key={row.at} data-at={row.at}>
                <th scope="row">{utc(row.at * 1000).slice(0, 16)}</th>
                <AnswerCells row={row} />
              </tr>
            ))}
          </tbody>
        </ScrollingTable>
        <p class="quiet">Times are in UTC. Steps without calls are omitted.</p>
      </details>
    </section>
  );
}
