import { z } from 'zod';
import type { ChangeKind } from '../../model/bookings.js';
import { isCurrency } from '../../model/money.js';
import { moneyForm } from '../../model/money-form.js';
import { charsetOf } from '../xml/encoding.js';
import { PURPOSE_KINDS } from './charge-codes.js';
import { ENCODINGS, ENVELOPES, OWN_HEADERS } from './envelope.js';
import { ERROR_REASONS } from './errors.js';
import { RESERVATION_STATUSES } from './status-words.js';

const path = z.string().regex(/^\//, 'must begin with /');

/** What a booking may contain besides the car. */
const TAKEN = ['cards', 'vouchers', 'extras', 'coverages'] as const;

/** The kinds of changes, in the words of the model. */
const CHANGES = [
  'contact',
  'arrival',
  'remark',
  'extras',
  'coverages',
  'rental',
] as const satisfies readonly ChangeKind[];

const credentialPair = z.strictObject({ username: z.string(), password: z.string() });

/** The settings of one OTA supplier: everything in which suppliers of this dialect differ. All have defaults. */
export const otaOptionsSchema = z
  .strictObject({
    paths: z
      .strictObject({ locations: path.default('/ota'), vehicles: path.default('/ota'), bookings: path.default('/ota') })
      .prefault({})
      .describe('bookings: all operations from the price check to the cancellation.'),
    requestor: z
      .strictObject({
        type: z.string().default('4').describe('UIT code of RequestorID@Type.'),
        id: z.string().default('FORECOURT').describe('The credential requestorId takes precedence.'),
        idContext: z.string().optional(),
      })
      .prefault({}),
    vendorCodes: z
      .record(z.string(), z.string().min(1))
      .default({})
      .describe("Brand → the supplier's vendor code; a brand without one is sent by name."),
    vendorCodeContext: z.string().optional().describe('CodeContext sent with vendor codes; by default none.'),
    locationCode: z
      .strictObject({
        context: z.string().default('IATA').describe('CodeContext sent with a code built from an airport.'),
        template: z
          .string()
          .includes('{iata}')
          .default('{iata}')
          .describe("An airport's code in the supplier's spelling: '{iata}T01'."),
        extended: z
          .boolean()
          .default(false)
          .describe('Send the plain airport as LocationCode and the template in ExtendedLocationCode.'),
        supplierContext: z.string().optional().describe("CodeContext sent with the supplier's own location codes."),
      })
      .prefault({}),
    locationCriterion: z
      .enum(['code_ref', 'ref_point'])
      .default('code_ref')
      .describe('How a code is searched in OTA_VehLocSearchRQ.'),
    envelope: z.enum(ENVELOPES).default('bare'),
    soapAction: z
      .string()
      .regex(/^[\x21\x23-\x7e]*$/, 'must be printable ASCII without spaces and quotes')
      .default('')
      .describe('SOAPAction header with soap11, action of the content type with soap12.'),
    basicAuth: credentialPair
      .optional()
      .describe('HTTP Basic: the names of the credentials with user name and password.'),
    headers: z
      .record(
        z
          .string()
          .regex(/^[a-z0-9-]{1,64}$/i, 'is not a header name; use 1 to 64 letters, digits and hyphens')
          .refine((name) => !OWN_HEADERS.includes(name.toLowerCase()), 'is set by the gateway; remove it'),
        z.string().regex(/^([^{}]|\{\w+\})*$/, 'must be text with names of credentials in braces, such as {apiKey}'),
      )
      .default({})
      .describe('Headers of every call: { x-api-key: "{apiKey}" } with the credential apiKey.'),
    wsSecurity: credentialPair
      .extend({ type: z.enum(['text', 'digest']).describe('PasswordText, or PasswordDigest with nonce and time.') })
      .optional()
      .describe('UsernameToken in the SOAP header: the names of the credentials with user name and password.'),
    gzip: z.boolean().default(false).describe('Send requests compressed. Compressed answers are always read.'),
    encoding: z.enum(ENCODINGS).default('utf-8').describe('Encoding of requests, as in their XML declaration.'),
    contentType: z
      .string()
      .regex(/^[\x20-\x7e]+$/, 'must be printable ASCII')
      .optional()
      .describe('Default: text/xml, or application/soap+xml with soap12, with the charset of `encoding`.'),
    namespace: z
      .string()
      .default('http://www.opentravel.org/OTA/2003/05')
      .describe(
        "Namespace of requests; '' means none. Answers with results are read in any namespace, with a warning for an unknown one.",
      ),
    prefix: z
      .string()
      .regex(
        /^([A-Za-z_][\w.-]*)?$/,
        'is not an XML namespace prefix; use letters, digits, -, _ and ., beginning with a letter or _',
      )
      .default('')
      .describe(
        "Prefix of the elements of requests: 'ota' writes ota:POS; '' makes the namespace the default one. Answers are read with any prefix.",
      ),
    version: z.string().default('2.001').describe('@Version of every request.'),
    versions: z
      .record(z.string().regex(/^OTA_\w+RQ$/, 'must be the name of a request such as OTA_VehResRQ'), z.string().min(1))
      .default({})
      .describe('Request → @Version, where a supplier requires another one.'),
    target: z
      .enum(['auto', 'Test', 'Production'])
      .default('auto')
      .describe('auto: Test in the sandbox, Production otherwise.'),
    primaryLangId: z.string().default('en'),
    pageSize: z.number().int().min(1).max(999).default(99).describe('MaxResponses.'),
    dateSeconds: z
      .boolean()
      .default(true)
      .describe('Whether times in requests have seconds; answers are read with and without.'),
    dateSuffix: z
      .string()
      .regex(/^(Z|[+-]\d{2}:\d{2})?$/, "must be '', Z or an offset such as +01:00")
      .default('')
      .describe(
        'Offset appended to the wall clock in requests, for suppliers that require one but ignore it; also ignored in answers.',
      ),
    currency: z
      .string()
      .refine(isCurrency, 'must be an ISO 4217 currency code such as EUR')
      .optional()
      .describe('Currency of amounts that state none.'),
    money: moneyForm
      .optional()
      .describe(
        'How amounts are written, if not as 1234.56; percentages and quantities too, but never in minor units.',
      ),
    distanceUnit: z.enum(['km', 'mi']).default('km').describe('Unit of distances that state none.'),
    totalFrom: z
      .enum(['estimated', 'rate_plus_fees'])
      .default('estimated')
      .describe(
        'estimated: TotalCharge@EstimatedTotalAmount is the total. rate_plus_fees: RateTotalAmount plus the mandatory charges.',
      ),
    chargesIncludedByDefault: z
      .boolean()
      .default(true)
      .describe('Whether a mandatory charge without IncludedInEstTotalInd is in the total.'),
    taxAmountsInTotal: z
      .boolean()
      .default(true)
      .describe('Whether TaxAmounts on top of a counted charge are in the total.'),
    chosenInTotal: z
      .boolean()
      .default(true)
      .describe(
        'Whether EstimatedTotalAmount includes the chosen extras and coverages, if their charges do not say so.',
      ),
    describedPerDay: z
      .enum(['day', 'rental'])
      .optional()
      .describe(
        'What the Amount of an extra or coverage is for if its Description says "per day" or "daily". By default, such an amount is left out.',
      ),
    countedUnits: z
      .enum(['unit', 'rental'])
      .optional()
      .describe(
        'What the Amount of an extra or coverage is for if its Calculation counts days, weeks or hours without a price for one. By default, such an amount is left out.',
      ),
    fewerUnits: z
      .enum(['charged', 'price'])
      .optional()
      .describe(
        'What the UnitCharge of an extra or coverage is for if its Quantity is fewer days than the rental has: the units that are charged, or the price of one. By default, one day is a price, and all else is left out.',
      ),
    maxQuantity: z
      .enum(['units', 'pieces'])
      .optional()
      .describe(
        'What the MaxQuantity of a Calculation limits: the units that are charged (10 days at most), or the pieces of an extra. By default, a price above it is left out.',
      ),
    equipmentQuantity: z
      .enum(['chosen', 'most'])
      .optional()
      .describe(
        'What Equipment@Quantity of a price check is if it equals the chosen number: the pieces that the charge is for, or the most that can be chosen. By default the former; if the charge is the price per day × days of one, it is left out.',
      ),
    ownReference: z
      .enum(['unique_id', 'reference'])
      .default('unique_id')
      .describe(
        'Where OTA_VehResRQ carries our reference besides TransactionIdentifier: VehResRQCore/UniqueID or VehResRQInfo/Reference, type 16.',
      ),
    repeatsReference: z
      .boolean()
      .default(true)
      .describe('Whether reservations have our reference in ConfID type 16. If not, lost bookings cannot be found.'),
    numberTypes: z
      .array(z.string().min(1))
      .default(['Supplier', '4'])
      .describe(
        'ConfID@Type of the number by which a booking is called, if it has none of type 14, 40 or 8. The first one with a number counts.',
      ),
    cancelType: z
      .enum(['Book', 'Cancel', 'Commit'])
      .default('Book')
      .describe("VehCancelRQCore@CancelType; Book is in OTA's own sample."),
    takes: z
      .array(z.enum(TAKEN))
      .default([...TAKEN])
      .describe('What the supplier takes with a booking; anything else is refused before it is called.'),
    changes: z
      .array(z.enum(CHANGES))
      .default([...CHANGES])
      .describe('What can be changed. [] = the supplier has no OTA_VehModifyRQ, and reservations cannot be changed.'),
    statusWords: z
      .record(z.string(), z.enum(RESERVATION_STATUSES))
      .default({})
      .describe("Status word of a reservation → meaning, if the supplier's words differ from OTA's."),
    purposeKinds: z
      .record(z.string(), z.enum(PURPOSE_KINDS))
      .default({})
      .describe(
        "Purpose of a charge (VCP code, or the supplier's word; '' for a charge without one) → kind, if the supplier's use differs from the list. deposit: the deposit; prepaid, on_arrival: what is due now or at the counter; none: not a charge.",
      ),
    errorCodes: z
      .record(z.string(), z.enum(ERROR_REASONS))
      .default({})
      .describe("Error code → reason, if the supplier's use differs from the list."),
  })
  .refine(({ prefix, namespace }) => prefix === '' || namespace !== '', {
    path: ['prefix'],
    message: "requires a namespace; set namespace or set prefix to ''",
  })
  .refine(({ wsSecurity, envelope }) => wsSecurity === undefined || envelope !== 'bare', {
    path: ['wsSecurity'],
    message: 'requires a SOAP header; set envelope to soap11 or soap12',
  })
  .refine(
    ({ basicAuth, headers }) => !basicAuth || !Object.keys(headers).some((name) => /^authorization$/i.test(name)),
    {
      path: ['headers'],
      message: 'has authorization, which basicAuth sets; remove one of them',
    },
  )
  .refine(({ contentType = '', encoding }) => (charsetOf(contentType) ?? encoding) === encoding, {
    path: ['contentType'],
    message: 'has another charset than `encoding`; set encoding, or remove the charset',
  });

export type OtaOptions = z.infer<typeof otaOptionsSchema>;
