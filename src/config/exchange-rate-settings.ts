import { z } from 'zod';
import { isLoopback } from './loopback.js';

/** Rates that someone can change on their way would change prices. The URL isn't quoted: it may hold a password. */
function isRateSource(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password, hash } = new URL(text);
  const isPrivate = protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
  return isPrivate && [username, password, hash].every((part) => part === '');
}

/** Where the exchange rates of `price.display` come from (docs/pricing.md#display-prices). */
export const exchangeRateSettings = z
  .strictObject({
    file: z
      .string()
      .min(1)
      .default('exchange-rates.xml')
      .describe(
        "Rates in the format of the ECB's daily reference rates, relative to the configuration folder. With a url, they apply until it was read for the first time.",
      ),
    url: z
      .string()
      .refine(isRateSource, 'must be an https URL (http for loopback hosts) without user and fragment')
      .optional()
      .describe('Where to read the rates in the same format. Default: only the file is used.'),
    allowPrivateNetwork: z.boolean().default(false).describe('Permits a url in a private network.'),
    refreshMinutes: z.number().int().min(1).max(1_440).default(60).describe('How often the url is read.'),
    timeoutMs: z.number().int().min(100).max(60_000).default(5_000).describe('How long reading the url may take.'),
    staleAfterHours: z
      .number()
      .int()
      .min(1)
      .max(8_760)
      .default(120)
      .describe(
        'Rates are marked as stale this long after the beginning of their day (UTC). The ECB publishes none on weekends and holidays.',
      ),
  })
  .prefault({});

export type ExchangeRateSettings = z.infer<typeof exchangeRateSettings>;
