import type { PipeTransform } from '@nestjs/common';
import { z } from 'zod';
import { ApiError, type Problem } from '../status/api-error.js';
import type { Reason } from '../status/reasons.js';
import { refuseCardNumbers } from './card-guard.js';
import { nearest } from './nearest.js';

/** The most problems reported per request, so that answers don't grow with bad input. */
const MOST_PROBLEMS = 20;

/**
 * Validates a query or body with a zod schema and passes the typed value to the handler. Throws ApiError with one
 * problem for each invalid field (ruling 18): missing → invalid_request, type or format → invalid_format, range or
 * unknown value → invalid_range, unknown field → invalid_request. A schema can set the reason: `ctx.addIssue({ code:
 * 'custom', params: { reason } })`.
 */
export class SchemaPipe<T> implements PipeTransform<unknown, T> {
  constructor(
    private readonly schema: z.ZodType<T>,
    private readonly kind: 'query' | 'body' = 'query',
    /** The field of a body in which a card number belongs; elsewhere one is rejected. URLs are checked earlier. */
    private readonly cardField?: string,
    /** What to say of fields that are not in the schema, where a suggestion of a similar one doesn't help. */
    private readonly hints: Readonly<Record<string, string>> = {},
  ) {}

  transform(value: unknown): T {
    if (this.kind === 'body') refuseCardNumbers(value, this.cardField);
    const input = value ?? (this.kind === 'query' ? {} : undefined);
    if (this.kind === 'body' && (typeof input !== 'object' || input === null || Array.isArray(input))) {
      throw ApiError.of(
        input === undefined || input === null ? 'invalid_request' : 'invalid_format',
        'The body must be a JSON object.',
      );
    }
    const parsed = this.schema.safeParse(input);
    if (parsed.success) return parsed.data;
    const problems = new Map<string, Problem>();
    // Report only the first problem of a field; fixing it may fix the others. A problem that isn't reported isn't written either.
    const report = (field: string, write: () => Problem): void => {
      if (problems.size < MOST_PROBLEMS && !problems.has(field)) problems.set(field, write());
    };
    for (const issue of parsed.error.issues.slice(0, 4 * MOST_PROBLEMS)) {
      if (issue.code === 'unrecognized_keys') {
        const known = knownKeys(this.schema, issue.path);
        for (const key of issue.keys.slice(0, MOST_PROBLEMS)) {
          const field = [...issue.path.map(String), key].join('.').slice(0, 100);
          report(field, () => unknownField(field, key, known, this.hints));
        }
      } else {
        const problem = problemOf(issue, input);
        report(problem.field, () => problem);
      }
    }
    const [first, ...rest] = [...problems.values()];
    throw new ApiError([first ?? { reason: 'invalid_request' }, ...rest]);
  }
}

function unknownField(
  field: string,
  key: string,
  known: readonly string[],
  hints: Readonly<Record<string, string>>,
): Problem {
  const hint = Object.hasOwn(hints, field) ? hints[field] : undefined;
  const similar = hint === undefined ? nearest(key, known) : undefined;
  const unknown = `is not a known field.${similar ? ` Did you mean "${similar}"?` : ''}`;
  return { reason: 'invalid_request', field, details: `"${field}" ${hint ?? unknown}` };
}

function problemOf(
  issue: Exclude<z.core.$ZodIssue, z.core.$ZodIssueUnrecognizedKeys>,
  input: unknown,
): Problem & { readonly field: string } {
  const { value, path } = valueAt(input, issue.path);
  const field = path.map(String).join('.');
  if (value === undefined) {
    const details = issue.code === 'custom' && issue.message !== '' ? issue.message : `"${field}" is required.`;
    return { reason: 'invalid_request', field, details };
  }
  if (Array.isArray(value) && issue.code === 'invalid_type' && issue.expected !== 'array') {
    return { reason: 'invalid_request', field, details: `"${field}" must be given once.` };
  }
  const message =
    issue.code === 'invalid_type' && issue.message.startsWith('Invalid input')
      ? typeMessage(issue.expected)
      : issue.message;
  const details = /^[a-z]/.test(message) ? `"${field}" ${message}` : message;
  return { reason: reasonOf(issue), field, details };
}

function typeMessage(expected: string): string {
  const words: Readonly<Record<string, string>> = {
    string: 'a string',
    object: 'an object',
    array: 'an array',
    boolean: 'true or false',
  };
  return `must be ${words[expected] ?? `a ${expected}`}.`;
}

function reasonOf(issue: z.core.$ZodIssue): Reason {
  if (issue.code === 'custom') return (issue.params?.reason as Reason | undefined) ?? 'invalid_range';
  if (
    issue.code === 'too_small' ||
    issue.code === 'too_big' ||
    issue.code === 'invalid_value' ||
    issue.code === 'not_multiple_of'
  )
    return 'invalid_range';
  return 'invalid_format';
}

/** The value at a path, and the part of the path that exists in the input: a comma-separated list is one string. */
function valueAt(input: unknown, path: readonly PropertyKey[]): { value: unknown; path: readonly PropertyKey[] } {
  let value = input;
  for (const [depth, key] of path.entries()) {
    if (typeof value === 'string') return { value, path: path.slice(0, depth) };
    if (typeof value !== 'object' || value === null) return { value: undefined, path };
    value = (value as Record<PropertyKey, unknown>)[key];
  }
  return { value, path };
}

function knownKeys(schema: z.ZodType, path: readonly PropertyKey[]): string[] {
  let inner: unknown = schema;
  for (const key of path) inner = shapeOf(inner)?.[String(key)];
  return Object.keys(shapeOf(inner) ?? {});
}

function shapeOf(schema: unknown): Record<string, unknown> | undefined {
  let inner = schema;
  for (let depth = 0; depth < 8; depth += 1) {
    if (inner instanceof z.ZodObject) return inner.shape;
    if (inner instanceof z.ZodOptional || inner instanceof z.ZodDefault || inner instanceof z.ZodPrefault)
      inner = inner.unwrap();
    else if (inner instanceof z.ZodPipe) inner = inner.in;
    else return undefined;
  }
  return undefined;
}
