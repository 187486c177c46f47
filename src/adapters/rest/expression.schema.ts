import { z } from 'zod';
import { Expression, parseExpression } from './expression.js';
import type { RequestNames } from './request-names.js';
import { parseTemplate, type Template } from './template.js';

const MAX_LENGTH = 2_000;
const text = z.string().min(1).max(MAX_LENGTH);

/** An expression over an answer. A parse error becomes an issue at its key. */
export const expression = text.transform((source, context) => attempt(() => parseExpression(source), context));

/** An expression over a request; it may read only `names`. */
export function requestExpression(names: readonly string[], refused: readonly string[] = []) {
  return text.transform((source, context) => attempt(() => parseNamed(source, names, refused), context));
}

/** Text with expressions over a request in braces. `hint` is appended to the message about an unknown name. */
export function requestTemplate(names: readonly string[], refused: readonly string[] = [], hint = '') {
  return text.transform((source, context) =>
    attempt(() => parseTemplate(source, (inner) => parseNamed(inner, names, refused, hint)), context),
  );
}

/** A JSON or XML body: strings are expressions; objects, lists, numbers, true and false are taken literally. */
export type BodyTree = Expression | number | boolean | readonly BodyTree[] | { readonly [name: string]: BodyTree };

/** The tree of a request's body; each error is an issue at its own key. */
export function bodyTree(names: RequestNames) {
  const known = [...names.open, ...names.secret, ...names.personal];
  return z.unknown().transform((tree, context) => readTree(tree, [], known, context));
}

const XML_NAME = /^_?[A-Za-z][\w.-]*(:[A-Za-z][\w.-]*)?$/;

/**
 * The body of an XML request: a tree whose only member is the root element. Names with `_` are attributes, `_` is an
 * element's text.
 */
export function xmlTree(names: RequestNames) {
  return bodyTree(names).superRefine((tree, context) => {
    const isList = isMembers(tree) && Object.values(tree).some(Array.isArray);
    if (!isMembers(tree) || isList || Object.keys(tree).length !== 1 || Object.keys(tree)[0]?.startsWith('_'))
      context.addIssue({ code: 'custom', message: 'must have exactly one member, the root element' });
    else checkNames(tree, [], context);
  });
}

function checkNames(tree: BodyTree, path: readonly PropertyKey[], context: z.RefinementCtx): void {
  if (typeof tree !== 'object' || tree instanceof Expression) return;
  for (const [name, member] of Object.entries(tree)) {
    const at = [...path, Array.isArray(tree) ? Number(name) : name];
    if (!Array.isArray(tree) && name !== '_' && !XML_NAME.test(name))
      context.addIssue({
        code: 'custom',
        path: at,
        message: 'is not a name in XML; use letters, digits, periods, hyphens and underscores after a letter',
      });
    else if (name.startsWith('_') && typeof member === 'object' && !(member instanceof Expression))
      context.addIssue({
        code: 'custom',
        path: at,
        message: 'is an attribute or text and must be an expression, a number, true or false',
      });
    else checkNames(member, at, context);
  }
}

function isMembers(tree: BodyTree): tree is { readonly [name: string]: BodyTree } {
  return typeof tree === 'object' && !(tree instanceof Expression) && !Array.isArray(tree);
}

function readTree(
  tree: unknown,
  path: readonly PropertyKey[],
  known: readonly string[],
  context: z.RefinementCtx,
): BodyTree {
  if (typeof tree === 'number' || typeof tree === 'boolean') return tree;
  if (typeof tree === 'string') return attempt(() => parseNamed(tree, known, []), context, path);
  if (Array.isArray(tree)) return tree.map((member, index) => readTree(member, [...path, index], known, context));
  if (typeof tree === 'object' && tree !== null) {
    return Object.fromEntries(
      Object.entries(tree).map(([name, member]) => [name, readTree(member, [...path, name], known, context)]),
    );
  }
  context.addIssue({
    code: 'custom',
    message:
      'must be an expression, a number, true, false, a list or an object; to send no value, leave the member out',
    path: [...path],
  });
  return z.NEVER;
}

function parseNamed(source: string, names: readonly string[], refused: readonly string[], hint = ''): Expression {
  const parsed = parseExpression(source);
  for (const name of parsed.names) {
    if (refused.includes(name))
      throw new Error(
        `"${name}" can't be used here because URLs and headers are logged in transit; send it in the body`,
      );
    if (!names.includes(name))
      throw new Error(`there is no "${name}" here; available names: ${names.join(', ') || 'none'}${hint}`);
  }
  return parsed;
}

function attempt<T extends Expression | Template>(
  parse: () => T,
  context: z.RefinementCtx,
  path: readonly PropertyKey[] = [],
): T {
  try {
    return parse();
  } catch (error) {
    context.addIssue({
      code: 'custom',
      message: error instanceof Error ? error.message : String(error),
      path: [...path],
    });
    return z.NEVER;
  }
}
