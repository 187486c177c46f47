import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { PageError } from './page-error.js';

/** Submitted field values to show again, without passwords. */
export type Typed = Readonly<Record<string, string>>;

/** A submitted form: its values, or one sentence per invalid field that says how to fix it. `typed` refills the fields. */
export type Submitted<T> =
  | { readonly ok: true; readonly values: T; readonly typed: Typed }
  | { readonly ok: false; readonly problems: Readonly<Record<string, string>>; readonly typed: Typed };

const SECRET = /password|secret/;

/**
 * Validates a form against a schema whose messages are shown to people. A repeated field is an array if `lists` names it, and otherwise
 * rejected. Throws PageError 400 if the body isn't a form.
 */
export function readSubmitted<T>(
  request: FastifyRequest,
  schema: z.ZodType<T>,
  lists: readonly string[] = [],
): Submitted<T> {
  if (typeof request.body !== 'string')
    throw new PageError(400, 'The form could not be read. Go back, reload the page and send it again.');
  const values: Record<string, string | string[]> = Object.fromEntries(lists.map((name) => [name, []]));
  for (const [name, value] of new URLSearchParams(request.body)) {
    const known = Object.hasOwn(values, name) ? values[name] : undefined;
    if (Array.isArray(known)) known.push(value);
    else if (known !== undefined)
      throw new PageError(400, 'The form could not be read. Go back, reload the page and send it again.');
    else values[name] = value;
  }
  const typed = Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) =>
      typeof value === 'string' && !SECRET.test(name) ? [[name, value]] : [],
    ),
  );
  const parsed = schema.safeParse(values);
  if (parsed.success) return { ok: true, values: parsed.data, typed };
  const problems: Record<string, string> = {};
  for (const { path, message } of parsed.error.issues) problems[String(path[0] ?? 'form')] ??= message;
  return { ok: false, problems, typed };
}
