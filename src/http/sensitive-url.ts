import { holdsCardNumber } from '../privacy/card-numbers.js';
import type { Problem } from '../status/api-error.js';

/**
 * Parameter names that are never accepted in a URL (spec §2.4, rulings 10, 13, 19), compared in lower case without - _
 * .
 */
const FORBIDDEN = new Set(
  `accesstoken token clientid clientsecret apikey password secret authorization credential credentials firstname lastname surname
   dateofbirth birthdate dob email emailaddress phone licence license licencenumber licensenumber passport passportnumber governmentid ssn membership
   membershipnumber membershipcode membershipid loyalty loyaltynumber loyaltycode creditcardnumber cardnumber creditcard card cvv cvc pan`.split(
    /\s+/,
  ),
);

const CARD_IN_URL = 'A value in the URL looks like a payment card number. Never send card data in a URL.';

/** Parameters whose values are decimal numbers, never stored: their digits may look like a card number. */
const NUMBERS = new Set(['latitude', 'longitude']);
export const EMAIL_IN_URL = 'The URL contains an email address. Never send personal data in a URL.';
/** An email address anywhere in a text; a mere "@" isn't one. */
const EMAIL = /\S@[^\s@]+\.[^\s@.]{2,}/;

/**
 * Checks that a URL's query contains no credentials, personal data or card numbers. Returns one problem for each such
 * parameter, never quoting its value. `query` is the raw text after `?`.
 */
export function sensitiveParameters(query: string): Problem[] {
  const problems: Problem[] = [];
  for (const [name, value] of new URLSearchParams(query)) {
    const field = name.slice(0, 64);
    if (FORBIDDEN.has(name.toLowerCase().replace(/[-_.[\]]/g, ''))) {
      problems.push({ reason: 'invalid_request', field, details: `"${field}" must not be sent in a URL.` });
    } else if (holdsEmail(value) || holdsEmail(name)) {
      // The name may be the address itself.
      problems.push({ reason: 'invalid_request', ...(holdsEmail(name) ? {} : { field }), details: EMAIL_IN_URL });
    } else if (holdsCardNumber(name)) {
      problems.push({ reason: 'invalid_request', details: CARD_IN_URL });
    } else if (!NUMBERS.has(name) && holdsCardNumber(value)) {
      problems.push({ reason: 'invalid_request', field, details: CARD_IN_URL });
    }
  }
  return problems;
}

/** Whether a text contains an email address, even with full-width characters or a percent-encoded @. */
export function holdsEmail(text: string): boolean {
  return EMAIL.test(text.normalize('NFKC').replace(/%40/g, '@'));
}
