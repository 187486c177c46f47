import { type KeyObject, randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { ChosenExtra } from '../model/bookings.js';
import type { DisplayTerms, SupplierOffer } from '../model/offers.js';
import { choicesBesides, namedChoices } from './choices-besides.js';
import { offerMembers, offerTuple, type SealedOffer } from './offer-id.js';
import { seal } from './sealed-id.js';

/** Bytes that tell apart two quotes of the same offer in the same second: each books once. */
const NONCE_BYTES = 6;

/** The requested currency and, if a rate is known, the locked rate: its text, day and source, and 1 if it was stale. */
const displayTuple = z.union([
  z.tuple([z.string()]),
  z.tuple([z.string(), z.string(), z.string(), z.string(), z.literal(1).optional()]),
]);

/**
 * The content of a quote id: that of an offer id, the chosen extras (code and quantity), the codes of the chosen
 * coverages, random characters (absent in ids of earlier gateways), and what keeps `price.display` (absent without a currency).
 */
export const quoteTuple = z.tuple([
  ...offerTuple.def.items,
  z.array(z.tuple([z.string(), z.number()])),
  z.array(z.string()).readonly(),
  z.string().optional(),
  displayTuple.optional(),
]);

function displayMembers({ currency, locked }: DisplayTerms): z.infer<typeof displayTuple> {
  if (!locked) return [currency];
  const { rate, asOf, source, stale } = locked;
  return stale ? [currency, rate, asOf, source, 1] : [currency, rate, asOf, source];
}

/** Reads what displayMembers wrote; `from` is the currency of the quote's total. */
export function displayTermsOf(
  members: z.infer<typeof displayTuple> | undefined,
  from: string,
): DisplayTerms | undefined {
  if (!members) return undefined;
  const [currency, rate, asOf, source, stale] = members;
  if (rate === undefined || asOf === undefined || source === undefined) return { currency };
  return { currency, locked: { from, to: currency, rate, asOf, source, ...(stale === 1 ? { stale: true } : {}) } };
}

/** Begins a word, with a letter that those of the terms don't begin with. */
const BESIDES = 'x';

/** Which of the chosen extras and, after them, coverages are paid besides the total. Earlier gateways ignore the word. */
function besidesWords({ offer, extras, coverages }: Pick<SealedQuote, 'offer' | 'extras' | 'coverages'>): string[] {
  const besides = choicesBesides(offer.price.items, namedChoices(offer, { extras, coverages }));
  const indices = codesOf({ extras, coverages }).flatMap((code, index) => (besides.includes(code) ? [index] : []));
  return indices.length === 0 ? [] : [BESIDES + indices.join(',')];
}

/** The codes of what is chosen in a quote and paid besides its total. */
export function besidesOfWords(shown: string, choice: Pick<SealedQuote, 'extras' | 'coverages'>): readonly string[] {
  const word = shown.split(' ').find((one) => one.startsWith(BESIDES));
  const indices = word?.slice(BESIDES.length).split(',').map(Number) ?? [];
  return codesOf(choice).filter((_code, index) => indices.includes(index));
}

function codesOf({ extras, coverages }: Pick<SealedQuote, 'extras' | 'coverages'>): readonly string[] {
  return [...extras.map(({ code }) => code), ...coverages];
}

/** A priced offer with the chosen extras and coverages. */
export interface SealedQuote extends SealedOffer {
  readonly offer: SupplierOffer;
  readonly extras: readonly ChosenExtra[];
  readonly coverages: readonly string[];
  /** The currency that the caller requested, with the rate that the quote locks. */
  readonly display?: DisplayTerms | undefined;
}

/** Creates a `quo_…` id of a priced offer, a new one for each call; `readPriced` reads it. */
export function quoteId(quote: SealedQuote, key: KeyObject): string {
  const extras = quote.extras.map(({ code, quantity }): [string, number] => [code, quantity]);
  const nonce = randomBytes(NONCE_BYTES).toString('base64url');
  const display: [] | [z.infer<typeof displayTuple>] = quote.display ? [displayMembers(quote.display)] : [];
  const content: Readonly<z.infer<typeof quoteTuple>> = [
    ...offerMembers({ ...quote, quoted: { deposit: quote.offer.deposit, words: besidesWords(quote) } }),
    extras,
    quote.coverages,
    nonce,
    ...display,
  ];
  return seal('quo_', JSON.stringify(content), key);
}
