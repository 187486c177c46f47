import { type Operation, type SupplierAnswer, SupplierError } from '../../model/supplier.js';
import type { SentCall } from '../sent-call.js';
import { decoded } from './encoded-characters.js';

/** Which reservation an operation is about. */
export interface Naming {
  /**
   * Its reference. The answer to a write or to a retrieval by number must name it, if it names any; that to another
   * retrieval must not if it finds nothing.
   */
  readonly reference: string;
  /** Whether a retrieval asks for one confirmation number: it has no reason to list other reservations. */
  readonly isByNumber: boolean;
  /** What the call knows about the renter, as JSON. The answer may repeat it. */
  readonly renter: string | undefined;
}

/** What the gateway's references look like in a `spelled` text, wherever an answer has one; suppliers may change their case. */
const REFERENCE = /\bres_\w{20}\b/gi;
/** One that isn't the name of a member, attribute or element. */
const VALUE = /\bres_(\w{20})\b(?<!<\/?(?:[\w.-]+:)?res_\w{20})(?!["']\s*:|\s*=)/gi;
/** Between the words of a name. */
const JOINT = /_+|(?<=[a-z])(?=[A-Z])/;
const WORD = /^(?:[A-Z]?[a-z]{2,}|[A-Z]{2,})?$/;

/** A reference as the complete value of an attribute or of a member in JSON, and as the complete text of an element. */
const VALUES = [/[=:,[]\s*["']\s*(res_\w{20})\s*["']/g, />\s*(res_\w{20})\s*</g];

/** Around the text of an element, or parts of it. */
const CDATA = /<!\[cdata\[|\]\]>/gi;

/**
 * Checks the answers of an operation that `found` something or nothing, as refuseAnother or refuseOverlooked. The time grows with their size: large
 * ones are checked where they are read.
 */
export function refuseMixedUp(operation: Operation, found: unknown, sent: readonly SentCall[], naming: Naming): void {
  const { reference, renter } = naming;
  if (isAboutOne(operation, naming)) refuseAnother(sent, reference, renter);
  else refuseOverlooked(found, sent, reference);
}

/** Whether the answers to an operation have no reason to name other reservations: a retrieval by reference or name may list several. */
export function isAboutOne(operation: Operation, { isByNumber }: Naming): boolean {
  return operation !== 'retrieve' || isByNumber;
}

/**
 * Throws SupplierError `bad_payload` if the last answer to an operation names other reservations of this gateway and not the one with
 * `reference`: a supplier, or a proxy in front of it, has mixed up its answers. It proves nothing about this reservation.
 * References that the call itself sent, or that are in what is known about the `renter`, don't count: a remark may have one,
 * and suppliers repeat remarks. Nor do the names of members, which may look like one (`RES_MODIFICATION_ALLOWED`).
 */
export function refuseAnother(sent: readonly SentCall[], reference: string, renter = ''): void {
  const { call, answer } = sent.at(-1) ?? {};
  if (!answer) return;
  const text = spelled(answer.body);
  const named = text.match(REFERENCE) ?? [];
  if (named.some((one) => one.toLowerCase() === reference.toLowerCase())) return;
  const known = plain(Buffer.from(`${call?.body} ${renter}`));
  const others = [...text.matchAll(VALUE)].filter(([, random = '']) => !isWords(random));
  if (others.some(([other]) => !known.includes(other.toLowerCase())))
    throw new SupplierError('bad_payload', 'the answer is about another reservation');
}

/**
 * Throws SupplierError `bad_payload` if a retrieval `found` nothing, but an answer to it has the reservation's reference as
 * the complete value of a member, attribute or element: the booking is there, in a form that isn't read. A reference
 * inside a text, or one that the call itself sent, may be quoted by an honest "not found".
 */
export function refuseOverlooked(found: unknown, sent: readonly SentCall[], reference: string): void {
  const { items } = found as SupplierAnswer<unknown>;
  if (items.length > 0) return;
  for (const { call, answer } of sent)
    if (answer && !JSON.stringify(call).includes(reference) && hasValue(answer.body, reference.toLowerCase()))
      throw new SupplierError('bad_payload', 'the answer names the reservation, but no booking could be read');
}

function hasValue(body: Buffer, reference: string): boolean {
  const text = plain(body);
  return VALUES.some((value) => [...text.matchAll(value)].some(([, found]) => found === reference));
}

/** Whether it is made of words, as names are. One in ten thousand references is, and 3 % of those in capitals: without digits. */
function isWords(text: string): boolean {
  return text.split(JOINT).every((word) => WORD.test(word));
}

/** A `spelled` text in lower case. */
function plain(text: Buffer): string {
  return spelled(text).toLowerCase();
}

/**
 * A text, byte by byte, in which references are written in one way, whatever the dialect: without the zero bytes of UTF-16, and
 * with the encoded characters that a reference or the space around it can have. Other characters stay encoded, because a
 * decoded quotation mark would look like the end of a value.
 */
function spelled(text: Buffer): string {
  const bare = text.toString('latin1').replaceAll('\0', '').replace(CDATA, '');
  return decoded(Buffer.from(bare, 'latin1')).toString('latin1');
}
