import type { SupplierHttpAnswer, SupplierHttpCall } from '../model/supplier.js';

/** An HTTP call and its answer; `answer` is undefined without one. */
export interface SentCall {
  readonly call: SupplierHttpCall;
  answer: SupplierHttpAnswer | undefined;
}

/** How many HTTP calls of one operation are kept: the answers of more would only cost memory. */
const MOST_SENT = 4;

/** Adds a call that is about to be sent, and returns it for its answer. */
export function keepSent(sent: SentCall[], call: SupplierHttpCall): SentCall {
  const kept: SentCall = { call, answer: undefined };
  if (sent.length === MOST_SENT) sent.shift();
  sent.push(kept);
  return kept;
}
