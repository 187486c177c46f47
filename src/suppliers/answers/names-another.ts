import { type SupplierAnswer, SupplierError } from '../../model/supplier.js';
import type { SentCall } from '../sent-call.js';

/** What the gateway's references look like, wherever an answer has one. */
const REFERENCE = /\bres_\w{20}\b/g;

/**
 * Throws SupplierError `bad_payload` if the last answer to an operation names other reservations of this gateway and not the one with
 * `reference`: a supplier, or a proxy in front of it, has mixed up its answers. It proves nothing about this reservation.
 * References that the call itself sent don't count: a renter's remark may have one, and suppliers repeat remarks.
 */
export function refuseAnother(sent: readonly SentCall[], reference: string): void {
  const { call, answer } = sent.at(-1) ?? {};
  if (!answer) return;
  const named: readonly string[] = answer.body.toString('latin1').match(REFERENCE) ?? [];
  if (!named.includes(reference) && named.some((other) => !call?.body?.includes(other)))
    throw new SupplierError('bad_payload', 'the answer is about another reservation');
}

/** A reference as the complete value of an attribute or of a member in JSON, and as the complete text of an element. */
const VALUES = [/[=:,[]\s*["'](res_\w{20})["']/g, />\s*(?:<!\[CDATA\[)?(res_\w{20})\s*[<\]]/g];

/**
 * Throws SupplierError `bad_payload` if a retrieval `found` nothing, but an answer to it has the reservation's reference as
 * the complete value of a member, attribute or element: the booking is there, in a form that isn't read. A reference
 * inside a text, or one that the call itself sent, may be quoted by an honest "not found".
 */
export function refuseOverlooked(found: unknown, sent: readonly SentCall[], reference: string): void {
  const { items } = found as SupplierAnswer<unknown>;
  if (items.length > 0) return;
  for (const { call, answer } of sent)
    if (answer && !JSON.stringify(call).includes(reference) && hasValue(answer.body, reference))
      throw new SupplierError('bad_payload', 'the answer names the reservation, but no booking could be read');
}

function hasValue(body: Buffer, reference: string): boolean {
  const text = body.toString('latin1');
  return VALUES.some((value) => [...text.matchAll(value)].some(([, found]) => found === reference));
}
