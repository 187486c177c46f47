import { assetPath } from '../shell/assets.js';
import { DataTable } from '../shell/data-table.js';
import type { UsageOverview } from './usage-overview.service.js';
import { KIND_NAMES, stepsTable } from './usage-tables.js';
import { ANSWER_KINDS } from './usage-totals.js';
import { count } from './words.js';

const PLOTS = [
  {
    title: 'Calls by response',
    kind: 'stack',
    heads: ANSWER_KINDS.map((kind) => KIND_NAMES[kind][0]),
    axis: 'Calls',
    unit: '',
  },
  { title: 'Mean duration', kind: 'line', heads: ['Mean'], axis: 'Milliseconds', unit: 'ms' },
  { title: 'Partial responses (206) of searches', kind: 'line', heads: ['206 share'], axis: 'Percent', unit: '%' },
] as const;

/** Calls over time as plots, and as the table that they are drawn from. `csv` is where its export is. */
export function OverTime({ overview, csv }: { overview: UsageOverview; csv: string }) {
  const { view, choice } = overview;
  const { from, to, stepSeconds } = choice.range;
  const data = {
    'data-uplot': assetPath('uplot.js'),
    'data-plot-series': assetPath('plot-series.js'),
    'data-from': Math.floor(from / 1000),
    'data-to': Math.floor((to - 1) / 1000),
    'data-step': stepSeconds,
    'data-kinds': ANSWER_KINDS.join(' '),
  };
  const { label, columns, rows } = stepsTable(overview);
  return (
    <section class="charts" aria-labelledby="time" {...data}>
      <h2 id="time">Over time, in steps of {stepText(stepSeconds)}</h2>
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
      {PLOTS.map(({ title, kind, heads, axis, unit }) => (
        <figure key={title} data-chart={kind} data-heads={heads.join()} data-axis={axis} data-unit={unit}>
          <figcaption>{title}</figcaption>
        </figure>
      ))}
      <details open>
        <summary>Show as table</summary>
        <DataTable label={label} columns={columns} rows={rows} csv={csv} attributes={({ at }) => ({ 'data-at': at })} />
        <p class="quiet">Times are in UTC. Steps without calls are omitted.</p>
      </details>
    </section>
  );
}

function stepText(seconds: number): string {
  if (seconds < 3_600) return `${seconds / 60} min`;
  return seconds < 86_400 ? `${seconds / 3_600} h` : seconds === 86_400 ? '1 day' : `${seconds / 86_400} days`;
}
