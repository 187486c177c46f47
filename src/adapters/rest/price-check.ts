import type { SupplierOffer } from '../../model/offers.js';
import { type SupplierAnswer, SupplierError } from '../../model/supplier.js';

/**
 * The offer in the response to a price check; empty if it is gone. `ref` is that of the offer if the request couldn't name it: the supplier
 * then prices all, and the one with the same ref is kept. Throws SupplierError `bad_payload` if several are left.
 */
export function pricedOffer(
  found: SupplierAnswer<SupplierOffer>,
  ref: SupplierOffer['supplierRef'] | undefined,
): SupplierAnswer<SupplierOffer> {
  const items = ref ? found.items.filter(({ supplierRef }) => isSameRef(supplierRef, ref)) : found.items;
  if (items.length > 1)
    throw new SupplierError('bad_payload', 'the price check was for one offer, but the supplier priced several');
  return { ...found, items };
}

function isSameRef(one: SupplierOffer['supplierRef'], other: SupplierOffer['supplierRef']): boolean {
  return Object.entries(one).every(([name, value]) => other[name] === value);
}
