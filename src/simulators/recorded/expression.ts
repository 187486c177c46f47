import { compile, TreeInterpreter } from '@jmespath-community/jmespath';

/** A parsed expression. */
export type Node = ReturnType<typeof compile>;
type Json = Parameters<typeof TreeInterpreter.visit>[1];

/** The text of a JMESPath expression in a manifest. */
export type Expression = string;

const nodes = new Map<Expression, Node>();

/** Parses an expression, once per text. Throws an Error for a syntax error. */
export function nodeOf(expression: Expression): Node {
  const known = nodes.get(expression) ?? compile(expression);
  nodes.set(expression, known);
  return known;
}

/**
 * The value of an expression; undefined for null or a missing expression. `given` is its input, `answer` the complete
 * answer for `$answer`. A function with an argument of the wrong type has no value (docs/rest-manifest.md,
 * "Expressions").
 */
export function evaluate(expression: Expression | undefined, given: unknown, answer: unknown = given): unknown {
  if (expression === undefined) return undefined;
  const node = nodeOf(expression);
  const scope = { answer, request: {} } as Parameters<typeof TreeInterpreter.withScope>[0];
  try {
    return TreeInterpreter.withScope(scope).visit(node, given as Json) ?? undefined;
  } catch {
    // The expression is valid, so a function got an argument of the wrong type.
    return undefined;
  }
}

/** Whether a value is true in JMESPath: not null, false, or empty. */
export function holds(expression: Expression, given: unknown): boolean {
  const value = evaluate(expression, given);
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0;
  return value !== undefined && value !== false && value !== '';
}

/** Trimmed text, or a whole number as text. */
export function textOf(expression: Expression | undefined, given: unknown, answer?: unknown): string | undefined {
  const value = evaluate(expression, given, answer);
  if (Number.isSafeInteger(value)) return String(value);
  return typeof value === 'string' ? value.trim() || undefined : undefined;
}

/** A text split at its braces: plain parts at even indexes, expressions at odd ones. */
export function templateParts(template: string): readonly string[] {
  return template.split(/\{([^{}]*)\}/);
}
