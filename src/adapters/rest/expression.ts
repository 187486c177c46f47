import { compile, TreeInterpreter } from '@jmespath-community/jmespath';
import { hasConstantPart, withConstants } from './constant-parts.js';
import { FUNCTIONS, INVALID_ARGUMENT, refusing } from './functions.js';
import { isPresent } from './values.js';

type Node = ReturnType<typeof compile>;
type Interpreter = Pick<typeof TreeInterpreter, 'visit'>;
type Json = Parameters<Interpreter['visit']>[1];

/** What a projection such as `a[?b].c` reads its list from, and the same projection of another list. */
interface Projected {
  readonly source: Node;
  readonly of: (list: Node) => Node;
}

/**
 * A JMESPath expression, parsed once when the manifest is loaded. `names` are the members it reads of its input, and
 * its variables with `$`.
 */
export class Expression {
  readonly projected: Projected | undefined;
  /** Whether a part of it is evaluated once for all rows of an answer. */
  readonly hasConstantPart: boolean;

  constructor(
    readonly text: string,
    readonly node: Node,
    readonly names: readonly string[],
  ) {
    this.projected = projectedOf(node);
    this.hasConstantPart = hasConstantPart(node);
  }
}

/** Variables of an expression over an answer. */
const VARIABLES: ReadonlySet<string> = new Set(['answer', 'request']);

/** Maximum rows mapped per answer, including nested ones. */
const MOST_ROWS = 20_000;
/**
 * Maximum work of the functions of an answer, in the units of functions.ts: they take some 50 ms. An answer of 64 KiB in which twenty
 * functions read each character once has a tenth of it.
 */
const MOST_WORK = 16_000_000;
/** Maximum failed evaluations per answer: one that fails costs about 100 times as much as one that succeeds. */
const MOST_FAILURES = 200;

/**
 * Parses an expression. Throws an Error that names the problem: invalid syntax, an unsupported function, `$` or a
 * variable other than `$answer` and `$request`, arithmetic, `let`, or a name that every JavaScript object has.
 */
export function parseExpression(text: string): Expression {
  const node = compile(text);
  const names = new Set<string>();
  check(node, { names, own: true, inReference: false });
  return new Expression(text, node, [...names]);
}

/** Position of a node: `own` while its input is the input of the complete expression. */
interface Position {
  readonly names: Set<string>;
  readonly own: boolean;
  readonly inReference: boolean;
}

function check(node: Node, position: Position): void {
  const elsewhere: Position = { ...position, own: false };
  switch (node.type) {
    case 'Field':
      if (node.name in Object.prototype)
        throw new Error(`"${node.name}" can't be a member of an answer: every JavaScript object has it`);
      if (position.own) position.names.add(node.name);
      return;
    case 'Variable':
      if (!VARIABLES.has(node.name))
        throw new Error(`there is no variable $${node.name}; available variables: $answer and $request`);
      if (position.inReference) throw new Error(`$${node.name} can't be read inside &; read it outside`);
      position.names.add(`$${node.name}`);
      return;
    case 'Function':
      if (!FUNCTIONS.has(node.name))
        throw new Error(
          `there is no function ${node.name}; available functions: ${[...FUNCTIONS.keys()].sort().join(', ')}`,
        );
      for (const child of node.children) check(child, position);
      return;
    case 'ExpressionReference':
      check(node.child, { ...elsewhere, inReference: true });
      return;
    case 'Subexpression':
    case 'IndexExpression':
    case 'Projection':
    case 'ValueProjection':
    case 'Pipe':
      check(node.left, position);
      check(node.right, elsewhere);
      return;
    case 'FilterProjection':
      check(node.left, position);
      check(node.condition, elsewhere);
      check(node.right, elsewhere);
      return;
    case 'Comparator':
    case 'AndExpression':
    case 'OrExpression':
      check(node.left, position);
      check(node.right, position);
      return;
    case 'Ternary':
      for (const child of [node.condition, node.trueExpr, node.falseExpr]) check(child, position);
      return;
    case 'Flatten':
    case 'NotExpression':
      check(node.child, position);
      return;
    case 'MultiSelectList':
      for (const child of node.children) check(child, position);
      return;
    case 'MultiSelectHash':
      for (const child of node.children) check(child.value, position);
      return;
    case 'Literal':
    case 'Index':
    case 'Slice':
    case 'Current':
    case 'Identity':
      return;
    case 'Root':
      throw new Error('$ alone is not supported; write $answer or $request');
    default:
      throw new Error(
        'arithmetic, let and = are not supported: amounts and text are copied, never computed; to compare, write ==',
      );
  }
}

function projectedOf(node: Node): Projected | undefined {
  switch (node.type) {
    case 'Pipe': {
      const { left } = node;
      const inner = projectedOf(left);
      return inner && { source: inner.source, of: (list) => ({ ...node, left: inner.of(list) }) };
    }
    case 'Projection':
    case 'FilterProjection': {
      const { left } = node;
      if (left.type !== 'Flatten') return { source: left, of: (list) => ({ ...node, left: list }) };
      return { source: left.child, of: (list) => ({ ...node, left: { ...left, child: list } }) };
    }
    default:
      return undefined;
  }
}

/**
 * The answer exceeds the limits, or its expressions fail too often. The message names the expression, never a value.
 */
export class EvaluationLimit extends Error {}

/** Evaluates expressions on one answer (or one request, whose `answer` is undefined), within limits. */
export class Evaluation {
  readonly #interpreter: Interpreter;
  readonly #objects = new Map<object, { readonly mark: Expression; readonly rows: readonly unknown[] }>();
  readonly #ready = new Map<Node, Node>();
  #rowsLeft = MOST_ROWS;
  #workLeft = MOST_WORK;
  #failuresLeft = MOST_FAILURES;

  constructor(scope: { readonly answer?: unknown; readonly request: object }) {
    // Cast to JSON without a check: an answer was parsed and a request is one of our models; the interpreter only
    // reads.
    const interpreter = TreeInterpreter.withScope(scope as Parameters<typeof TreeInterpreter.withScope>[0]);
    this.#interpreter = refusing(interpreter, (work) => {
      this.#workLeft -= work;
      if (this.#workLeft < 0) throw new EvaluationLimit('the functions of the manifest read too much for this answer');
    });
  }

  /**
   * The value; undefined for null. A function whose argument has the wrong type (`lower` of a number) also gives no
   * value, nor does anything else that fails. Throws EvaluationLimit if that happens too often, or if functions read too much.
   */
  value(expression: Expression, given: unknown): unknown {
    return this.#visit(this.#readyNode(expression, expression.node), given, expression.text);
  }

  /** The node with what is the same in all rows already evaluated. */
  #readyNode({ hasConstantPart, text }: Expression, node: Node): Node {
    if (!hasConstantPart) return node;
    const known = this.#ready.get(node);
    if (known) return known;
    const ready = withConstants(node, (part) => {
      const value = this.#visit(part, null, text);
      return value === undefined ? undefined : { value };
    });
    this.#ready.set(node, ready);
    return ready;
  }

  #visit(node: Node, given: unknown, text: string): unknown {
    try {
      return this.#interpreter.visit(node, given as Json) ?? undefined;
    } catch (error) {
      if (error === INVALID_ARGUMENT) return undefined;
      if (error instanceof EvaluationLimit) throw error;
      // The interpreter's message may quote the answer, so ours names only the expression.
      this.#failuresLeft -= 1;
      if (this.#failuresLeft < 0) throw new EvaluationLimit(`"${text}" cannot be evaluated`);
      return undefined;
    }
  }

  /** Whether the value is truthy as JMESPath defines it: present, not false and not empty. */
  holds(expression: Expression, given: unknown): boolean {
    const value = this.value(expression, given);
    if (value === undefined || value === false || value === '') return false;
    return typeof value !== 'object' || value === null || Object.keys(value).length > 0;
  }

  /**
   * The value of an expression for a list inside a row, each row of which has the value `mark`. In the place of the list, a value that has
   * it is the only row, which is how XML is converted; the members of an object that hasn't it are the rows if one of them has, as PHP
   * writes a list with gaps. An empty object states nothing.
   */
  listIn(rows: Expression, mark: Expression, given: unknown): unknown {
    const value = this.value(rows, given);
    if (value !== undefined) return this.#rowsOf(value, mark);
    // A projection of anything but a list is null.
    const source = rows.projected && this.#visit(this.#readyNode(rows, rows.projected.source), given, rows.text);
    const list = source === undefined ? undefined : this.#rowsOf(source, mark);
    if (!rows.projected || !Array.isArray(list)) return list;
    return this.#visit(rows.projected.of({ type: 'Literal', value: list }), given, rows.text);
  }

  #rowsOf(value: unknown, mark: Expression): unknown {
    const isRow = (node: unknown): boolean => isPresent(this.value(mark, node));
    if (!isObject(value))
      return (typeof value === 'string' || typeof value === 'number') && isRow(value) ? [value] : value;
    // The same list each time, because the rows of an answer may all read it.
    const known = this.#objects.get(value);
    if (known?.mark === mark) return known.rows;
    const members: readonly unknown[] = Object.values(value);
    if (members.length === 0) return undefined;
    const rows = !isRow(value) && members.some((member) => isObject(member) && isRow(member)) ? members : [value];
    this.#objects.set(value, { mark, rows });
    return rows;
  }

  /** A list to read row by row; undefined for anything else. Throws EvaluationLimit if the answer has too many rows. */
  list(value: unknown): readonly unknown[] | undefined {
    if (!Array.isArray(value)) return undefined;
    this.#rowsLeft -= value.length;
    if (this.#rowsLeft < 0) throw new EvaluationLimit(`the answer has more than ${MOST_ROWS} rows`);
    return value;
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
