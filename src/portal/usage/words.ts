import { CALLER_LEFT } from '../../http/request-recorder.js';
import { operations } from '../../system/api-operations.js';

/** How a status is shown: `good` and `bad` are classes of a badge, empty = neither. */
export interface StatusWords {
  readonly tone: 'good' | 'partial' | 'bad' | '';
  readonly text: string;
}

const STATUS: Readonly<Record<number, StatusWords>> = {
  200: { tone: 'good', text: 'Whole answer' },
  201: { tone: 'good', text: 'Booked' },
  202: { tone: 'partial', text: 'Accepted, not certain yet' },
  204: { tone: 'good', text: 'Done' },
  206: { tone: 'partial', text: 'Partial answer' },
  304: { tone: 'good', text: 'Not changed since you last asked' },
  400: { tone: 'bad', text: 'Something in the request must be changed' },
  401: { tone: 'bad', text: 'No valid access token' },
  403: { tone: 'bad', text: 'Not allowed' },
  404: { tone: '', text: 'Nothing found' },
  408: { tone: 'bad', text: 'The time was up' },
  429: { tone: 'partial', text: 'Limit used up' },
  [CALLER_LEFT]: { tone: '', text: 'You left before the answer' },
  500: { tone: 'bad', text: 'Failed' },
  503: { tone: 'bad', text: 'Not available' },
};

/** What a status means, in a few words. */
export function statusWords(status: number): StatusWords {
  return STATUS[status] ?? { tone: status < 400 ? 'good' : 'bad', text: status < 400 ? 'Answered' : 'Failed' };
}

const SUMMARIES = new Map(operations.map(({ id, summary }) => [id, summary]));

/** What an operation does; its id where it is not served any more. */
export function operationName(id: string): string {
  return SUMMARIES.get(id) ?? id;
}

/** The operations that are recorded: id and what it does, in the order of the API's description. */
export const RECORDED_OPERATIONS: readonly (readonly [id: string, name: string])[] = operations
  .filter(({ paths }) =>
    paths.some((path) => path.startsWith('/cars/') || (path.startsWith('/oauth/') && path.endsWith('/v1'))),
  )
  .map(({ id, summary }) => [id, summary]);

const COUNT = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const TENTHS = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });

/** A whole number: 12,345. */
export function count(value: number): string {
  return COUNT.format(value);
}

/** Milliseconds: tenths below ten, whole above. */
export function ms(value: number): string {
  return `${(Math.abs(value) < 10 ? TENTHS : COUNT).format(value)} ms`;
}

/** A part of a whole in per cent, a dash where there is no whole. */
export function share(part: number, whole: number): string {
  return whole === 0 ? '–' : `${TENTHS.format((part / whole) * 100)} %`;
}
