import { compile, TreeInterpreter } from '@jmespath-community/jmespath';

type Node = ReturnType<typeof compile>;
type Interpreter = Pick<typeof TreeInterpreter, 'visit'>;
type Json = Parameters<Interpreter['visit']>[1];

/** A JMESPath expression, parsed once when the manifest is read. `names`: the members it reads of the value that it is given, and its variables with `$`. */
export class Expression {
  constructor(
    readonly text: string,
    readonly node: Node,
    readonly names: readonly string[],
  ) {}
}

/**
 * Functions an expression may call: those that end in time linear in what they are given (sorting: almost). None of them computes, pads or
 * makes text longer than its arguments: amounts are copied, never added up.
 */
const FUNCTIONS: ReadonlySet<string> = new Set([
  ...[
    'contains',
    'ends_with',
    'starts_with',
    'items',
    'join',
    'keys',
    'length',
    'lower',
    'map',
    'merge',
    'not_null',
    'reverse',
    'sort',
  ],
  ...['sort_by', 'split', 'to_array', 'to_number', 'to_string', 'trim', 'type', 'upper', 'values', 'zip'],
]);

/** What an expression over an answer knows beside the value it is given. */
const VARIABLES: ReadonlySet<string> = new Set(['answer', 'request']);

/** Rows that may be mapped of one answer, nested ones counted. */
const MOST_ROWS = 20_000;
/** Evaluations that may fail in one answer: a failing one costs a hundred times a good one. */
const MOST_FAILURES = 200;

/**
 * Parses an expression. Throws an Error that says what is wrong with it: syntax, a function that is not offered, `$` or a variable other than
 * `$answer` and `$request`, arithmetic, `let`, a name that every JavaScript object has.
 */
export function parseExpression(text: string): Expression {
  const node = compile(text);
  const names = new Set<string>();
  check(node, { names, own: true, inReference: false });
  return new Expression(text, node, [...names]);
}

/** Where a node stands: `own` while it is given the value of the whole expression. */
interface Standing {
  readonly names: Set<string>;
  readonly own: boolean;
  readonly inReference: boolean;
}

function check(node: Node, standing: Standing): void {
  const elsewhere: Standing = { ...standing, own: false };
  switch (node.type) {
    case 'Field':
      if (node.name in Object.prototype) throw new Error(`"${node.name}" is no member of an answer`);
      if (standing.own) standing.names.add(node.name);
      return;
    case 'Variable':
      if (!VARIABLES.has(node.name))
        throw new Error(`there is no variable $${node.name}; there are $answer and $request`);
      if (standing.inReference) throw new Error(`$${node.name} cannot be read inside &`);
      standing.names.add(`$${node.name}`);
      return;
    case 'Function':
      if (!FUNCTIONS.has(node.name))
        throw new Error(`there is no function ${node.name}; there are ${[...FUNCTIONS].sort().join(', ')}`);
      for (const child of node.children) check(child, standing);
      return;
    case 'ExpressionReference':
      check(node.child, { ...elsewhere, inReference: true });
      return;
    case 'Subexpression':
    case 'IndexExpression':
    case 'Projection':
    case 'ValueProjection':
    case 'Pipe':
      check(node.left, standing);
      check(node.right, elsewhere);
      return;
    case 'FilterProjection':
      check(node.left, standing);
      check(node.condition, elsewhere);
      check(node.right, elsewhere);
      return;
    case 'Comparator':
    case 'AndExpression':
    case 'OrExpression':
      check(node.left, standing);
      check(node.right, standing);
      return;
    case 'Ternary':
      for (const child of [node.condition, node.trueExpr, node.falseExpr]) check(child, standing);
      return;
    case 'Flatten':
    case 'NotExpression':
      check(node.child, standing);
      return;
    case 'MultiSelectList':
      for (const child of node.children) check(child, standing);
      return;
    case 'MultiSelectHash':
      for (const child of node.children) check(child.value, standing);
      return;
    case 'Literal':
    case 'Index':
    case 'Slice':
    case 'Current':
    case 'Identity':
      return;
    case 'Root':
      throw new Error('$ alone is not known; say $answer or $request');
    default:
      throw new Error(
        'arithmetic, let and = are not offered: amounts and texts are copied, never computed; to compare write ==',
      );
  }
}

/** More work than an answer is worth, or expressions that do not fit it; the text says which, never a value. */
export class EvaluationLimit extends Error {}

/** Evaluates expressions on one answer (or one request, whose `answer` is undefined), within bounds. */
export class Evaluation {
  readonly #interpreter: Interpreter;
  #rowsLeft = MOST_ROWS;
  #failuresLeft = MOST_FAILURES;

  constructor(scope: { readonly answer?: unknown; readonly request: object }) {
    // JSON without a proof of it: an answer was parsed, a request is one of our models; the interpreter only reads.
    this.#interpreter = TreeInterpreter.withScope(scope as Parameters<typeof TreeInterpreter.withScope>[0]);
  }

  /**
   * The value; undefined for null. A function that does not like what it is given (`lower` of a number) has no value either. Throws
   * EvaluationLimit when that happens all the time.
   */
  value(expression: Expression, given: unknown): unknown {
    try {
      return this.#interpreter.visit(expression.node, given as Json) ?? undefined;
    } catch {
      // Whatever the interpreter says of it, it may quote the answer: only the expression is told.
      this.#failuresLeft -= 1;
      if (this.#failuresLeft < 0) throw new EvaluationLimit(`"${expression.text}" cannot be evaluated`);
      return undefined;
    }
  }

  /** Whether the value is there and neither false nor empty (JMESPath's own notion of truth). */
  holds(expression: Expression, given: unknown): boolean {
    const value = this.value(expression, given);
    if (value === undefined || value === false || value === '') return false;
    return typeof value !== 'object' || value === null || Object.keys(value).length > 0;
  }

  /** A list to be read row by row; undefined for anything else. Throws EvaluationLimit when the answer has more rows than anybody sells. */
  list(value: unknown): readonly unknown[] | undefined {
    if (!Array.isArray(value)) return undefined;
    this.#rowsLeft -= value.length;
    if (this.#rowsLeft < 0) throw new EvaluationLimit(`the answer has more than ${MOST_ROWS} rows`);
    return value;
  }
}
