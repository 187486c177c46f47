import type { Visitor } from '../../accounts/sessions.service.js';
import type { OwnApplication } from '../../auth/own-applications.js';
import type { Answer } from '../../http/answer.js';
import type { Percentiles } from '../../records/request-log.js';
import { assetPath } from '../shell/assets.js';
import { utc } from '../shell/moment.js';
import { page } from '../shell/page.js';
import { ScrollingTable } from '../shell/scrolling-table.js';
import { PERIODS, type PeriodName } from './periods.js';
import { AnswerCells, AnswerHeads, ByOperation, KIND_NAMES, percent } from './usage-tables.js';
import { ANSWER_KINDS, type UsageView } from './usage-view.js';
import { count, ms, share } from './words.js';

/** What was chosen: which applications, which period; instants are epoch milliseconds. */
export interface UsageChoice {
  readonly own: readonly OwnApplication[];
  /** Undefined = all of them. */
  readonly application: string | undefined;
  readonly period: PeriodName;
  readonly from: number;
  readonly now: number;
}

/** What an application has used of its calls of this UTC day; `perDay` undefined = it has no such limit. */
export interface Quota {
  readonly name: string;
  readonly used: number;
  readonly perDay: number | undefined;
}

/** How the applications of an account use the API: numbers first, then the same over time and by operation. */
export function usagePage(
  visitor: Visitor,
  choice: UsageChoice,
  view: UsageView,
  percentiles: readonly Percentiles[],
  quotas: readonly Quota[],
): Answer {
  const facts = {
    title: 'Usage',
    visitor,
    section: '/usage',
    styles: ['uplot.css', 'usage.css'],
    scripts: view.total.calls > 0 ? ['charts.js'] : [],
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
          <ByOperation view={view} percentiles={percentiles} />
        </>
      )}
    </>,
  );
}

function NoApplication() {
  return (
    <>
      <p class="lead">
        Here you will see how often your applications call the API, how it answered, and how long that took.
      </p>
      <p class="actions">
        <a class="button" href="/applications">
          Create an application
        </a>
        <span class="quiet">It takes a name; then you can call the API at once.</span>
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
          Make a first call in the console
        </a>
        <span class="quiet">It shows up here a few seconds later.</span>
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
        name="206 share"
        value={percent(total.partialShare)}
        note="of the answered searches by GET: a supplier gave nothing"
      />
      <Tile name="Mean time" value={ms(total.meanMs)} note="over all calls, exact" />
      <Tile
        name="Look-to-book"
        value={books === 0 ? '–' : `${count(Math.round(looks / books))} : 1`}
        note={`${count(looks)} availability searches, ${count(books)} bookings`}
      />
      <Tile
        name="Over the limit"
        value={count(total.limited)}
        note={`answers 429, ${share(total.limited, total.calls)} of all calls`}
      />
      {quotas.map(({ name, used, perDay }) =>
        perDay === undefined ? null : (
          <Tile
            key={name}
            name={`Today, ${name}`}
            value={share(used, perDay)}
            note={`${count(used)} of ${count(perDay)} calls of this UTC day`}
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
    'data-from': Math.floor(choice.from / 1000),
    'data-to': Math.floor(choice.now / 1000),
    'data-step': stepSeconds,
  };
  const step = stepSeconds < 3_600 ? `${stepSeconds / 60} min` : `${stepSeconds / 3_600} h`;
  return (
    <section class="charts" {...data}>
      <h2>
        Last {name}, step {step}
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
        <figcaption>Calls by answer</figcaption>
      </figure>
      <figure data-chart="line" data-columns="mean" data-unit="ms">
        <figcaption>Mean time of a call</figcaption>
      </figure>
      <figure data-chart="line" data-columns="share" data-unit="%">
        <figcaption>206 share of searches</figcaption>
      </figure>
      <details open>
        <summary>The same as a table</summary>
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
        <p class="quiet">Times are UTC. Steps without calls are left out.</p>
      </details>
    </section>
  );
}
