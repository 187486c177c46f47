import { z } from 'zod';

/** Below 0.94, not even a complete outage would exceed the limits of a burn (metrics/burn-limits.ts). */
const target = z.number().min(0.94).max(0.9999);
const windowDays = z
  .number()
  .int()
  .min(7)
  .max(30)
  .default(30)
  .describe('Days over which the error budget is meant. Fewer days make alerts more sensitive.');

/** What callers of the gateway may expect (docs/alerting.md). */
export const sloSettings = z
  .strictObject({
    searches: target
      .default(0.999)
      .describe('Share of searches and quotes answered with a result or no_results, of those not refused as invalid.'),
    bookings: target.default(0.999).describe('The same for making, changing and canceling reservations.'),
    tokens: target.default(0.999).describe('The same for token operations.'),
    windowDays,
    minimumFailures: z
      .number()
      .int()
      .min(1)
      .max(1_000_000)
      .default(10)
      .describe('Failures within an hour below which nothing alerts; twice as many within six hours.'),
  })
  .prefault({});

/** What is expected of a supplier (docs/alerting.md). */
export const supplierSlo = z
  .strictObject({
    availability: target
      .default(0.99)
      .describe(
        'Share of calls that it answers, with or without results. Clear refusals, such as sold out, count as answers.',
      ),
    latency: z
      .strictObject({
        target: target.default(0.95).describe('Share of searches that it answers in time.'),
        underMs: z
          .number()
          .int()
          .min(20)
          .max(60_000)
          .default(2_000)
          .describe('The longest time that counts as in time.'),
      })
      .prefault({}),
    windowDays,
    autoReturn: z
      .boolean()
      .default(false)
      .describe('Returns the supplier to shadow also while it is live, not only in canary (docs/alerting.md).'),
    priceDrift: z
      .strictObject({
        share: z
          .number()
          .min(0.01)
          .max(1)
          .default(0.2)
          .describe('Highest accepted share of price checks with another price.'),
        minChecks: z
          .number()
          .int()
          .min(5)
          .max(100_000)
          .default(30)
          .describe('Price checks within an hour, without those of any one account, below which it says nothing.'),
      })
      .prefault({})
      .describe('When price checks return the supplier to shadow.'),
  })
  .prefault({})
  .describe('Service level objectives. Alerts compare its calls with them.');

/** Faults don't quote the URL: it often has a secret in its path. */
function isWebhook(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return ['http:', 'https:'].includes(protocol) && username === '' && password === '';
}

/** Where alerts of the gateway itself are sent (docs/alerting.md). */
export const alertSettings = z
  .strictObject({
    webhookUrl: z
      .string()
      .refine(isWebhook, 'must be an http or https URL without user and password')
      .optional()
      .describe('Gets alerts as Alertmanager sends them to webhooks (version 4). Default: none.'),
    webhookAuthorization: z
      .string()
      .regex(/^[\x20-\x7e]{1,4096}$/, 'must be visible ASCII characters')
      .optional()
      .describe('Authorization header of the webhook, such as "Bearer …".'),
    allowPrivateNetwork: z
      .boolean()
      .default(false)
      .describe('Allows the host of the webhook to resolve to a private, link-local, or loopback address.'),
    mail: z
      .boolean()
      .default(true)
      .describe('Sends alerts to the accounts of operators by email, if a mail server is configured.'),
  })
  .prefault({});
