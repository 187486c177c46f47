import type { OfferStatus, SupplierOffer } from '../../model/offers.js';
import { SupplierError } from '../../model/supplier.js';
import type { AbgPayment } from './price-mapping.js';
import { text } from './wire.js';

/** An offer's supplierRef as the searches wrote it: the codes as ABG knows them. */
export interface AbgRef {
  readonly pickupCode: string;
  readonly dropoffCode: string;
  readonly rateCode: string;
  readonly sippCode: string;
  readonly payment: AbgPayment;
  /** The car must be confirmed manually. */
  readonly onRequest: boolean;
  /** Whether the surcharge for young drivers applies at the age of the search, which alone says so. */
  readonly underAge: boolean;
  /** The age that was searched for. Undefined if a gateway wrote the ref that kept neither. */
  readonly age: number | undefined;
  /** Codes of the extras and coverages that come with the rate, as far as they are known. */
  readonly inRate: readonly string[];
  readonly classCode: string | undefined;
  readonly quoteId: string | undefined;
  readonly discountCode: string | undefined;
  readonly couponCode: string | undefined;
  readonly iataNumber: string | undefined;
  readonly vehicleName: string | undefined;
}

/** What the ref of a booking gets once ABG has confirmed its car, which was offered on request. */
export const ACCEPTED: SupplierOffer['supplierRef'] = { accepted: true };

/** How a booking is to be read that states no status: as a request, if its car was offered on request and isn't confirmed yet. */
export function statusUnlessStated(ref: SupplierOffer['supplierRef']): OfferStatus {
  return ref.onRequest === true && ref.accepted !== true ? 'on_request' : 'available';
}

const USUALLY_YOUNG_UNDER = 25;

/**
 * Whether the surcharge for young drivers, if a price check lists it, applies at an `age`: at the age of the search as ABG said then, and
 * so for younger drivers if it did, or older ones if it did not. Otherwise the usual limit decides. A ref without
 * the age is of a gateway for which it always applied, and stays so.
 */
export function isUnderAge({ underAge, age: searched }: AbgRef, age: number): boolean {
  if (searched === undefined) return true;
  const isYounger = age < searched;
  if (age === searched || isYounger === underAge) return underAge;
  return age < USUALLY_YOUNG_UNDER;
}

/**
 * Throws `rejected` with invalid_rate, unsent, if a ref lacks a code that ABG requires: such an offer can be shown but
 * not sold.
 */
export function readRef(ref: SupplierOffer['supplierRef']): AbgRef {
  return {
    pickupCode: required(ref, 'pickupCode'),
    dropoffCode: required(ref, 'dropoffCode'),
    rateCode: required(ref, 'rateCode'),
    sippCode: required(ref, 'sippCode'),
    payment: ref.payment === 'pay_now' ? 'pay_now' : 'pay_later',
    onRequest: ref.onRequest === true,
    underAge: ref.underAge === true,
    age: typeof ref.age === 'number' ? ref.age : undefined,
    inRate: text(ref.inRate)?.split(' ') ?? [],
    classCode: text(ref.classCode),
    quoteId: text(ref.quoteId),
    discountCode: text(ref.discountCode),
    couponCode: text(ref.couponCode),
    iataNumber: text(ref.iataNumber),
    vehicleName: text(ref.vehicleName),
  };
}

function required(ref: SupplierOffer['supplierRef'], name: string): string {
  const value = text(ref[name]);
  if (value === undefined)
    throw new SupplierError('rejected', `abg cannot price an offer without ${name}`, false, {
      refusal: 'invalid_rate',
    });
  return value;
}
