import { causes } from '../status/causes.js';
import { type ReasonRow, reasons } from '../status/reasons.js';
import type { BookingTrigger, RefusalTrigger, RequestTrigger } from './triggers.js';

/** In a query: pickup and dropoff dates in the future, which a text that is printed cannot hold. */
const DATES = '{dates}';

/** A request for the reader; backticks mark code. */
export function requestText({ scenario, authorization, application, times, ...request }: RequestTrigger): string {
  return [
    `\`GET ${target(request)}\``,
    scenario === undefined ? '' : ` with \`X-Sandbox-Scenario: ${scenario}\``,
    authorization === undefined ? '' : ` with \`Authorization: ${authorization}\``,
    application === undefined ? '' : ` as \`${application}\``,
    times === 2 ? ', the second time' : '',
  ].join('');
}

/** Path and query of a request, `dates` in place of its dates. */
export function target(
  { path, query, isDated }: Pick<RequestTrigger, 'path' | 'query' | 'isDated'>,
  dates = DATES,
): string {
  const parts = Object.entries(query).map(([name, value]) => `${name}=${value}`);
  const text = [...parts, ...(isDated ? [dates] : [])].join('&');
  return text === '' ? path : `${path}?${text}`;
}

/** A booking for the reader; backticks mark code. */
export function bookingText({ brand, place, scenario, states }: BookingTrigger): string {
  const header = scenario === undefined ? '' : ` with \`X-Sandbox-Scenario: ${scenario}\``;
  return `book an offer of ${brand} at \`${place}\`${header}${states.length === 0 ? '' : ` (${statesText(states)})`}`;
}

/** States of a reservation one after the other. */
export function statesText(states: readonly string[]): string {
  return states.join(' → ');
}

/** Code and reason with which a business refusal is answered. */
export function answerOf({ cause }: RefusalTrigger): ReasonRow {
  return reasons[causes[cause].reason];
}
