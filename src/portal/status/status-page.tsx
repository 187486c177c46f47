import type { Visitor } from '../../accounts/sessions.service.js';
import type { PartState, StatusIncident, StatusPart, StatusReport } from '../../incidents/status-report.schema.js';
import { Moment } from '../shell/moment.js';
import { type Page, page } from '../shell/page.js';

/** The word for a state and the class of its badge. */
const STATES: Readonly<Record<PartState, readonly [word: string, tone: string]>> = {
  operational: ['Operational', 'good'],
  paused: ['Not searched', 'partial'],
  maintenance: ['Maintenance', 'partial'],
  degraded: ['Failing partly', 'partial'],
  down: ['Failing', 'bad'],
};

const OVERALL: Readonly<Record<PartState, string>> = {
  operational: 'Everything works',
  paused: 'Everything works',
  maintenance: 'Maintenance',
  degraded: 'Some calls fail',
  down: 'Calls fail',
};

const KINDS: Readonly<Record<StatusIncident['kind'], string>> = {
  failing: 'Calls failed',
  maintenance: 'Maintenance',
  notice: 'Notice',
};

/** The page: state, incidents, and a bar per day of the last 90 days for each part. */
export function statusPage(visitor: Visitor | undefined, report: StatusReport): Page {
  const { state, environment, parts, planned, incidents, counted_at, generated_at } = report;
  const open = incidents.filter(({ ended_at }) => ended_at === null);
  const past = incidents.filter(({ ended_at }) => ended_at !== null);
  const [isApi, isSupplier] = [(id: string) => !id.startsWith('supplier:'), (id: string) => id.startsWith('supplier:')];
  return page(
    {
      title: 'Status',
      visitor,
      section: '/status',
      styles: ['status.css'],
      ...(visitor ? {} : { headers: { 'cache-control': 'public, max-age=5' } }),
    },
    <>
      <h1>Status</h1>
      <p class={`overall ${STATES[state][1]}`}>
        <strong>{open.length > 0 && isFine(state) ? 'The API works. Please read the notices.' : OVERALL[state]}</strong>{' '}
        <span class="when">
          {environment}, <Moment at={generated_at} />
        </span>
      </p>
      {counted_at === null && <p>Uptimes and incidents can't be read at the moment.</p>}
      {open.map((incident) => (
        <Incident key={incident.id} incident={incident} />
      ))}
      {planned.map(({ part, name, begins_at, ends_at, reason }) => (
        <article key={`${part} ${begins_at}`} class="incident">
          <h3>{name}: Planned maintenance</h3>
          <p class="when">
            From <Moment at={begins_at} /> to <Moment at={ends_at} />
          </p>
          <p>{reason}</p>
        </article>
      ))}
      <Parts heading="API" parts={parts.filter(({ id }) => isApi(id))} />
      <Parts heading="Suppliers" parts={parts.filter(({ id }) => isSupplier(id))} />
      {!parts.some(({ id }) => isSupplier(id)) && <NoSuppliers isOperator={visitor?.role === 'ops'} />}
      <p class="legend">
        Each bar is a UTC day: <Key tone="good" /> at least 99.5 % of calls without a failure, <Key tone="partial" /> at
        least 95 %, <Key tone="bad" /> less, <Key tone="none" /> no calls. The same as JSON:{' '}
        <a href="/status.json">/status.json</a>
      </p>
      <h2>Past incidents</h2>
      {past.length === 0 ? (
        <p>None in the last 90 days.</p>
      ) : (
        past.map((incident) => <Incident key={incident.id} incident={incident} />)
      )}
    </>,
  );
}

function isFine(state: PartState): boolean {
  return state === 'operational' || state === 'paused';
}

/** What to do next, for those who can. */
function NoSuppliers({ isOperator }: { isOperator: boolean }) {
  return (
    <>
      <h2>Suppliers</h2>
      <p>
        No supplier is connected to this gateway yet, so searches find nothing.{' '}
        {isOperator && <a href="/docs/adding-a-supplier">Add the first one</a>}
      </p>
    </>
  );
}

function Parts({ heading, parts }: { heading: string; parts: readonly StatusPart[] }) {
  if (parts.length === 0) return null;
  return (
    <>
      <h2>{heading}</h2>
      <ul class="parts">
        {parts.map((part) => (
          <Part key={part.id} part={part} />
        ))}
      </ul>
    </>
  );
}

const [BAR, STEP, HEIGHT] = [7, 10, 32];

function Part({ part: { name, state, uptime_90d, days } }: { part: StatusPart }) {
  const [word, tone] = STATES[state];
  const uptime = uptime_90d === null ? 'no calls yet' : `${percent(uptime_90d)} in 90 days`;
  return (
    <li>
      <div class="part">
        <strong>{name}</strong> <span class={`badge ${tone}`}>{word}</span> <span class="uptime">{uptime}</span>
      </div>
      <svg
        class="days"
        viewBox={`0 0 ${days.length * STEP} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${name}: ${uptime}, worst day ${worstOf(days)}`}
      >
        {runsOf(days).map(({ from, to, text, tone, bars }) => (
          <path key={from} class={tone} d={bars}>
            <title>{from === to ? `${from}: ${text}` : `${from} to ${to}: ${text}`}</title>
          </path>
        ))}
      </svg>
    </li>
  );
}

interface Run {
  readonly from: string;
  readonly to: string;
  readonly text: string;
  readonly tone: string;
  /** One bar per day. */
  readonly bars: string;
}

/** Days in a row with the same uptime are one shape: the page has hundreds of days. */
function runsOf(days: StatusPart['days']): readonly Run[] {
  const runs: Run[] = [];
  for (const [index, { date, uptime }] of days.entries()) {
    const text = uptime === null ? 'no calls' : percent(uptime);
    const bar = `M${index * STEP} 0h${BAR}v${HEIGHT}h-${BAR}z`;
    const last = runs.at(-1);
    if (last?.text === text) runs[runs.length - 1] = { ...last, to: date, bars: last.bars + bar };
    else runs.push({ from: date, to: date, text, tone: toneOf(uptime), bars: bar });
  }
  return runs;
}

function Key({ tone }: { tone: string }) {
  return (
    <svg class="days key" viewBox="0 0 10 10" aria-hidden="true">
      <rect class={tone} width="10" height="10" />
    </svg>
  );
}

function Incident({ incident }: { incident: StatusIncident }) {
  const { id, kind, name, operations, began_at, ended_at, notes } = incident;
  const tone = ended_at === null ? (kind === 'failing' ? 'bad' : 'partial') : '';
  return (
    <article class={`incident ${tone}`} id={id}>
      <h3>
        {name}: {kind === 'failing' && ended_at === null ? 'Calls fail' : KINDS[kind]}
      </h3>
      <p class="when">
        {ended_at === null ? 'Since' : 'From'} <Moment at={began_at} />
        {ended_at !== null && (
          <>
            {' '}
            to <Moment at={ended_at} />
          </>
        )}
        {operations.length > 0 && <>. Operations: {operations.join(', ')}</>}
      </p>
      {notes.map(({ at, text }) => (
        <p key={at}>
          {text}{' '}
          <span class="when">
            <Moment at={at} />
          </span>
        </p>
      ))}
    </article>
  );
}

function toneOf(uptime: number | null): string {
  if (uptime === null) return 'none';
  if (uptime >= 0.995) return 'good';
  return uptime >= 0.95 ? 'partial' : 'bad';
}

function worstOf(days: StatusPart['days']): string {
  const known = days.flatMap(({ uptime }) => uptime ?? []);
  return known.length === 0 ? 'unknown' : percent(Math.min(...known));
}

/** Never rounded up to 100 %. */
function percent(share: number): string {
  return `${(Math.floor(share * 10_000) / 100).toFixed(2)} %`;
}
