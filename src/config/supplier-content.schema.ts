import { z } from 'zod';

const CARDS = [
  'visa',
  'mastercard',
  'american_express',
  'diners_club',
  'discover',
  'jcb',
  'maestro',
  'union_pay',
  'uatp',
  'other',
] as const;

const httpsUrl = z.url({ protocol: /^https$/, hostname: z.regexes.domain }).max(500);

const term = z
  .strictObject({
    kind: z
      .string()
      .regex(/^[a-z][a-z_]{1,40}$/)
      .describe('What the terms are about: rental, privacy, insurance, …'),
    language: z
      .string()
      .regex(/^[a-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}$/)
      .describe('Language of the text or page: a BCP 47 tag, such as de or de-CH.'),
    url: httpsUrl.optional().describe('Address of the terms.'),
    text: z.string().min(1).max(2_000).optional().describe('The terms, if there is no address.'),
  })
  .refine(({ url, text }) => (url === undefined) !== (text === undefined), 'needs either url or text');

/** What `GET /cars/suppliers/v1/` and vouchers show of a supplier besides what its adapter can do. */
export const supplierContent = z
  .strictObject({
    supportPhone: z
      .string()
      .regex(/^\+[1-9]\d{6,14}$/)
      .optional()
      .describe('Telephone number for renters, in E.164 format.'),
    acceptedCards: z
      .array(z.enum(CARDS))
      .max(CARDS.length)
      .default([])
      .describe('Cards that the supplier accepts at its counters. Empty = not stated.'),
    terms: z.array(term).max(20).default([]).describe('General terms, in the order in which they are shown.'),
    imageHosts: z
      .array(z.string().regex(z.regexes.domain))
      .max(20)
      .optional()
      .describe(
        'Hosts of pictures of vehicles: other addresses, and those without https, are left out of offers. Absent = all addresses are shown.',
      ),
  })
  .prefault({})
  .describe('What callers and renters are shown of this supplier.');
