import type { CallRecord, RequestRecord } from '../../records/request-record.js';
import {
  callRows,
  deadlineOf,
  gatewayMs,
  gatewayRow,
  type Row,
  type Scale,
  type SegmentKind,
  scaleOf,
} from './waterfall-layout.js';
import { callWords, count, ms } from './words.js';

const BAR = 18;
const GAP = 4;
const PAD = 7;

/** The legend, in the order of a call's phases; the gateway's own work is last. */
const KINDS: readonly (readonly [kind: SegmentKind, name: string])[] = [
  ['queue', 'queued: session, queue, connection'],
  ['wait', 'waiting for the first byte'],
  ['receive', 'receiving'],
  ['map', 'parsing the response'],
  ['own', 'the gateway’s own work'],
];
const NAMES: Readonly<Record<SegmentKind, string>> = {
  queue: 'queued',
  wait: 'waiting for the first byte',
  receive: 'receiving',
  map: 'parsing',
  check: 'checking token, limits and version',
  own: 'planning, merging, storing',
  send: 'sending the response',
};

/** A waterfall chart with one lane for the gateway and one per supplier call, on the same time scale. Needs no script. */
export function Waterfall({ record, nameOf }: { record: RequestRecord; nameOf: (supplier: string) => string }) {
  const scale = scaleOf(record);
  const { calls, skipped } = record.trace;
  const shown = new Set(
    [...calls.flatMap((call) => callRows(call, record.durationMs).flat()), ...gatewayRow(record)].map(
      ({ kind }) => kind,
    ),
  );
  return (
    <figure class="waterfall">
      <Patterns />
      <figcaption>
        <ul class="kinds">
          {KINDS.filter(([kind]) => kind === 'own' || shown.has(kind)).map(([kind, name]) => (
            <li key={kind}>
              <svg class="swatch" width="22" height="14" aria-hidden="true">
                <rect
                  class={`seg ${kind}`}
                  width="22"
                  height="14"
                  rx="2"
                  fill={kind === 'queue' ? 'url(#hatch)' : undefined}
                />
              </svg>
              <span>{name}</span>
            </li>
          ))}
          {calls.length > 0 && (
            <li>
              <svg class="swatch" width="22" height="14" aria-hidden="true">
                <line class="deadline" x1="6" x2="6" y1="0" y2="14" />
                <path class="later" d="M14 2l5 5-5 5" />
              </svg>
              <span>deadline of the call (arrow: later than shown)</span>
            </li>
          )}
        </ul>
      </figcaption>
      <Axis scale={scale} />
      <ol class="lanes">
        <li class="lane">
          <p class="lane-name">
            <strong>Gateway</strong>
            <br />
            <span class="quiet">
              {ms(gatewayMs(record))} of {ms(record.durationMs)}
            </span>
          </p>
          <Bars
            label={`Gateway: ${describe(gatewayRow(record))}`}
            rows={[gatewayRow(record)]}
            scale={scale}
            end={undefined}
            deadlineMs={undefined}
          />
        </li>
        {calls.map((call, index) => (
          <Lane
            key={`${call.supplier}${index}`}
            call={call}
            name={nameOf(call.supplier)}
            record={record}
            scale={scale}
          />
        ))}
        {skipped.map((supplier) => (
          <li key={supplier} class="lane">
            <p class="lane-name">
              <strong>{nameOf(supplier)}</strong>
              <br />
              <span class="badge">not called</span> <span class="quiet">in maintenance</span>
            </p>
          </li>
        ))}
      </ol>
    </figure>
  );
}

function Lane({ call, name, record, scale }: { call: CallRecord; name: string; record: RequestRecord; scale: Scale }) {
  const rows = callRows(call, record.durationMs);
  const deadlineMs = deadlineOf(call);
  const took = call.endMs === undefined ? undefined : call.endMs - call.startMs;
  return (
    <li class="lane">
      <p class="lane-name">
        <strong>{name}</strong>
        {call.brand !== undefined && <span> {call.brand}</span>}
        <span class="quiet"> {callName(call)}</span>
        <br />
        <Outcome call={call} />
        <span class="quiet">
          {took === undefined ? 'deadline' : `${ms(took)} of`} {ms(call.timeoutMs)}
        </span>
      </p>
      <Bars
        label={`${name}: ${rows.map(describe).join('; then ')}. Deadline at ${ms(deadlineMs)}.`}
        rows={rows}
        scale={scale}
        end={call}
        deadlineMs={deadlineMs}
      />
    </li>
  );
}

/** The kind of supplier call in a word or two; empty for searches, where all calls are the same. */
export function callName({ operation }: CallRecord): string {
  return operation.startsWith('search') ? '' : callWords(operation);
}

/** How a call ended, as a badge. */
export function Outcome({ call: { outcome, cause, items, shared, ageSeconds } }: { call: CallRecord }) {
  const words = {
    answered: items === undefined ? 'answered' : `${count(items)} ${items === 1 ? 'result' : 'results'}`,
    empty: 'no results',
    failed: (cause ?? 'failed').replaceAll('_', ' '),
    open: 'unfinished',
  };
  const tones = { answered: 'good', empty: '', failed: 'bad', open: 'partial' };
  return (
    <>
      <span class={`badge ${tones[outcome]}`}>{words[outcome]}</span> {shared && <span class="badge">shared</span>}
      {ageSeconds !== undefined && <span class="badge">from memory</span>}{' '}
    </>
  );
}

function Axis({ scale }: { scale: Scale }) {
  return (
    <svg class="axis" width="100%" height="20" aria-hidden="true">
      {scale.ticks.map((tick, index) => (
        <text
          key={tick}
          x={at(tick, scale)}
          y="14"
          text-anchor={index === 0 ? 'start' : tick > scale.endMs * 0.9 ? 'end' : 'middle'}
        >
          {index === 0 ? '0 ms' : count(tick)}
        </text>
      ))}
    </svg>
  );
}

interface BarsProps {
  readonly label: string;
  readonly rows: readonly Row[];
  readonly scale: Scale;
  /** The call; a failure is marked at its end. */
  readonly end: CallRecord | undefined;
  readonly deadlineMs: number | undefined;
}

function Bars({ label, rows, scale, end, deadlineMs }: BarsProps) {
  const height = 2 * PAD + rows.length * BAR + (rows.length - 1) * GAP;
  const top = (row: number) => PAD + row * (BAR + GAP);
  return (
    <svg class="bars" width="100%" height={height} role="img" aria-label={label}>
      {scale.ticks.map((tick) => (
        <line key={tick} class="grid" x1={at(tick, scale)} x2={at(tick, scale)} y1="0" y2={height} />
      ))}
      {rows.map((row, index) =>
        row.map(({ kind, from, to }) => (
          <rect
            key={`${index}${kind}${from}`}
            class={`seg ${kind}`}
            fill={kind === 'queue' ? 'url(#hatch)' : undefined}
            x={at(from, scale)}
            width={width(from, to, scale)}
            y={top(index)}
            height={BAR}
            rx="2"
          >
            <title>{`${NAMES[kind]}: ${ms(to - from)}`}</title>
          </rect>
        )),
      )}
      {deadlineMs !== undefined && deadlineMs <= scale.endMs && (
        <line class="deadline" x1={at(deadlineMs, scale)} x2={at(deadlineMs, scale)} y1="0" y2={height} />
      )}
      {deadlineMs !== undefined && deadlineMs > scale.endMs && (
        <svg class="edge" x="100%" y={height / 2 - 5} width="1" height="10" aria-hidden="true">
          <path class="later" d="M5 0l5 5-5 5" />
        </svg>
      )}
      {end?.outcome === 'failed' && (
        <svg
          x={at(end.endMs ?? 0, scale)}
          y={top(rows.length - 1)}
          width="1"
          height={BAR}
          class="edge"
          aria-hidden="true"
        >
          <path class="cross" d="M-5 4 5 14M5 4-5 14" />
        </svg>
      )}
    </svg>
  );
}

/** Patterns distinguish kinds without color. Not hidden by CSS, because hidden patterns can't fill shapes. */
function Patterns() {
  return (
    <svg class="patterns" width="0" height="0" aria-hidden="true">
      <defs>
        <pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <rect class="hatch-ground" width="6" height="6" />
          <rect class="hatch-line" width="2.5" height="6" />
        </pattern>
      </defs>
    </svg>
  );
}

function describe(row: Row): string {
  return row.map(({ kind, from, to }) => `${NAMES[kind]} ${ms(to - from)}`).join(', ');
}

/** Position on the scale in percent of the width; times before the request are at its start. */
function at(instant: number, { endMs }: Scale): string {
  return percent((Math.max(0, instant) / endMs) * 100);
}

/** At least a sliver, so that short spans stay visible. */
function width(from: number, to: number, { endMs }: Scale): string {
  return percent(Math.max(0.25, ((Math.max(0, to) - Math.max(0, from)) / endMs) * 100));
}

function percent(value: number): string {
  return `${Math.round(value * 1000) / 1000}%`;
}
