import type { Problem } from '../status/api-error.js';

/** Parameter names that are never accepted in a URL (spec §2.4, rulings 10, 13, 19), compared in lower case without - _ . */
const FORBIDDEN = new Set(
  `accesstoken token clientid clientsecret apikey password secret authorization credential credentials firstname lastname surname
   dateofbirth birthdate dob email emailaddress phone licence license licencenumber licensenumber passport passportnumber governmentid ssn membership
   membershipnumber membershipcode membershipid loyalty loyaltynumber loyaltycode creditcardnumber cardnumber creditcard card cvv cvc pan`.split(
    /\s+/,
  ),
);

/** 13–19 digits, as people group them: blanks of any kind, hyphens, dashes and points between them. */
const LONG_NUMBER = /\d(?:[\s.\-\u2010-\u2015]{0,2}\d){12,18}/g;
const DECIMAL = /^\d+\.\d+$/;

/**
 * What a URL's query must not hold: credentials, personal data, card numbers. Returns one problem for each parameter, never quoting its
 * value; empty when the URL is clean. `query` is the raw text after `?`.
 */
export function sensitiveParameters(query: string): Problem[] {
  const problems: Problem[] = [];
  for (const [name, value] of new URLSearchParams(query)) {
    const field = name.slice(0, 64);
    if (FORBIDDEN.has(name.toLowerCase().replace(/[-_.[\]]/g, ''))) {
      problems.push({ reason: 'invalid_request', field, details: `"${field}" must not be sent in a URL.` });
    } else if (holdsCardNumber(value) || holdsCardNumber(name)) {
      problems.push({
        reason: 'invalid_request',
        details: 'A value in the URL looks like a payment card number. Never send card data in a URL.',
      });
    }
  }
  return problems;
}

/** Whether a text contains 13–19 digits, grouped as people do, that pass the Luhn check. A decimal number (a coordinate) is none. */
export function holdsCardNumber(text: string): boolean {
  for (const [match] of text.matchAll(LONG_NUMBER)) {
    if (!DECIMAL.test(match) && luhn(match.replace(/\D/g, ''))) return true;
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
