import { z } from 'zod';
import { countryCode, integer, localDateTime, text } from '../http/fields.js';
import { isCurrency } from '../model/money.js';
import { choiceFields, idFields, onlyOneId } from '../offers/choice.schema.js';
import { luhn } from '../privacy/card-schemes.js';

const amount = z
  .string()
  .regex(/^\d{1,9}(\.\d{1,4})?$/, { error: 'must be a decimal number in a string, such as "252.99".' });
const currency = z
  .string()
  .regex(/^[A-Z]{3}$/, { error: 'must be a three-letter ISO 4217 currency code in uppercase, such as USD.' })
  .refine(isCurrency, { error: 'is not an ISO 4217 currency.', params: { reason: 'invalid_range' } });
const email = z
  .email({ error: 'must be an email address, such as jane@example.com.' })
  .max(254, { error: 'must have at most 254 characters.' });
const phone = z
  .string()
  .regex(/^\+?[0-9][0-9 ()./-]{3,23}$/, { error: 'must be a phone number, such as +1 617 555 0100.' })
  .refine((text) => text.replace(/\D/g, '').length <= 15, {
    error: 'must have at most 15 digits.',
    params: { reason: 'invalid_format' },
  });
const date = z.iso.date({ error: 'must be a date, such as 1990-05-31.' });

const address = z.strictObject({
  lines: z
    .array(text(80))
    .min(1, { error: 'must have at least one line.' })
    .max(3, { error: 'must have at most 3 lines.' }),
  city: text(60),
  region: text(40).optional(),
  postal_code: text(16).optional(),
  country_code: countryCode,
});

const driver = z.strictObject({
  first_name: text(60),
  last_name: text(60),
  email,
  phone: phone.optional(),
  age: integer(16, 99)
    .optional()
    .describe('Age in years at pickup. Default: calculated from date_of_birth, or the age used in the search.'),
  date_of_birth: date.optional(),
  country_code: countryCode
    .optional()
    .describe('Country of residence. Must match the search, because prices depend on it.'),
  licence: z
    .strictObject({ number: text(40), country_code: countryCode.optional(), region: text(40).optional() })
    .optional(),
  address: address.optional(),
  loyalty: z
    .array(z.strictObject({ program: text(32).optional(), number: text(40) }))
    .max(5, { error: 'must have at most 5 entries.' })
    .optional(),
});

const arrival = z.strictObject({
  carrier_code: z
    .string()
    .regex(/^[A-Za-z0-9]{2,3}$/, { error: 'must be a two- or three-character airline code, such as BA.' })
    .transform((code) => code.toUpperCase()),
  flight_number: z
    .string()
    .regex(/^\d{1,4}[A-Za-z]?$/, { error: 'must be a flight number without the airline code, such as 349.' }),
  arrives_at: localDateTime.optional().describe('Local time at the pickup location.'),
});

const CARD_FIELDS = ['credit_card_number', 'card_expiry', 'card_holder'] as const;

const payment = z
  .strictObject({
    type: z.enum(['counter', 'card', 'voucher'], { error: 'must be counter, card or voucher.' }),
    credit_card_number: z
      .string()
      .regex(/^\d{13,19}$/, { error: 'must be 13 to 19 digits.' })
      .refine(luhn, {
        error: 'is not a valid card number: its check digit is wrong.',
        params: { reason: 'invalid_format' },
      })
      .optional()
      .describe('Passed on to suppliers that accept cards; never stored, logged or returned.'),
    card_expiry: z
      .string()
      .regex(/^(0[1-9]|1[0-2])\/(\d{2}|20\d{2})$/, { error: 'must be in the form MM/YY or MM/YYYY, such as 09/28.' })
      .optional(),
    card_holder: text(60).optional(),
    voucher: z
      .string()
      .regex(/^[A-Za-z0-9-]{4,32}$/, { error: 'must be a voucher number of 4 to 32 letters and digits.' })
      .optional(),
  })
  .check(({ value, issues }) => {
    const issue = (field: string, message: string): void => {
      issues.push({ code: 'custom', input: value, path: [field], params: { reason: 'invalid_request' }, message });
    };
    for (const field of CARD_FIELDS) {
      if (value.type === 'card' && value[field] === undefined)
        issue(field, `"payment.${field}" is required with "payment.type" card.`);
      if (value.type !== 'card' && value[field] !== undefined)
        issue(field, `"payment.${field}" is only allowed with "payment.type" card.`);
    }
    if (value.type === 'voucher' && value.voucher === undefined)
      issue('voucher', '"payment.voucher" is required with "payment.type" voucher.');
    if (value.type !== 'voucher' && value.voucher !== undefined)
      issue('voucher', '"payment.voucher" is only allowed with "payment.type" voucher.');
  });

/** Narrow, because it is stored unencrypted: no text that a person writes fits. */
export const clientReference = z
  .string()
  .min(1, { error: 'must not be empty.' })
  .max(64, { error: 'must have at most 64 characters.' })
  .regex(/^[\w.:-]*$/, { error: 'must have only letters A–Z, digits and the characters _ . : -' });

const remark = text(100);
const pickupLater = z.boolean({ error: 'must be true or false.' });

/** The fields that say which price the caller accepts. */
const acceptance = {
  accepted_total: z
    .strictObject({ amount, currency })
    .optional()
    .describe('The total you showed your customer. Default: the total of the offer or quote.'),
  price_tolerance: amount
    .optional()
    .describe(
      'How far the price may exceed that total, in the same currency. Default: 0. A lower price is always accepted.',
    ),
};

const IN_URL =
  'belongs in the URL: /cars/reservation/v1/{reservation_id}, or /cars/reservation/v1?confirmation_number= without an id.';

/** Where ids belong that are in a body. */
export const BODY_HINTS: Readonly<Record<string, string>> = { reservation_id: IN_URL, confirmation_number: IN_URL };

/** Where ids belong that are in a query but can't be. */
export const QUERY_HINTS: Readonly<Record<string, string>> = {
  reservation_id: IN_URL,
  client_reference:
    "doesn't identify one reservation: find its id with GET /cars/reservation/v1/reservations?client_reference=.",
};

/** Query of an operation on one reservation, for paths without an id (ruling 23). */
export const reservationQuery = z.strictObject({
  confirmation_number: text(64)
    .optional()
    .describe("The supplier's confirmation number, if the path has no reservation_id."),
});

/** Body of POST /cars/reservation/v1/ (docs/model.md#reservation). */
export const createBody = onlyOneId(
  z.strictObject({
    ...idFields,
    ...choiceFields,
    ...acceptance,
    driver,
    additional_drivers: z
      .array(z.strictObject({ first_name: text(60), last_name: text(60) }))
      .max(4, { error: 'must have at most 4 entries.' })
      .optional(),
    arrival: arrival.optional(),
    payment: payment.optional().describe('Default: type counter (payment at pickup).'),
    pickup_later: pickupLater
      .optional()
      .describe('The renter picks the vehicle up later than the booked time. Requires arrival.'),
    client_reference: clientReference
      .optional()
      .describe(
        'Your own reference, returned with the reservation: letters, digits and _ . : - only. Must not contain personal data: it is stored unencrypted.',
      ),
    remark: remark.optional().describe('A note to the supplier. Must not contain personal data.'),
    notify_customer: z
      .boolean({ error: 'must be true or false.' })
      .optional()
      .describe('Whether the supplier notifies the driver. Default: false.'),
  }),
);

/** Body of PATCH: replaces the given fields; null removes one (ruling 22). */
export const patchBody = z.strictObject({
  ...choiceFields,
  ...acceptance,
  driver: z
    .strictObject({
      email: email.optional(),
      phone: phone.nullable().optional(),
      address: address.nullable().optional(),
    })
    .optional(),
  arrival: arrival.nullable().optional(),
  remark: remark.nullable().optional(),
  pickup_later: pickupLater.optional(),
});

/**
 * Body of PUT: replaces the rental with a new offer or quote of the same supplier and brand; the driver stays the same
 * (ruling 22).
 */
export const putBody = onlyOneId(
  z.strictObject({
    ...idFields,
    ...choiceFields,
    ...acceptance,
    arrival: arrival.optional(),
    pickup_later: pickupLater.optional(),
    remark: remark.optional(),
  }),
);

export type CreateBody = z.output<typeof createBody>;
export type PatchBody = z.output<typeof patchBody>;
export type PutBody = z.output<typeof putBody>;
export type ReservationQuery = z.output<typeof reservationQuery>;
