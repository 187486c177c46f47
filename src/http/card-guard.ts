import { findCardFields, MOST_MEMBERS, MOST_SEARCHED } from '../privacy/card-fields.js';
import { ApiError, type Problem } from '../status/api-error.js';

/**
 * Rejects card numbers wherever they would be stored, logged or shown (ruling 19), and bodies that would take long to check.
 * Throws ApiError 400 with one entry per field, without quoting the value. `body` is the parsed JSON body, `allowed` the field in which a card number belongs.
 */
export function refuseCardNumbers(body: unknown, allowed?: string): void {
  const { fields, isTooLong, crowded } = findCardFields(body, allowed);
  const [first, ...rest] = fields.map((field) => cardProblem(field, allowed));
  if (first) throw new ApiError([first, ...rest]);
  if (isTooLong) {
    throw ApiError.of('invalid_request', `The body has more than ${MOST_SEARCHED} characters of text. Send less.`);
  }
  if (crowded !== undefined) {
    throw ApiError.of(
      'invalid_request',
      `The body has more than ${MOST_MEMBERS} members and items. Send less.`,
      crowded === '' ? {} : { field: crowded.slice(0, 100) },
    );
  }
}

/** The entry for a field that contains a card number; empty text = the body itself. */
function cardProblem(field: string, allowed: string | undefined): Problem {
  const advice =
    allowed === undefined
      ? 'Remove it: this operation takes no card numbers.'
      : `Send card numbers only in ${allowed}. If it is another number, leave it out or write it differently.`;
  // A name in the path can't be a card number: the field that has such a name is reported instead.
  return {
    reason: 'invalid_request',
    details: `A value looks like a payment card number. ${advice}`,
    ...(field === '' ? {} : { field: field.slice(0, 100) }),
  };
}
