import type { SippCategory, SippDrive, SippFuel, SippTransmission, SippType } from '../../model/acriss.js';
import type { CardBrand } from '../../model/card-brands.js';
import type { FuelPolicy, PaymentType } from '../../model/offers.js';

/** The states of a reservation, which the room of reservations owns: a test compares the two. */
type StateWord =
  | 'pending'
  | 'unknown'
  | 'manual_review'
  | 'on_request'
  | 'confirmed'
  | 'modify_pending'
  | 'cancel_pending'
  | 'cancel_unknown'
  | 'cancelled'
  | 'rejected'
  | 'failed'
  | 'expired'
  | 'completed'
  | 'no_show';

/** Names of all enumerated values: kind → value → name. A language with a missing name doesn't compile. */
export interface Words {
  readonly category: Readonly<Record<SippCategory, string>>;
  readonly type: Readonly<Record<SippType, string>>;
  readonly transmission: Readonly<Record<SippTransmission, string>>;
  readonly drive: Readonly<Record<SippDrive, string>>;
  readonly fuel: Readonly<Record<SippFuel, string>>;
  readonly air_conditioning: Readonly<Record<'true' | 'false', string>>;
  /** `rate.payment` of an offer. */
  readonly rate_payment: Readonly<Record<PaymentType, string>>;
  /** `payment.type` of a reservation. */
  readonly payment: Readonly<Record<'counter' | 'card' | 'voucher', string>>;
  readonly card: Readonly<Record<CardBrand, string>>;
  readonly state: Readonly<Record<StateWord, string>>;
  readonly fuel_policy: Readonly<Record<FuelPolicy, string>>;
}
