import { statusContainer } from '../status/status-container.js';
import type { Merged } from '../suppliers/merge.js';
import { commaSeparated, concatenated, type JsonBytes } from './json-bytes.js';

/** The parts of a response with results from several suppliers. */
export interface PartialAnswerInput {
  readonly method: 'GET' | 'POST';
  /** Epoch milliseconds. */
  readonly requestTime: number;
  /** Whether the caller sent `Prefer: partial=200`. */
  readonly partialAs200: boolean;
  readonly merged: Merged;
  /** All members of the body except `status` and `list`. */
  readonly members: object;
  /** The last member of the body, a list whose items are bytes of JSON already. */
  readonly list?: ItemList;
  /** Ids of suppliers that were skipped because they are in maintenance (ruling 6). */
  readonly skipped: readonly string[];
}

/** A list whose items are bytes of JSON. */
export interface ItemList {
  readonly name: string;
  readonly items: readonly JsonBytes[];
}

/** A response with its serialized body. */
export interface PartialAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

/**
 * Builds a 200 or 206 response (rulings 1, 4, 8). The status is 206 only for a partial result of a GET; `Prefer:
 * partial=200` changes it to 200 but not the body.
 */
export function partialAnswer(input: PartialAnswerInput): PartialAnswer {
  const { merged } = input;
  const inBody = merged.partial && input.method === 'GET' ? 206 : 200;
  const preferred = inBody === 206 && input.partialAs200;
  const headers: Record<string, string> = { 'cache-control': 'no-store' };
  if (preferred) headers['preference-applied'] = 'partial=200';
  if (input.skipped.length > 0) headers['x-suppliers-skipped'] = input.skipped.join(', ');
  const status = statusContainer(input.requestTime, inBody, merged.problems);
  const members = JSON.stringify({ status, ...input.members });
  const body = input.list ? withList(members, input.list) : members;
  return { status: preferred ? 200 : inBody, headers, body };
}

const END = Buffer.from(']}');

/**
 * Adds a list as the last member of an object, which is JSON text with at least one member. Bytes, because one character
 * outside Latin-1 in a joined text would double its memory and make its conversion ten times as slow.
 */
export function withList(json: string, { name, items }: ItemList): Buffer {
  return concatenated([Buffer.from(`${json.slice(0, -1)},"${name}":[`), ...commaSeparated(items), END]);
}
