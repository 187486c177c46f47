import { SupplierError } from '../../model/supplier.js';
import type { SentCall } from '../sent-call.js';

/** What the gateway's references look like, wherever an answer has one. */
const REFERENCE = /\bres_\w{20}\b/g;

/**
 * Throws SupplierError `bad_payload` if the last answer to an operation names other reservations of this gateway and not the one with
 * `reference`: a supplier, or a proxy in front of it, has mixed up its answers. It proves nothing about this reservation.
 */
export function refuseAnother(sent: readonly SentCall[], reference: string): void {
  const answer = sent.at(-1)?.answer;
  if (!answer) return;
  const named: readonly string[] = answer.body.toString('latin1').match(REFERENCE) ?? [];
  if (named.length > 0 && !named.includes(reference))
    throw new SupplierError('bad_payload', 'the answer is about another reservation');
}
