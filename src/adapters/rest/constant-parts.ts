import type { compile } from '@jmespath-community/jmespath';

export type Node = ReturnType<typeof compile>;

/** Nodes that only find a member: finding it again takes no longer than remembering it. */
const CHEAP: ReadonlySet<string> = new Set([
  'Variable',
  'Field',
  'Index',
  'Subexpression',
  'IndexExpression',
  'Literal',
]);

/**
 * Whether the value of a node is the same in all rows of an answer, because it reads nothing but variables. What is on the right of a dot,
 * a pipe or a projection, or behind &, reads what is on its left.
 */
export function isConstant(node: Node): boolean {
  switch (node.type) {
    case 'Variable':
    case 'Literal':
    case 'ExpressionReference':
      return true;
    case 'Subexpression':
    case 'IndexExpression':
    case 'Projection':
    case 'ValueProjection':
    case 'Pipe':
    case 'FilterProjection':
      return isConstant(node.left);
    case 'Comparator':
    case 'AndExpression':
    case 'OrExpression':
      return isConstant(node.left) && isConstant(node.right);
    case 'Ternary':
      return [node.condition, node.trueExpr, node.falseExpr].every(isConstant);
    case 'Flatten':
    case 'NotExpression':
      return isConstant(node.child);
    case 'Function':
    case 'MultiSelectList':
      return node.children.every(isConstant);
    case 'MultiSelectHash':
      return node.children.every(({ value }) => isConstant(value));
    default:
      return false;
  }
}

/** Whether evaluating a part of the node once for all rows saves work. */
export function hasConstantPart(node: Node): boolean {
  return isWorth(node) || partsOf(node).some(hasConstantPart);
}

/**
 * The node with the values of its constant parts in their places. `evaluated` evaluates one, undefined if that fails: then the parts of it
 * are tried.
 */
export function withConstants(node: Node, evaluated: (node: Node) => { readonly value: unknown } | undefined): Node {
  if (node.type === 'Literal') return node;
  const known = isWorth(node) ? evaluated(node) : undefined;
  if (known) return { type: 'Literal', value: known.value } as Node;
  const replaced = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(replaced);
    if (isNode(part)) return withConstants(part, evaluated);
    return part;
  };
  return Object.fromEntries(Object.entries(node).map(([name, part]) => [name, replaced(part)])) as unknown as Node;
}

function isWorth(node: Node): boolean {
  return !isChain(node) && node.type !== 'ExpressionReference' && isConstant(node);
}

function isChain(node: Node): boolean {
  return CHEAP.has(node.type) && partsOf(node).every(isChain);
}

/** The nodes directly below a node. */
function partsOf(node: Node): Node[] {
  return node.type === 'Literal' ? [] : Object.values(node).flat().filter(isNode);
}

/** A pair of a multi-select hash is one as well: it has a type and a value. */
function isNode(part: unknown): part is Node {
  return typeof part === 'object' && part !== null && 'type' in part;
}
