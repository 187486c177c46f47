import { statusContainer } from '../status/status-container.js';
import type { Merged } from '../suppliers/merge.js';

/** What an answer over several suppliers is made of. `members` is the view of everything beside `status`. */
export interface PartialAnswerInput {
  readonly method: 'GET' | 'POST';
  /** Epoch milliseconds. */
  readonly requestTime: number;
  /** The caller prefers 200 to 206 (`Prefer: partial=200`). */
  readonly partialAs200: boolean;
  readonly merged: Merged;
  readonly members: object;
  /** Ids of suppliers left out for maintenance (ruling 6). */
  readonly skipped: readonly string[];
}

/** HTTP status, headers and finished JSON. */
export interface PartialAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * 200 or 206 with one container (rulings 1, 4, 8): 206 only on GET and only when something is missing; `Prefer: partial=200` turns the code
 * into 200 and leaves the body as it is.
 */
export function partialAnswer(input: PartialAnswerInput): PartialAnswer {
  const { merged } = input;
  const inBody = merged.partial && input.method === 'GET' ? 206 : 200;
  const preferred = inBody === 206 && input.partialAs200;
  const headers: Record<string, string> = { 'cache-control': 'no-store' };
  if (preferred) headers['preference-applied'] = 'partial=200';
  if (input.skipped.length > 0) headers['x-suppliers-skipped'] = input.skipped.join(', ');
  const status = statusContainer(input.requestTime, inBody, merged.problems);
  return { status: preferred ? 200 : inBody, headers, body: JSON.stringify({ status, ...input.members }) };
}
