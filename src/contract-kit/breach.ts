import type { SupplierError } from '../model/supplier.js';

/** A violation of the contract. The message says what is wrong and contains no data of the renter. */
export class Breach extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'Breach';
  }
}

/** Throws a Breach if `holds` is false. */
export function must(holds: boolean, breach: string): asserts holds {
  if (!holds) throw new Breach(breach);
}

/** `fault refusal (message)` of an error, for the message of a Breach. */
export function describeError(error: SupplierError): string {
  return `${error.fault}${error.refusal === undefined ? '' : ` ${error.refusal}`} (${error.message.slice(0, 120)})`;
}
