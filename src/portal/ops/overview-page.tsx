import { renderToString } from 'preact-render-to-string';
import type { Visitor } from '../../accounts/sessions.service.js';
import type { Answer } from '../../http/answer.js';
import { utc } from '../shell/moment.js';
import { count } from '../usage/words.js';
import { boundText } from './bound-text.js';
import { ownText } from './diagnosis-text.js';
import { NoSuppliers } from './no-suppliers.js';
import { opsPage } from './ops-page.js';
import type { Overview } from './overview.service.js';

/** What needs a person now, and how much is going on; kept up to date by a script, if there is one. */
export function overviewPage(visitor: Visitor, overview: Overview): Answer {
  return opsPage(
    { title: 'Operations', visitor, area: '/ops', scripts: ['ops-live.js'] },
    <>
      <h1>Operations</h1>
      <div id="live">
        <Now overview={overview} />
      </div>
    </>,
  );
}

/** The part of the overview that changes, as HTML. */
export function overviewPart(overview: Overview): string {
  return renderToString(<Now overview={overview} />);
}

function Now({ overview }: { overview: Overview }) {
  const { tasks, facts, requests, bookings, partial, p95, switched } = overview;
  return (
    <>
      <h2>Needs a person now</h2>
      {facts.suppliers.length === 0 && <NoSuppliers />}
      {tasks.length === 0 && facts.suppliers.length > 0 && (
        <p>
          <span class="badge good">Nothing</span> No supplier fails, and nothing waits for a decision.
        </p>
      )}
      <ul class="tasks">
        {tasks.map(({ tone, what, text, path }) => (
          <li key={`${what} ${text}`}>
            <span class={`badge ${tone}`}>{what}</span> <a href={path}>{text}</a>
          </li>
        ))}
      </ul>
      <p class="quiet">{ownText(facts.own)}</p>
      {switched.off + switched.planned > 0 && (
        <p>
          <a href="/ops/switches">
            Switched off by operators: {count(switched.off)} now, {count(switched.planned)} planned
          </a>
        </p>
      )}
      <h2>Last hour</h2>
      <div class="small-plots">
        <Plot name="Requests" values={requests} said={`${count(sumOf(requests))} in the last hour`} />
        <Plot
          name="Partial searches (206)"
          values={partial}
          said={`last: ${lastOf(partial, (value) => `${value.toFixed(1)} %`)}`}
        />
        <Plot name="Response time (p95)" values={p95} said={`last: ${lastOf(p95, boundText)}`} />
        <Plot name="Bookings" values={bookings} said={`${count(sumOf(bookings))} in the last hour`} />
      </div>
      <p class="quiet">As of {utc(facts.now)}. Requests of the last seconds may be missing.</p>
    </>
  );
}

function Plot({ name, values, said }: { name: string; values: readonly (number | null)[]; said: string }) {
  const most = Math.max(1, ...values.map((value) => (Number.isFinite(value) ? Number(value) : 0)));
  // What has no bound is as high as the plot.
  const heightOf = (value: number | null): number => Math.round(Math.min(1, (value ?? 0) / most) * 100);
  return (
    <figure>
      <figcaption>
        {name} <span class="quiet">{said}</span>
      </figcaption>
      <svg
        class="stack"
        viewBox={`0 0 ${values.length * 10} 100`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${name} by minute: ${said}`}
      >
        {values.map((value, index) => (
          <rect
            key={index}
            class="bar"
            x={index * 10 + 1}
            y={100 - heightOf(value)}
            width="8"
            height={heightOf(value)}
          />
        ))}
      </svg>
    </figure>
  );
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

function lastOf(values: readonly (number | null)[], format: (value: number) => string): string {
  const last = values.findLast((value) => value !== null);
  return last === undefined || last === null ? 'none' : format(last);
}
