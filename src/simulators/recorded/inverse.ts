import { type Expression, type Node, nodeOf } from './expression.js';

/** The path of a value in JSON: names of members and indexes of lists, outermost first. */
export type Path = readonly (string | number)[];
/** A value and its path. */
export type Assignment = readonly [path: Path, value: unknown];

/**
 * The path of an expression that only descends (`a.b[0].c`, `$answer.a` as `a`); undefined for every other expression.
 */
export function pathOf(expression: Expression): Path | undefined {
  return walk(nodeOf(expression));
}

/** A copy of `root` with the values at their paths; creates missing objects and lists on the way. */
export function withValues(root: unknown, assignments: readonly Assignment[]): unknown {
  return assignments.reduce((changed, [path, value]) => placed(changed, path, value), root);
}

/** Values that a body needs for a condition to hold; undefined if the condition does not show them. */
export function exampleOf(expression: Expression): readonly Assignment[] | undefined {
  return satisfied(nodeOf(expression));
}

function walk(node: Node): Path | undefined {
  switch (node.type) {
    case 'Field':
      return [node.name];
    case 'Index':
      return node.value >= 0 ? [node.value] : undefined;
    case 'Variable':
      return node.name === 'answer' ? [] : undefined;
    case 'Subexpression':
    case 'IndexExpression': {
      const left = walk(node.left);
      const right = walk(node.right);
      return left && right && [...left, ...right];
    }
    default:
      return undefined;
  }
}

function satisfied(node: Node): readonly Assignment[] | undefined {
  switch (node.type) {
    case 'AndExpression': {
      const left = satisfied(node.left);
      const right = satisfied(node.right);
      return left && right && [...left, ...right];
    }
    case 'OrExpression':
      return satisfied(node.left) ?? satisfied(node.right);
    case 'Comparator': {
      const [place, constant] = node.left.type === 'Literal' ? [node.right, node.left] : [node.left, node.right];
      const path = walk(place);
      if (!path || constant.type !== 'Literal') return undefined;
      if (node.name === 'EQ') return [[path, constant.value]];
      // A missing member differs from every constant except null.
      return node.name === 'NE' && constant.value !== null ? [] : undefined;
    }
    case 'Function': {
      const [place, constant] = node.children;
      const path = place && walk(place);
      const speaks = ['contains', 'starts_with', 'ends_with'].includes(node.name);
      return path && speaks && constant?.type === 'Literal' ? [[path, constant.value]] : undefined;
    }
    default: {
      const path = walk(node);
      return path && [[path, true]];
    }
  }
}

function placed(root: unknown, path: Path, value: unknown): unknown {
  const [first, ...rest] = path;
  if (first === undefined) return value;
  if (typeof first === 'number') {
    const list: unknown[] = Array.isArray(root) ? [...(root as unknown[])] : [];
    list[first] = placed(list[first], rest, value);
    return list;
  }
  const members =
    typeof root === 'object' && root !== null && !Array.isArray(root)
      ? (root as Readonly<Record<string, unknown>>)
      : {};
  return { ...members, [first]: placed(members[first], rest, value) };
}
