import { SupplierError } from '../../model/supplier.js';
import type { Evaluation, Expression } from './expression.js';

/** Text with expressions in braces, `/bookings/{confirmationNumber}`; parts in order, plain text and expressions. */
export interface Template {
  readonly text: string;
  readonly parts: readonly (string | Expression)[];
}

/** Splits a text at its braces. Throws an Error for a brace without its other half and for what `parse` refuses. */
export function parseTemplate(text: string, parse: (text: string) => Expression): Template {
  const parts = text.split(/(\{[^{}]*\})/).filter((part) => part !== '');
  return {
    text,
    parts: parts.map((part) => {
      if (part.startsWith('{') && part.endsWith('}')) return parse(part.slice(1, -1));
      if (/[{}]/.test(part)) throw new Error('has a brace without its other half');
      return part;
    }),
  };
}

/**
 * The path: what comes from an expression is one segment or a part of one, never a separator, a query or a step upwards. Throws
 * SupplierError rejected (invalid_rate), unsent, when a value is absent: the offer or booking is not of this supplier.
 */
export function fillPath(template: Template, values: object, evaluation: Evaluation): string {
  const path = template.parts
    .map((part) => (typeof part === 'string' ? part : encode(demanded(part, values, evaluation))))
    .join('');
  if (path.split('/').some((segment) => segment === '.' || segment === '..')) throw unsendable('a path segment');
  return path;
}

/** A header's value; undefined when any expression in it has none. Throws SupplierError, unsent, for characters that a header cannot carry. */
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
  // Printable ASCII only: a line break would begin a header of its own.
  if (!/^[\x20-\x7e]*$/.test(value)) throw unsendable(`the header ${name}`);
  return value;
}

/** `name=value&…` as a form or a query has them; pairs without a value are left out, a list becomes one pair for each member. */
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

function demanded(expression: Expression, values: object, evaluation: Evaluation): string {
  const text = scalarText(evaluation.value(expression, values));
  if (text !== undefined && text !== '') return text;
  throw new SupplierError('rejected', `there is no ${expression.text} to ask for`, false, { refusal: 'invalid_rate' });
}

function scalarText(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : undefined;
}

/** Half of a surrogate pair has no encoding; it is sent as the replacement character. */
function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

function unsendable(where: string): SupplierError {
  return new SupplierError('rejected', `a value cannot be sent in ${where}`, false);
}
