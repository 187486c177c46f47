import type { SupplierConfig } from '../../config/supplier-config.schema.js';
import type { OwnHealth } from './diagnosis.js';
import type { Finding } from './evidence.js';
import { KIND_WORDS, operationWords } from './failure-words.js';
import type { Problem } from './problems.js';

/** The sentence of a problem, without who: "bravo answers with a server error (5xx) in 31 % of vehicle searches since 02:14 UTC (6 min ago)." */
export function problemText(problem: Problem, name: string, now: number): string {
  return `${whatText(problem, name)} ${sinceText(problem.since, now)}${blockedText(problem)}.`;
}

/** Whose fault it is. Refused credentials may be our fault, even if our file of the supplier did not change. */
export function whoWords({ who, kind }: Pick<Problem, 'who' | 'kind'>): 'Us' | 'Them' | 'Likely them' {
  if (who === 'us') return 'Us';
  return kind === 'auth' ? 'Likely them' : 'Them';
}

/** Whose fault it is, before a sentence that names the supplier. */
export function faultWords(problem: Pick<Problem, 'who' | 'kind'>): string {
  return { Us: 'Our fault', Them: 'Their fault', 'Likely them': 'Likely their fault' }[whoWords(problem)];
}

/** What is wrong, without since when: "bravo answers with a server error (5xx) in 31 % of vehicle searches". */
export function whatText({ kind, parts }: Problem, name: string): string {
  const did = KIND_WORDS[kind]?.did ?? `fails (${kind.replaceAll('_', ' ')})`;
  const [first = 0] = parts[0]?.figures ?? [];
  if (kind === 'slow') return `${name} answers ${listed(parts.map(slowText))}`;
  if (kind === 'price')
    return `${name} shows prices ${first < 1 ? `at ${percent(first)} of` : `${times(first)}`} their usual level: ${amount(first)} for what costs 100`;
  return `${name} ${did} in ${sharesText(parts)}`;
}

/** Limits of our calls to a supplier, as in its file. */
type OwnLimits = Pick<SupplierConfig, 'quota' | 'lookToBook'>;

/** What was agreed about our calls, as far as the file of the supplier says it, and how much was sent in the last full minute. */
export function agreedText({ quota, lookToBook }: OwnLimits, sentPerSecond: number): string {
  const { perSecond, burst, concurrent } = quota;
  const limits = [
    perSecond === undefined ? undefined : `${perSecond} calls per second (quota.perSecond)`,
    burst === undefined ? undefined : `${burst} in a burst`,
    concurrent === undefined ? undefined : `${concurrent} at the same time`,
  ].filter((limit) => limit !== undefined);
  const agreed =
    limits.length === 0
      ? 'Its file has no quota, so nothing keeps us below what was agreed.'
      : `Its file allows each gateway ${listed(limits)}.`;
  const looks = lookToBook
    ? ` At most ${lookToBook.ratio} searches per booking in ${lookToBook.windowHours} hours.`
    : '';
  return `${agreed}${looks} All gateways sent ${round(sentPerSecond)} calls per second in the last full minute.`;
}

/** Why callers don't wait for it; '' if they do. */
function blockedText({ kind, isBlocked }: Problem): string {
  return isBlocked && kind !== 'circuit_open' ? '; we have stopped calling it (breaker open)' : '';
}

function slowText({ operation, figures: [first = 0, second = 0] = [] }: Finding): string {
  return `${operationWords(operation)} ${times(first / second)} slower than usual (median ${round(first)} ms instead of ${round(second)} ms)`;
}

/** "31 % of vehicle searches and bookings", "100 % of bookings and 31 % of vehicle searches". */
function sharesText(parts: readonly Finding[]): string {
  const byShare = Map.groupBy(parts, ({ share }) => percent(share));
  return listed(
    [...byShare].map(
      ([share, same]) => `${share} of ${listed(same.map(({ operation }) => operationWords(operation)))}`,
    ),
  );
}

/** "a, b and c". */
export function listed(words: readonly string[]): string {
  return words.length < 2 ? (words[0] ?? '') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}

/** What is said about the gateways themselves. */
export function ownText({ lagMs, isLagging }: OwnHealth): string {
  return isLagging
    ? `Us: our gateways are overloaded (event loop ${round(lagMs)} ms late on average), so timeouts and slow answers may be our fault.`
    : `Us: normal (event loop ${round(lagMs)} ms late on average).`;
}

/** "since 02:14 UTC (6 min ago)". */
export function sinceText(since: number | undefined, now: number): string {
  if (since === undefined) return 'for an unknown time';
  const minutes = Math.max(0, Math.round((now - since) / 60_000));
  const day = new Date(since).toISOString().slice(0, 10);
  const date = day === new Date(now).toISOString().slice(0, 10) ? '' : `${day} `;
  const ago = minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
  return `since ${date}${new Date(since).toISOString().slice(11, 16)} UTC (${ago} ago)`;
}

/** "31 %", "0.4 %". */
export function percent(share: number): string {
  const value = share * 100;
  return `${value >= 10 || value === 0 ? Math.round(value) : Number(value.toPrecision(2))} %`;
}

/** What a price of 100 is at another level: "5.6", "310". */
function amount(factor: number): string {
  return String(Number((factor * 100).toPrecision(2)));
}

function times(factor: number): string {
  return `${Number(factor.toPrecision(2))} times`;
}

function round(value: number): string {
  return new Intl.NumberFormat('en', { maximumFractionDigits: value < 10 ? 1 : 0 }).format(value);
}

/** With a capital at its start. */
export function capitalized(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

/** A number with its noun: "1 reservation", "2 reservations". */
export function several(number: number, one: string, more: string): string {
  return `${number} ${number === 1 ? one : more}`;
}
