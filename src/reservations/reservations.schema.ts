import { z } from 'zod';
import { countryCode, integer, localDateTime, text } from '../http/fields.js';
import { luhn } from '../http/sensitive-url.js';
import { isCurrency } from '../model/money.js';
import { choiceFields, idFields, onlyOneId } from '../offers/choice.schema.js';

const amount = z
  .string()
  .regex(/^\d{1,9}(\.\d{1,4})?$/, { error: 'must be a decimal number as text, such as "252.99".' });
const currency = z
  .string()
  .regex(/^[A-Z]{3}$/, { error: 'must be a currency code of three capital letters (ISO 4217), such as USD.' })
  .refine(isCurrency, { error: 'is not a currency of ISO 4217.', params: { reason: 'invalid_range' } });
const email = z.email({ error: 'must be an e-mail address.' }).max(254, { error: 'must have at most 254 characters.' });
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
  age: integer(16, 99).optional().describe('At pickup, in years; default: from date_of_birth, or as searched for.'),
  date_of_birth: date.optional(),
  country_code: countryCode.optional().describe('Residence; must be that of the search, for prices depend on it.'),
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
    .regex(/^[A-Za-z0-9]{2,3}$/, { error: 'must be an airline code of two or three characters, such as BA.' })
    .transform((code) => code.toUpperCase()),
  flight_number: z
    .string()
    .regex(/^\d{1,4}[A-Za-z]?$/, { error: 'must be a flight number without the airline, such as 349.' }),
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
      .describe('Handed to a supplier that takes cards; never stored, logged or shown.'),
    card_expiry: z
      .string()
      .regex(/^(0[1-9]|1[0-2])\/(\d{2}|20\d{2})$/, { error: 'must be month/year, such as 09/28.' })
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
        issue(field, `"payment.${field}" is required with type card.`);
      if (value.type !== 'card' && value[field] !== undefined)
        issue(field, `"payment.${field}" goes with type card only.`);
    }
    if (value.type === 'voucher' && value.voucher === undefined)
      issue('voucher', '"payment.voucher" is required with type voucher.');
    if (value.type !== 'voucher' && value.voucher !== undefined)
      issue('voucher', '"payment.voucher" goes with type voucher only.');
  });

const remark = text(100);
const pickupLater = z.boolean({ error: 'must be true or false.' });

/** What may be accepted of a price. */
const acceptance = {
  accepted_total: z
    .strictObject({ amount, currency })
    .optional()
    .describe('The total you showed your customer; default: that of the id.'),
  price_tolerance: amount
    .optional()
    .describe('How much more it may cost than that, in the same currency; default 0. Less is always fine.'),
};

/** Query of an operation on one reservation whose path has no id (ruling 23). */
export const reservationQuery = z.strictObject({
  confirmation_number: text(64).optional().describe("The supplier's number, where the path has no reservation_id."),
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
    payment: payment.optional().describe('Default: at the counter.'),
    pickup_later: pickupLater.optional().describe('The renter collects after the booked time; needs arrival.'),
    client_reference: text(64)
      .optional()
      .describe('Yours; shown again with the reservation. Nothing personal: it is kept as it is.'),
    remark: remark.optional().describe('To the supplier. Nothing personal.'),
    notify_customer: z
      .boolean({ error: 'must be true or false.' })
      .optional()
      .describe('The supplier shall write to the driver; default false.'),
  }),
);

/** Body of PATCH: what is given is changed; null removes (ruling 22). */
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

/** Body of PUT: the rental anew, from a fresh offer or quote of the same supplier and brand; the driver stays (ruling 22). */
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
