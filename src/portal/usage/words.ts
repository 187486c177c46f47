import { CALLER_LEFT } from '../../http/request-recorder.js';
import { operations } from '../../system/api-operations.js';

/** How a status is shown. `tone` is the CSS class of the badge. */
export interface StatusWords {
  readonly tone: 'good' | 'partial' | 'bad' | '';
  readonly text: string;
}

const STATUS: Readonly<Record<number, StatusWords>> = {
  200: { tone: 'good', text: 'Complete response' },
  201: { tone: 'good', text: 'Booked' },
  202: { tone: 'partial', text: 'Accepted, outcome pending' },
  204: { tone: 'good', text: 'Done' },
  206: { tone: 'partial', text: 'Partial response' },
  304: { tone: 'good', text: 'Not modified' },
  400: { tone: 'bad', text: 'Invalid request' },
  401: { tone: 'bad', text: 'No valid access token' },
  403: { tone: 'bad', text: 'Not allowed' },
  404: { tone: '', text: 'Nothing found' },
  408: { tone: 'bad', text: 'Timed out' },
  429: { tone: 'partial', text: 'Rate limit exceeded' },
  [CALLER_LEFT]: { tone: '', text: 'Client disconnected' },
  500: { tone: 'bad', text: 'Failed' },
  503: { tone: 'bad', text: 'Service unavailable' },
};

/** The meaning of a status code in a few words. */
export function statusWords(status: number): StatusWords {
  return STATUS[status] ?? { tone: status < 400 ? 'good' : 'bad', text: status < 400 ? 'Answered' : 'Failed' };
}

const SUMMARIES = new Map(operations.map(({ id, summary }) => [id, summary]));

/** The summary of an operation, or its id if it no longer exists. */
export function operationName(id: string): string {
  return SUMMARIES.get(id) ?? id;
}

/** The recorded operations (id and summary), in the order of the OpenAPI document. */
export const RECORDED_OPERATIONS: readonly (readonly [id: string, name: string])[] = operations
  .filter(({ paths }) =>
    paths.some((path) => path.startsWith('/cars/') || (path.startsWith('/oauth/') && path.endsWith('/v1'))),
  )
  .map(({ id, summary }) => [id, summary]);

const COUNT = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const TENTHS = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });

/** Formats an integer: 12,345. */
export function count(value: number): string {
  return COUNT.format(value);
}

/** Formats milliseconds, with one decimal below ten. */
export function ms(value: number): string {
  return `${(Math.abs(value) < 10 ? TENTHS : COUNT).format(value)} ms`;
}

/** Formats a part of a total in percent; a dash if the total is 0. */
export function share(part: number, total: number): string {
  return total === 0 ? '–' : `${TENTHS.format((part / total) * 100)}%`;
}

const CALLS: Readonly<Record<string, string>> = {
  searchLocations: 'location search',
  searchVehicles: 'search',
  priceCheck: 'price check',
  book: 'booking',
  retrieve: 'retrieval',
  modify: 'change',
  cancel: 'cancellation',
};

/** The kind of a supplier call in a word or two. */
export function callWords(operation: string): string {
  return CALLS[operation] ?? operation;
}
