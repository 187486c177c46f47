import type { ComponentChildren } from 'preact';
import type { Visitor } from '../../accounts/sessions.service.js';
import type { Answer } from '../../http/answer.js';
import { MOST_READ } from '../../reservations/booked-reader.js';
import { DataTable } from '../shell/data-table.js';
import { utcMinute } from '../shell/moment.js';
import { page } from '../shell/page.js';
import { PERIODS } from './periods.js';
import { CostliestSupplier, causesTable, type NameOf, searchedTable, soldTable } from './supplier-tables.js';
import { bookedTotals } from './supplier-totals.js';
import type { UsageChoice, UsageOverview } from './usage-overview.service.js';
import { OverTime } from './usage-plots.js';
import { applicationsTable, funnelTable, operationsTable, signed, type UsageTable } from './usage-tables.js';
import { answersOf, searchesIn } from './usage-totals.js';
import { count, ms, share } from './words.js';

/** How an account's applications use the API and its suppliers, and what comes of it. */
export function usagePage(visitor: Visitor, overview: UsageOverview, nameOf: NameOf): Answer {
  const { choice, view } = overview;
  const hasCalls = view.total.calls > 0;
  return page(
    {
      title: 'Usage',
      visitor,
      section: '/usage',
      isWide: true,
      styles: ['uplot.css', 'usage.css'],
      scripts: hasCalls ? ['usage-plots.js'] : [],
    },
    <>
      <h1>Usage</h1>
      {choice.own.length === 0 ? <NoApplication visitor={visitor} /> : <Choice choice={choice} />}
      {choice.own.length > 0 && !hasCalls && <NoCalls visitor={visitor} choice={choice} />}
      {hasCalls && <Sections overview={overview} nameOf={nameOf} />}
    </>,
  );
}

function Sections({ overview, nameOf }: { overview: UsageOverview; nameOf: NameOf }) {
  const { choice, booked } = overview;
  const table = <Row,>(name: string, { label, columns, rows }: UsageTable<Row>) => (
    <DataTable label={label} columns={columns} rows={rows} csv={`/usage/csv/${name}?${queryOf(choice)}`} />
  );
  const titled = <Row,>(name: string, made: UsageTable<Row>) => (
    <>
      <h3>{made.label}</h3>
      {table(name, made)}
    </>
  );
  const causes = causesTable(overview, nameOf);
  const isCut = booked.reduce((sum, { requested }) => sum + requested, 0) >= MOST_READ;
  return (
    <>
      <Figures overview={overview} />
      <Section id="suppliers" title="Suppliers">
        <CostliestSupplier overview={overview} nameOf={nameOf} />
        {titled('searches', searchedTable(overview, nameOf))}
        {titled('bookings', soldTable(overview, nameOf))}
        {causes.rows.length > 0 && titled('causes', causes)}
        <p class="quiet">
          Every request counts the calls that it waited for, including those of one that another request made. A
          supplier that takes one call per brand has several per search. Lost: bookings that it refused, and its failed
          searches and price checks at the rate at which answered ones became bookings.{' '}
          <a href="/docs/usage">What is counted</a>
        </p>
      </Section>
      <Section id="funnel" title="From search to booking">
        {table('funnel', funnelTable(overview))}
        <p class="quiet">
          Bookings are reservations made in the period: a repeated request makes none, and one whose outcome is unknown
          isn’t confirmed.{' '}
          {isCut &&
            `Only the newest ${count(MOST_READ)} reservations of each application are counted: choose a shorter period.`}
        </p>
      </Section>
      <OverTime overview={overview} csv={`/usage/csv/time?${queryOf(choice)}`} />
      <Section id="operations" title="Operations">
        {table('operations', operationsTable(overview))}
        <p class="quiet">
          Values include every call, not a sample. Percentiles are computed from counts in fixed ranges of duration, so
          they are exact to the range.
        </p>
      </Section>
      <Section id="applications" title="Applications">
        {table('applications', applicationsTable(overview))}
      </Section>
    </>
  );
}

function Section({ id, title, children }: { id: string; title: string; children: ComponentChildren }) {
  return (
    <section>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  );
}

function NoApplication({ visitor: { environment } }: { visitor: Visitor }) {
  if (environment === 'production')
    return (
      <p class="lead">
        You have no application in production yet. Request production access on the page of an application in the
        sandbox: what the approved one does here is shown on this page.
      </p>
    );
  return (
    <>
      <p class="lead">See how often your applications call the API, how suppliers answer, and what is booked.</p>
      <p class="actions">
        <a class="button" href="/applications">
          Create an application
        </a>
        <span class="quiet">All you need is a name.</span>
      </p>
    </>
  );
}

function NoCalls({ visitor, choice }: { visitor: Visitor; choice: UsageChoice }) {
  if (visitor.environment === 'production')
    return (
      <>
        <p class="lead">No calls in this period.</p>
        <p>
          Call this gateway from your own systems with the credentials of <a href="/applications">your application</a>.
          Calls appear here within a few seconds.
        </p>
      </>
    );
  const query = choice.application === undefined ? '' : `?application=${choice.application}`;
  return (
    <>
      <p class="lead">No calls in this period.</p>
      <p class="actions">
        <a class="button" href={`/console${query}`}>
          Make your first call in the console
        </a>
        <span class="quiet">It appears here within a few seconds.</span>
      </p>
    </>
  );
}

function Choice({ choice: { own, application, range } }: { choice: UsageChoice }) {
  const names = [
    ...Object.entries(PERIODS).map(([name, period]) => [name, `Last ${period.name}`]),
    ['custom', 'From … to'],
  ];
  const day = (at: number) => (range.name === 'custom' ? new Date(at).toISOString().slice(0, 10) : '');
  return (
    <>
      <form class="filters" method="get" action="/usage">
        <div class="field">
          <label for="application">Application</label>
          <select id="application" name="application">
            <option value="">All</option>
            {own.map(({ id, name, environment }) => (
              <option key={id} value={id} selected={application === id}>
                {`${name} (${environment})`}
              </option>
            ))}
          </select>
        </div>
        <div class="field">
          <label for="period">Period</label>
          <select id="period" name="period">
            {names.map(([name, text]) => (
              <option key={name} value={name} selected={range.name === name}>
                {text}
              </option>
            ))}
          </select>
        </div>
        <div class="field">
          <label for="from">From (UTC)</label>
          <input id="from" name="from" type="date" value={day(range.from)} />
        </div>
        <div class="field">
          <label for="to">To, included</label>
          <input id="to" name="to" type="date" value={day(range.to - 1)} />
        </div>
        <button type="submit">Show</button>
      </form>
      <p class="quiet">
        {utcMinute(range.from)} to {utcMinute(range.to)}, compared with the same length of time before.
      </p>
    </>
  );
}

function Figures({ overview: { view, byApplication, booked } }: { overview: UsageOverview }) {
  const { total } = view;
  const earlier = byApplication.filter(({ isCurrent }) => !isCurrent);
  const before = answersOf(earlier);
  const searches = searchesIn(byApplication.filter(({ isCurrent }) => isCurrent));
  const { confirmed } = bookedTotals(booked.filter(({ isCurrent }) => isCurrent));
  const confirmedBefore = bookedTotals(booked.filter(({ isCurrent }) => !isCurrent)).confirmed;
  const change = (now: number, then: number) =>
    then === 0 ? 'no calls before' : `${signed((now - then) / then)} on before`;
  return (
    <dl class="tiles">
      <Tile
        name="Calls"
        value={count(total.calls)}
        note={`${change(total.calls, before.calls)}, ${share(total.failed, total.calls)} failed (5xx)`}
      />
      <Tile
        name="Partial responses"
        value={percent(total.partialShare)}
        note={`of GET searches returned 206, before: ${percent(before.partialShare)}`}
      />
      <Tile
        name="Mean duration"
        value={ms(total.meanMs)}
        note={`over all calls, before: ${before.calls === 0 ? '–' : ms(before.meanMs)}`}
      />
      <Tile name="Bookings" value={count(confirmed)} note={`confirmed, before: ${count(confirmedBefore)}`} />
      <Tile
        name="Look-to-book"
        value={confirmed === 0 ? '–' : `${count(Math.round(searches / confirmed))} : 1`}
        note={`${count(searches)} availability searches, ${count(confirmed)} confirmed bookings`}
      />
      <Tile
        name="Rate limited"
        value={count(total.limited)}
        note={`429 responses, ${share(total.limited, total.calls)} of all calls`}
      />
    </dl>
  );
}

function percent(part: number | undefined): string {
  return part === undefined ? '–' : share(part, 1);
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

/** The choice as a query, so that an export has the same rows. */
function queryOf({ application, range: { name, from, to } }: UsageChoice): URLSearchParams {
  const day = (at: number) => new Date(at).toISOString().slice(0, 10);
  return new URLSearchParams({
    ...(application === undefined ? {} : { application }),
    period: name,
    ...(name === 'custom' ? { from: day(from), to: day(to - 1) } : {}),
  });
}
