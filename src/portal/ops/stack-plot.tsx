import { count } from '../usage/words.js';
import { OUTCOME_GROUPS, type OutcomeGroup } from './outcome-groups.js';

/** Calls of one step by group. */
export type Stack = Readonly<Partial<Record<OutcomeGroup, number>>>;

interface StackPlotProps {
  /** One per step, oldest first. */
  readonly stacks: readonly Stack[];
  /** What screen readers announce. */
  readonly label: string;
  readonly isSmall?: boolean;
  /** Titles of the steps, in their order. */
  readonly names?: readonly string[];
}

const HEIGHT = 100;

/** Stacked bars, drawn on the server. Bars of different groups differ also in their order and in the table beside them. */
export function StackPlot({ stacks, label, isSmall = false, names = [] }: StackPlotProps) {
  const most = Math.max(1, ...stacks.map(totalOf));
  return (
    <svg
      class={isSmall ? 'stack small' : 'stack'}
      viewBox={`0 0 ${stacks.length * 10} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      {stacks.map((stack, index) => (
        <g key={index}>
          {names[index] !== undefined && <title>{`${names[index]}: ${words(stack)}`}</title>}
          <rect class="ground" x={index * 10} y="0" width="10" height={HEIGHT} />
          <Bars stack={stack} x={index * 10 + 1} most={most} />
        </g>
      ))}
    </svg>
  );
}

function Bars({ stack, x, most }: { stack: Stack; x: number; most: number }) {
  let below = 0;
  return (
    <>
      {OUTCOME_GROUPS.map(([group]) => {
        const height = ((stack[group] ?? 0) / most) * HEIGHT;
        below += height;
        return height === 0 ? null : (
          <rect key={group} class={`of-${group}`} x={x} y={round(HEIGHT - below)} width="8" height={round(height)} />
        );
      })}
    </>
  );
}

/** The legend of stacked bars with totals. */
export function StackLegend({ stacks }: { stacks: readonly Stack[] }) {
  return (
    <ul class="kinds">
      {OUTCOME_GROUPS.map(([group, name]) => {
        const calls = stacks.reduce((sum, stack) => sum + (stack[group] ?? 0), 0);
        return (
          <li key={group}>
            <svg class="swatch" width="14" height="14" aria-hidden="true">
              <rect class={`of-${group}`} width="14" height="14" />
            </svg>
            <span>
              <strong>{count(calls)}</strong> {name}
            </span>
          </li>
        );
      })}
    </ul>
  );
}

function totalOf(stack: Stack): number {
  return Object.values(stack).reduce((sum, calls) => sum + calls, 0);
}

/** Calls of a step in words. */
export function words(stack: Stack): string {
  const said = OUTCOME_GROUPS.flatMap(([group, name]) => (stack[group] ? [`${count(stack[group])} ${name}`] : []));
  return said.join(', ') || 'no calls';
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
