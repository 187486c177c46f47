import { SupplierError } from '../../model/supplier.js';
import type { Evaluation, Expression } from './expression.js';

/**
 * Text with expressions in braces, such as `/bookings/{confirmationNumber}`: its parts in order, plain text and
 * expressions.
 */
export interface Template {
  readonly text: string;
  readonly parts: readonly (string | Expression)[];
}

/** Splits text at its braces. Throws an Error for an unmatched brace or if `parse` throws. */
export function parseTemplate(text: string, parse: (text: string) => Expression): Template {
  const parts = text.split(/(\{[^{}]*\})/).filter((part) => part !== '');
  return {
    text,
    parts: parts.map((part) => {
      if (part.startsWith('{') && part.endsWith('}')) return parse(part.slice(1, -1));
      if (/[{}]/.test(part)) throw new Error('has an unmatched brace; write expressions as {expression}');
      return part;
    }),
  };
}

/**
 * Fills a path. An expression's value is a segment or part of one, never a separator, a query or a `..`. Throws
 * SupplierError rejected (invalid_rate), unsent, if a value is missing: the offer or booking isn't from this supplier.
 */
export function fillPath(template: Template, values: object, evaluation: Evaluation): string {
  const path = template.parts
    .map((part) => (typeof part === 'string' ? part : encode(requiredText(part, values, evaluation))))
    .join('');
  if (path.split('/').some((segment) => segment === '.' || segment === '..')) throw unsendableError('a path segment');
  return path;
}

/**
 * A header's value; undefined if any expression in it has none. Throws SupplierError, unsent, for characters that a
 * header can't carry.
 */
export function fillHeader(
  name: string,
  template: Template,
  values: object,
  evaluation: Evaluation,
): string | undefined {
  const parts: string[] = [];
  for (const part of template.parts) {
    const text = typeof part === 'string' ? part : scalarText(evaluation.value(part, values));
    if (text === undefined) return undefined;
    parts.push(text);
  }
  const value = parts.join('');
  // Printable ASCII only: a line break would start another header.
  if (!/^[\x20-\x7e]*$/.test(value)) throw unsendableError(`the header ${name}`);
  return value;
}

/** `name=value&…` for a form or query; pairs without a value are left out, and a list becomes one pair per member. */
export function fillPairs(pairs: Readonly<Record<string, Expression>>, values: object, evaluation: Evaluation): string {
  return Object.entries(pairs)
    .flatMap(([name, expression]) => {
      const value = evaluation.value(expression, values);
      return (Array.isArray(value) ? value : [value]).flatMap((member) => {
        const text = scalarText(member);
        return text === undefined ? [] : [`${encode(name)}=${encode(text)}`];
      });
    })
    .join('&');
}

function requiredText(expression: Expression, values: object, evaluation: Evaluation): string {
  const text = scalarText(evaluation.value(expression, values));
  if (text !== undefined && text !== '') return text;
  throw new SupplierError('rejected', `the path needs a value for ${expression.text}`, false, {
    refusal: 'invalid_rate',
  });
}

function scalarText(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : undefined;
}

/** A lone surrogate can't be encoded; the replacement character is sent instead. */
function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

function unsendableError(where: string): SupplierError {
  return new SupplierError('rejected', `a value cannot be sent in ${where}`, false);
}
