import type { MaskedExchange } from '../metrics/failed-exchanges.js';
import type { Operation } from '../model/supplier.js';
import { maskCardNumbers } from '../privacy/card-numbers.js';
import { type Known, leftIn, scrub, secretsIn } from '../privacy/scrub.js';
import { shapedBody, shapedPath } from '../privacy/shape.js';
import type { SentCall } from './sent-call.js';

/** Longer texts are cut: a fixture doesn't need more. */
const MOST_CHARACTERS = 16_384;
/** Bytes of an answer that are read for it. */
const MOST_READ = 8 * MOST_CHARACTERS;
/** Shorter secrets and names are parts of other words. */
const SHORTEST = 3;

/** Operations whose requests and answers have data of renters. */
const PERSONAL: ReadonlySet<Operation> = new Set(['book', 'retrieve', 'modify', 'cancel']);

/** What must not remain in an exchange. */
export interface Confidential {
  /** The supplier's credentials, as its file has them. */
  readonly credentials: Readonly<Record<string, string>>;
  /** All texts that the call knows about the renter; empty = unknown, not that there are none. */
  readonly renter: readonly string[];
}

/**
 * Masks what an operation sent and received. Headers aren't kept. Of searches, secrets, personal fields, email addresses
 * and card numbers are replaced by samples. Of operations on bookings, only what doesn't name a person is kept: codes, amounts
 * and messages; of all other values, only their shape (x for a letter, 0 for a digit). A text in which something could
 * remain is left out.
 */
export function maskExchange(
  { call, answer }: SentCall,
  operation: Operation,
  { credentials, renter }: Confidential,
): MaskedExchange {
  const known: readonly Known[] = [
    ...secretsIn(credentials),
    ...renter.map((text) => ({ what: 'renter', text, sample: 'xxx' })),
  ].filter(({ text }) => text.length >= SHORTEST);
  const isPersonal = PERSONAL.has(operation);
  const body = (text: string): string => masked(isPersonal ? shapedBody(text, renter) : text, known, isPersonal);
  return {
    method: call.method,
    path: masked(isPersonal ? shapedPath(call.path) : call.path, known, isPersonal).slice(0, 500),
    sent: call.body === undefined ? '' : body(textOf(call.body)),
    status: answer?.status ?? null,
    contentType: contentType(answer?.headers['content-type']),
    received: answer ? body(textOf(answer.body)) : '',
  };
}

function masked(text: string, known: readonly Known[], isPersonal: boolean): string {
  const plain = text.replace(/&#(?:x([\da-f]{1,5})|(\d{1,6}));/gi, (all, hex?: string, decimal?: string) => {
    const character = String.fromCodePoint(hex === undefined ? Number(decimal) : Number.parseInt(hex, 16));
    return /[\p{L}\p{N}]/u.test(character) ? character : all;
  });
  const scrubbed = scrub(plain, known, isPersonal);
  const clean = maskCardNumbers(scrubbed.text);
  const left = leftIn(clean, known, isPersonal, scrubbed.replaced.size === 0 && clean === plain);
  return left.length === 0 ? clean : `[not kept: it may contain a ${left.join(', ')}]`;
}

/** As compact JSON, if it is JSON, so that no escape of a letter hides a text. */
function textOf(body: string | Buffer): string {
  const text = typeof body === 'string' ? body : body.toString('utf8', 0, MOST_READ);
  if (text.length < MOST_READ && /^\s*[[{]/.test(text)) {
    try {
      return cut(JSON.stringify(JSON.parse(text)));
    } catch {
      // Not JSON: masked as text.
    }
  }
  return cut(text);
}

/** Never ends within a number, because a part of a card number isn't recognized as one. */
function cut(text: string): string {
  return text.length <= MOST_CHARACTERS ? text : text.slice(0, MOST_CHARACTERS).replace(/[\p{N}\s.,_-]{1,80}$/u, '');
}

/** Whether nothing that an error says about an operation may be kept: its supplier may have quoted a renter who isn't known. */
export function isUnspeakable(operation: Operation, renter: readonly string[]): boolean {
  return PERSONAL.has(operation) && renter.length === 0;
}

function contentType(header: string | string[] | undefined): string {
  return /^[\w.+-]{1,40}\/[\w.+-]{1,60}/.exec(String(header ?? ''))?.[0] ?? '';
}
