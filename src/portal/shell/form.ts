import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { formOf } from '../../http/request-body.js';
import { findCardFields } from '../../privacy/card-fields.js';
import { PageError } from './page-error.js';

/** Submitted field values to show again, without passwords, codes and card numbers. */
export type Typed = Readonly<Record<string, string>>;

/** A submitted form: its values, or one sentence per invalid field that says how to fix it. `typed` refills the fields. */
export type Submitted<T> =
  | { readonly ok: true; readonly values: T; readonly typed: Typed }
  | { readonly ok: false; readonly problems: Readonly<Record<string, string>>; readonly typed: Typed };

/** Passwords and codes aren't searched for card numbers: they are never stored as text, and a login must accept them. */
const SECRET = /password|secret|code/;
const TOO_LONG = 'The form is too long. Go back, shorten it and send it again.';
const CARD_NUMBER = 'This looks like a payment card number. Remove it.';

/**
 * Validates a form against a schema whose messages are shown to people, and rejects card numbers. A repeated field is
 * an array if `lists` names it, and otherwise rejected. Throws PageError 400 if the body isn't a form.
 */
export function readSubmitted<T>(
  request: FastifyRequest,
  schema: z.ZodType<T>,
  lists: readonly string[] = [],
): Submitted<T> {
  if (typeof request.body !== 'string')
    throw new PageError(400, 'The form could not be read. Go back, reload the page and send it again.');
  const values: Record<string, string | string[]> = Object.fromEntries(lists.map((name) => [name, []]));
  const form = formOf(request.body);
  if (!form) throw new PageError(400, TOO_LONG);
  for (const [name, value] of form) {
    const known = Object.hasOwn(values, name) ? values[name] : undefined;
    if (Array.isArray(known)) known.push(value);
    else if (known !== undefined)
      throw new PageError(400, 'The form could not be read. Go back, reload the page and send it again.');
    else values[name] = value;
  }
  const { fields, isTooLong, crowded } = findCardFields(withoutSecrets(values));
  if (isTooLong || crowded !== undefined) throw new PageError(400, TOO_LONG);
  const problems: Record<string, string> = {};
  for (const field of fields) problems[field.split('.')[0] ?? 'form'] = CARD_NUMBER;
  // A card number isn't shown again, either.
  const typed = Object.fromEntries(
    Object.entries(withoutSecrets(values)).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string' && problems[entry[0]] === undefined,
    ),
  );
  const parsed = schema.safeParse(values);
  if (parsed.success && fields.length === 0) return { ok: true, values: parsed.data, typed };
  for (const { path, message } of parsed.error?.issues ?? []) problems[String(path[0] ?? 'form')] ??= message;
  return { ok: false, problems, typed };
}

function withoutSecrets(values: Readonly<Record<string, string | string[]>>): Record<string, string | string[]> {
  return Object.fromEntries(Object.entries(values).filter(([name]) => !SECRET.test(name)));
}
