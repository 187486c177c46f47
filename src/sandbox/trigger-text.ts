import { causes } from '../status/causes.js';
import { type ReasonRow, reasons } from '../status/reasons.js';
import type { BookingTrigger, RefusalTrigger, RequestTrigger } from './triggers.js';

/** Placeholder for pickup and dropoff dates in the future, which documentation can't contain. */
const DATES = '{dates}';

/** Describes a request; backticks mark code. */
export function requestText({ scenario, authorization, application, times, ...request }: RequestTrigger): string {
  return [
    `\`GET ${target(request)}\``,
    scenario === undefined ? '' : ` with \`X-Sandbox-Scenario: ${scenario}\``,
    authorization === undefined ? '' : ` with \`Authorization: ${authorization}\``,
    application === undefined ? '' : ` as \`${application}\``,
    times === 2 ? ', the second time' : '',
  ].join('');
}

/** Path and query of a request, with `dates` instead of its dates. */
export function target(
  { path, query, isDated }: Pick<RequestTrigger, 'path' | 'query' | 'isDated'>,
  dates = DATES,
): string {
  const parts = Object.entries(query).map(([name, value]) => `${name}=${value}`);
  const text = [...parts, ...(isDated ? [dates] : [])].join('&');
  return text === '' ? path : `${path}?${text}`;
}

/** Describes a booking; backticks mark code. */
export function bookingText({ brand, place, scenario, states }: BookingTrigger): string {
  const header = scenario === undefined ? '' : ` with \`X-Sandbox-Scenario: ${scenario}\``;
  return `book an offer from ${brand} at \`${place}\`${header}${states.length === 0 ? '' : ` (${statesText(states)})`}`;
}

/** Formats the successive states of a reservation. */
export function statesText(states: readonly string[]): string {
  return states.join(' → ');
}

/** Code and reason of the response to a refusal. */
export function answerOf({ cause }: RefusalTrigger): ReasonRow {
  return reasons[causes[cause].reason];
}
