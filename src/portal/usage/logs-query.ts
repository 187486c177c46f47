import { z } from 'zod';
import type { LogCursor, RequestFilter } from '../../records/request-log.js';
import { filterText } from '../shell/filters.js';

/** The filters as entered. Invalid values are ignored, so the page is always shown. */
export const logsQuery = z.object({
  id: filterText,
  status: z
    .string()
    .trim()
    .toLowerCase()
    .regex(/^(?:[1-5]\d\d|[2-5]xx)$/)
    .optional()
    .catch(undefined),
  operation: filterText,
  supplier: filterText,
  cause: filterText,
  application: filterText,
  scenario: filterText,
  reservation: filterText,
  from: filterText,
  to: filterText,
  before: filterText,
});

/** Query of the page of one request. `at`: epoch milliseconds, selects one of several with the same id; `again`: how often the page was reloaded; anything else than a digit is 9. */
export const explainQuery = z.object({
  at: filterText,
  again: filterText.transform((text) => (text === undefined ? 0 : /^\d$/.test(text) ? Number(text) : 9)),
});

export type LogsQuery = z.infer<typeof logsQuery>;

/** The filter for the log. Times are UTC, to the minute; `to` includes its minute. `markOf` makes the marks of a reservation's id. */
export function filterOf(
  query: LogsQuery,
  markOf: (reservation: string) => RequestFilter['reservation'] = String,
): RequestFilter {
  const { id, status, operation, supplier, cause, scenario, reservation, from, to } = query;
  const until = instantOf(to);
  return {
    requestId: id,
    status: statusRange(status),
    operation,
    supplier,
    cause,
    scenario,
    reservation: reservation ? markOf(reservation) : undefined,
    from: instantOf(from),
    to: until === undefined ? undefined : until + 60_000,
  };
}

/** Whether errors are grouped above the log: on its first page, unless it is filtered by what groups of errors aren't. */
export function isGrouped({ before, id, cause, scenario, reservation }: LogsQuery): boolean {
  return [before, id, cause, scenario, reservation].every((filter) => filter === undefined);
}

/** The cursor of the next page in its URL: `<epoch ms>.<request id>`. */
export function cursorText({ at, requestId }: LogCursor): string {
  return `${at}.${requestId}`;
}

/** Undefined: start with the newest. */
export function cursorOf(before: string | undefined): LogCursor | undefined {
  const [, at, requestId] = /^(\d{1,15})\.(.+)$/.exec(before ?? '') ?? [];
  return at === undefined || requestId === undefined ? undefined : { at: Number(at), requestId };
}

function statusRange(status: string | undefined): readonly [number, number] | undefined {
  if (status === undefined) return undefined;
  const from = Number(status.replace('xx', '00'));
  return [from, status.endsWith('xx') ? from + 99 : from];
}

function instantOf(typed: string | undefined): number | undefined {
  const at = Date.parse(/^[1-9]\d{3}-\d\d-\d\dT\d\d:\d\d$/.test(typed ?? '') ? `${typed}Z` : '');
  return Number.isNaN(at) ? undefined : at;
}
