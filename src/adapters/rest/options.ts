import { z } from 'zod';
import { moneyForm } from '../../model/money-form.js';
import { authSchema } from './auth.schema.js';
import { errorRules } from './errors.js';
import { expression, requestExpression } from './expression.schema.js';
import { formatFault, isEpoch, knownZone } from './local-time.js';
import { bookingMapping, locationMapping, offerMapping } from './mapping.schema.js';
import { headerTemplates, requestSchema } from './request.schema.js';
import { CALL_NAMES, type ManifestOperation, REQUEST_NAMES, type RequestNames } from './request-names.js';
import { CHANGES, tablesSchema } from './tables.js';

const timeFormat = z.string().superRefine((format, context) => {
  const fault = formatFault(format);
  if (fault !== undefined) context.addIssue({ code: 'custom', message: fault });
});

/** Time formats of answers and requests; `zone` applies if an answer has instants without a zone of their own. */
const times = z.strictObject({
  read: timeFormat.default('iso'),
  write: timeFormat
    .refine(
      (format) => !isEpoch(format),
      'must be iso or a pattern such as YYYY-MM-DD HH:mm: an epoch is not a wall clock',
    )
    .default('iso'),
  zone: z
    .string()
    .refine((zone) => knownZone(zone) !== undefined, 'is not a time zone; use an IANA name such as Europe/Berlin')
    .optional(),
  clock: z.enum(['HH:mm', 'minutes']).default('HH:mm'),
});

/** Maximum lists of one parent element. */
const MOST_LISTS = 10;

/** `parent.child`: in every element `parent` of an XML answer, `child` is a list. */
const lists = z
  .array(
    z
      .string()
      .regex(/^[^.:\s]+\.[^.:\s]+$/, 'must be parent.child, two names of elements without prefixes, such as cars.car'),
  )
  .max(50)
  .transform((entries, context) => {
    const byParent = new Map<string, readonly string[]>();
    for (const [parent = '', child = ''] of entries.map((entry) => entry.split('.')))
      byParent.set(parent, [...(byParent.get(parent) ?? []), child]);
    // Each of them is looked for in every such element of an answer.
    for (const [parent, children] of byParent)
      if (children.length > MOST_LISTS)
        context.addIssue({
          code: 'custom',
          message: `has ${children.length} lists in ${parent}; at most ${MOST_LISTS}`,
        });
    return byParent;
  });

/** A call, its own error rules, and the condition that a success must meet. */
function step(operation: ManifestOperation) {
  return stepWith(REQUEST_NAMES[operation]);
}

function stepWith(names: RequestNames) {
  return { request: requestSchema(names), errors: errorRules, expects: expression.optional() };
}

/** A hold may be released long after its booking failed; by then only its key is known. */
const release = z.strictObject(stepWith({ ...REQUEST_NAMES.cancel, personal: [] }));

/** Preconditions of the call: each expression must hold for the request. */
function needs(operation: ManifestOperation) {
  return z.array(requestExpression(REQUEST_NAMES[operation].open)).default([]);
}

const pages = z.strictObject({
  by: z.enum(['number', 'cursor', 'link']),
  next: expression,
  first: z.number().int().min(0).max(1).default(1),
  most: z.number().int().min(2).max(100).default(20),
});

const operations = {
  searchLocations: z.strictObject({
    ...step('searchLocations'),
    needs: needs('searchLocations'),
    rows: expression,
    pages: pages.optional(),
  }),
  searchVehicles: z.strictObject({ ...step('searchVehicles'), needs: needs('searchVehicles') }),
  priceCheck: z.strictObject({ ...step('priceCheck'), needs: needs('priceCheck') }),
  book: z.strictObject({
    ...step('book'),
    needs: needs('book'),
    /** Two steps: `hold` keeps the car, `request` confirms it, `release` releases it. */
    hold: z
      .strictObject({
        ...step('book'),
        ref: offerMapping.shape.ref,
        total: expression,
        currency: expression,
        release,
      })
      .optional(),
    booking: expression,
    takes: z.array(z.enum(['cards', 'vouchers', 'extras', 'coverages'])).default([]),
  }),
  retrieve: z.strictObject({
    byNumber: z.strictObject({ ...step('retrieve'), booking: expression }),
    byReference: z.strictObject({ ...step('retrieve'), rows: expression }).optional(),
  }),
  modify: z.strictObject({
    ...step('modify'),
    needs: needs('modify'),
    booking: expression,
    changes: z.array(z.enum(CHANGES)).min(1),
  }),
  cancel: z.strictObject({
    ...step('cancel'),
    confirmationNumber: expression.optional(),
    fee: expression.optional(),
    refund: expression.optional(),
    currency: expression.optional(),
    cancellationNumber: expression.optional(),
  }),
};

/** What the manifest refers to in the supplier's file: the names of its secrets, and its brands. */
export interface ManifestSetting {
  readonly credentials: readonly string[];
  readonly brands: readonly string[];
}

/**
 * The manifest of a REST supplier: its API as data (docs/rest-manifest.md explains each key). All expressions are
 * parsed; every error is an issue at its key.
 */
export function manifestSchema({ credentials, brands }: ManifestSetting) {
  return z
    .strictObject({
      headers: headerTemplates(CALL_NAMES).default({}),
      auth: authSchema(credentials),
      format: z.enum(['json', 'xml']).default('json'),
      lists: lists.default(new Map()),
      brandsPerCall: z.enum(['one', 'many']).default('many'),
      money: z.union([z.enum(['decimal', 'minor']), moneyForm]).default('decimal'),
      times: times.prefault({}),
      tables: tablesSchema.prefault({}),
      errors: errorRules,
      location: locationMapping.optional(),
      offer: offerMapping.optional(),
      booking: bookingMapping.optional(),
      searchLocations: operations.searchLocations.optional(),
      searchVehicles: operations.searchVehicles.optional(),
      priceCheck: operations.priceCheck.optional(),
      book: operations.book.optional(),
      retrieve: operations.retrieve.optional(),
      modify: operations.modify.optional(),
      cancel: operations.cancel.optional(),
    })
    .superRefine((manifest, context) => {
      const need = (key: string, present: unknown, why: string): void => {
        if (present === undefined || present === false)
          context.addIssue({ code: 'custom', path: key.split('.'), message: `is required ${why}` });
      };
      if (manifest.format !== 'xml' && manifest.lists.size > 0)
        context.addIssue({ code: 'custom', path: ['lists'], message: 'is allowed only with format: xml; remove it' });
      const { book, retrieve, modify, cancel, times, offer, booking } = manifest;
      if (manifest.searchLocations ?? offer) need('location', manifest.location, 'to read locations');
      if (manifest.searchVehicles ?? manifest.priceCheck) need('offer', offer, 'to read offers');
      if (brands.length > 1) {
        if (manifest.location)
          need('location.brand', manifest.location.brand, 'because the supplier has several brands');
        if (offer) need('offer.brand', offer.brand, 'because the supplier has several brands');
      }
      if (book ?? retrieve ?? modify) need('booking', booking, 'to read bookings');
      if (book) {
        for (const key of ['priceCheck', 'retrieve', 'cancel'] as const)
          need(key, manifest[key], 'if the manifest has book');
      }
      if (modify) need('book', book, 'if the manifest has modify');
      if (cancel && cancel.expects === undefined)
        need('cancel.expects', cancel.expects, 'to distinguish a cancellation from an incomplete answer');
      if (cancel?.fee ?? cancel?.refund) need('cancel.currency', cancel?.currency, 'to read amounts');
      if (booking?.total) need('booking.currency', booking.currency, 'to read amounts');
      if (retrieve?.byReference) need('booking.reference', booking?.reference, 'to verify whose bookings are found');
      if (book?.hold) {
        need('retrieve.byReference', retrieve?.byReference, 'to find leftover holds');
        for (const name of Object.keys(book.hold.ref))
          need(`booking.ref.${name}`, booking?.ref[name], 'to release leftover holds');
      }
      if (isEpoch(times.read) && (booking?.pickupDate ?? booking?.dropoffDate) && times.zone === undefined) {
        if (booking?.pickupDate)
          need('booking.pickupZone', booking.pickupZone, 'to convert instants to local time; or set times.zone');
        if (booking?.dropoffDate)
          need('booking.dropoffZone', booking.dropoffZone, 'to convert instants to local time; or set times.zone');
      }
      if (isEpoch(times.read) && offer && times.zone === undefined) {
        if (offer.pickupDate ?? offer.cancellation?.freeUntil)
          need('offer.zone', offer.zone, 'to convert instants to local time; or set times.zone');
        if (offer.dropoffDate)
          need('offer.dropoffZone', offer.dropoffZone, 'to convert instants to local time; or set times.zone');
      }
    });
}

/** A validated manifest. */
export type Manifest = z.infer<ReturnType<typeof manifestSchema>>;
/** A call with its own error rules and the condition that a success must meet. */
export type Step = Pick<Manifest['cancel'] & object, 'request' | 'errors' | 'expects'>;
