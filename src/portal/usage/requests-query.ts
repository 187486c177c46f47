import { z } from 'zod';
import type { LogCursor, RequestFilter } from '../../records/request-log.js';

/** No control characters: the database takes no NUL. */
const text = z
  .string()
  .trim()
  .max(100)
  .regex(/^\P{Cc}*$/u)
  .optional()
  .catch(undefined);

/** As typed into the filters, to show them again. What cannot be read is as if it had not been said: a page is always shown. */
export const requestsQuery = z.object({
  id: text,
  status: z
    .string()
    .trim()
    .toLowerCase()
    .regex(/^(?:[1-5]\d\d|[2-5]xx)$/)
    .optional()
    .catch(undefined),
  operation: text,
  application: text,
  from: text,
  to: text,
  before: text,
});

/** Of the page of one request: `at` is the time of one of several with the same id, epoch ms; `again` = the page was asked for a moment ago. */
export const explainQuery = z.object({ at: text, again: text });

export type RequestsQuery = z.infer<typeof requestsQuery>;

/** The filter that was typed. Times are UTC, to the minute; `to` means the end of its minute. */
export function filterOf({ id, status, operation, from, to }: RequestsQuery): RequestFilter {
  const until = instantOf(to);
  return {
    requestId: id || undefined,
    status: statusRange(status),
    operation: operation || undefined,
    from: instantOf(from),
    to: until === undefined ? undefined : until + 60_000,
  };
}

/** Where a page goes on, as it stands in its URL: `<epoch ms>.<request id>`. */
export function cursorText({ at, requestId }: LogCursor): string {
  return `${at}.${requestId}`;
}

/** Undefined = from the newest on. */
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
