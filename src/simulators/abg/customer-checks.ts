import { DECLINED_CARD } from '../bookings.js';
import { refuse } from './answers.js';
import { group, text, type Wire } from './wire.js';

/** The renter of a create or update, as stored with the booking. */
export interface Renter {
  readonly firstName: string;
  readonly lastName: string;
  readonly email?: string;
  readonly phone?: string;
  /** Carrier and number, separated by a blank. */
  readonly flight?: string;
}

/**
 * Reads customer and arrival_flight. Throws AbgRefusal: 210 or 212 for a missing name, 215 email, 237 and 239 flight.
 */
export function readRenter(body: Wire): Renter {
  const contact = group(group(body.customer).contact);
  const firstName = text(contact.first_name) ?? refuse('210', 'first_name is mandatory');
  const lastName = text(contact.last_name) ?? refuse('212', 'last_name is required');
  const email = text(contact.email);
  if (email !== undefined && !/^[^@\s]+@[^@\s]+$/.test(email)) refuse('215', 'Invalid email');
  const phone = text(contact.telephone);
  const flight = readFlight(group(body.arrival_flight));
  return {
    firstName,
    lastName,
    ...(email !== undefined && { email }),
    ...(phone !== undefined && { phone }),
    ...(flight !== undefined && { flight }),
  };
}

function readFlight(wire: Wire): string | undefined {
  const carrier = text(wire.airline_code);
  const number = text(wire.airline_number);
  if (carrier === undefined && number === undefined) return undefined;
  if (!/^[A-Z0-9]{2}$/.test(carrier ?? '')) refuse('237', 'Invalid flight carrier_name');
  if (!/^\d{1,4}$/.test(number ?? '')) refuse('239', 'Invalid flight number');
  return `${carrier} ${number}`;
}

/**
 * Throws AbgRefusal for an invalid payment_preference: 300102 incomplete card, 14220 declined card, 400 invalid voucher
 * number.
 */
export function checkPayment(body: Wire): void {
  const preference = group(body.payment_preference);
  if (preference.type === 'CustomerPaymentCard') {
    const method = group(preference.payment_method);
    for (const name of ['card_type', 'card_number', 'card_holder_name', 'expiry_date']) {
      if (text(method[name]) === undefined) refuse('300102', 'Credit card details are mandatory');
    }
    if (text(method.card_number) === DECLINED_CARD) refuse('14220', 'Payment details are invalid.');
  }
  if (preference.type === 'Voucher' && !/^\d{6,8}$/.test(text(preference.id) ?? ''))
    refuse('400', 'Invalid element payment_preference.id');
}
