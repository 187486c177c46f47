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

export const EMAIL_IN_URL = 'The URL contains an email address. Never send personal data in a URL.';
/** An email address anywhere in a text; a mere "@" isn't one. */
const EMAIL = /\S@[^\s@]+\.[^\s@.]{2,}/;

/** Digits as people group them: with whitespace, hyphens, dashes, periods or underscores in between. */
const DIGIT_RUN = /\d(?:[\s.\-_\u2010-\u2015]{0,2}\d){12,}/g;
const DECIMAL = /^\d+\.\d+$/;
/** Prefixes and lengths of the card schemes, which distinguish card numbers from other long numbers. */
const CARD =
  /^(?:4\d{12}(?:\d{3}){0,2}|(?:5[1-5]|2[2-7])\d{14}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}|(?:35|6\d)\d{14}|6\d{15,18})$/;
const SHORTEST_CARD = 13;
const LONGEST_CARD = 19;
/** The most digits searched in one run, to limit the work; no valid field has more. */
const LONGEST_RUN = 200;

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
      const named = holdsEmail(name) ? {} : { field };
      problems.push({
        reason: 'invalid_request',
        ...named,
        details: EMAIL_IN_URL,
      });
    } else if (holdsCardNumber(value) || holdsCardNumber(name)) {
      problems.push({
        reason: 'invalid_request',
        details: 'A value in the URL looks like a payment card number. Never send card data in a URL.',
      });
    }
  }
  return problems;
}

/** Whether a text contains an email address, also with full-width characters or a percent-encoded @. */
export function holdsEmail(text: string): boolean {
  return EMAIL.test(text.normalize('NFKC').replace(/%40/g, '@'));
}

/**
 * Whether a text contains a payment card number: 13 to 19 digits of a card scheme that pass the Luhn check, possibly
 * grouped and next to other digits, such as an expiry date. A decimal number, such as a coordinate, doesn't count.
 */
export function holdsCardNumber(text: string): boolean {
  for (const [match] of text.normalize('NFKC').matchAll(DIGIT_RUN)) {
    if (!DECIMAL.test(match) && hasCardWindow(match.replace(/\D/g, '').slice(0, LONGEST_RUN))) return true;
  }
  return false;
}

function hasCardWindow(digits: string): boolean {
  for (let start = 0; start + SHORTEST_CARD <= digits.length; start += 1) {
    for (let length = SHORTEST_CARD; length <= LONGEST_CARD && start + length <= digits.length; length += 1) {
      const window = digits.slice(start, start + length);
      if (CARD.test(window) && luhn(window)) return true;
    }
  }
  return false;
}

/** The check-digit formula of payment card numbers (ISO/IEC 7812-1). `digits` are digits only. */
export function luhn(digits: string): boolean {
  let sum = 0;
  for (let i = 0; i < digits.length; i += 1) {
    let digit = digits.charCodeAt(digits.length - 1 - i) - 48;
    if (i % 2 === 1) digit = digit > 4 ? digit * 2 - 9 : digit * 2;
    sum += digit;
  }
  return sum % 10 === 0;
}
