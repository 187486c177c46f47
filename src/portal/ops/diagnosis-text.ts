import type { OwnHealth } from './diagnosis.js';
import type { Finding } from './evidence.js';
import { KIND_WORDS, operationWords } from './failure-words.js';

/** The sentence of a finding, without who: "bravo answers with a server error (5xx) in 31 % of vehicle searches since 02:14 UTC". */
export function findingText(
  { operation, kind, share, since, figures = [], isBlocked }: Finding,
  name: string,
  now: number,
): string {
  const did = KIND_WORDS[kind]?.did ?? `fails (${kind.replaceAll('_', ' ')})`;
  const [first = 0, second = 0] = figures;
  const what =
    kind === 'slow'
      ? `${name} answers ${operationWords(operation)} ${times(first / second)} slower than usual (median ${round(first)} ms instead of ${round(second)} ms)`
      : kind === 'price'
        ? `${name} shows prices ${first < 1 ? `at ${percent(first)} of` : `${times(first)}`} their usual level`
        : `${name} ${did} in ${percent(share)} of ${operationWords(operation)}`;
  const blocked = isBlocked && kind !== 'circuit_open' ? '; we have stopped calling it (breaker open)' : '';
  return `${what} ${sinceText(since, now)}${blocked}.`;
}

/** What is said about the gateways themselves. */
export function ownText({ lagMs, isLagging }: OwnHealth): string {
  return isLagging
    ? `Us: our gateways are overloaded (event loop ${round(lagMs)} ms late on average), so timeouts and slow answers may be ours.`
    : `Us: normal (event loop ${round(lagMs)} ms late on average).`;
}

function sinceText(since: number | undefined, now: number): string {
  if (since === undefined) return 'for longer than 24 hours, or for an unknown time';
  const minutes = Math.max(0, Math.round((now - since) / 60_000));
  const day = new Date(since).toISOString().slice(0, 10);
  const date = day === new Date(now).toISOString().slice(0, 10) ? '' : `${day} `;
  const ago = minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
  return `since ${date}${new Date(since).toISOString().slice(11, 16)} UTC (${ago} ago)`;
}

function percent(share: number): string {
  const value = share * 100;
  return `${value >= 10 || value === 0 ? Math.round(value) : Number(value.toPrecision(2))} %`;
}

function times(factor: number): string {
  return `${Number(factor.toPrecision(2))} times`;
}

function round(value: number): string {
  return new Intl.NumberFormat('en', { maximumFractionDigits: value < 10 ? 1 : 0 }).format(value);
}
