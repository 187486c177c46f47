import type { SupplierError } from '../model/supplier.js';

/** The contract is broken; the message says how, and holds nothing of the renter. */
export class Breach extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'Breach';
  }
}

/** Throws a Breach unless `holds`. */
export function must(holds: boolean, breach: string): asserts holds {
  if (!holds) throw new Breach(breach);
}

/** `fault (message)` of an error, for a Breach. */
export function told(error: SupplierError): string {
  return `${error.fault}${error.refusal === undefined ? '' : ` ${error.refusal}`} (${error.message.slice(0, 120)})`;
}
