import { compile, TreeInterpreter } from '@jmespath-community/jmespath';

/** A parsed expression. */
export type Node = ReturnType<typeof compile>;
type Json = Parameters<typeof TreeInterpreter.visit>[1];

/** An expression of a manifest: JMESPath, as its text. */
export type Expression = string;

const nodes = new Map<Expression, Node>();

/** An expression parsed, once per text. Throws an Error for a syntax error. */
export function nodeOf(expression: Expression): Node {
  const known = nodes.get(expression) ?? compile(expression);
  nodes.set(expression, known);
  return known;
}

/**
 * The value of an expression; undefined for null and for no expression. `given` is what it reads, `answer` the complete answer that `$answer`
 * stands for. A function that is given the wrong type has no value (docs/rest-manifest.md, "Expressions").
 */
export function evaluate(expression: Expression | undefined, given: unknown, answer: unknown = given): unknown {
  if (expression === undefined) return undefined;
  const node = nodeOf(expression);
  const scope = { answer, request: {} } as Parameters<typeof TreeInterpreter.withScope>[0];
  try {
    return TreeInterpreter.withScope(scope).visit(node, given as Json) ?? undefined;
  } catch {
    // The expression is sound, so this is a function that was given the wrong type.
    return undefined;
  }
}

/** Whether the value is true as JMESPath has it: not null, false, or empty. */
export function holds(expression: Expression, given: unknown): boolean {
  const value = evaluate(expression, given);
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0;
  return value !== undefined && value !== false && value !== '';
}

/** Text without blanks around it, or a whole number as text. */
export function textOf(expression: Expression | undefined, given: unknown, answer?: unknown): string | undefined {
  const value = evaluate(expression, given, answer);
  if (Number.isSafeInteger(value)) return String(value);
  return typeof value === 'string' ? value.trim() || undefined : undefined;
}

/** A text split at its braces: plain parts, and expressions at the odd places. */
export function templateParts(template: string): readonly string[] {
  return template.split(/\{([^{}]*)\}/);
}
