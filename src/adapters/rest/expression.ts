import { compile, TreeInterpreter } from '@jmespath-community/jmespath';

type Node = ReturnType<typeof compile>;
type Interpreter = Pick<typeof TreeInterpreter, 'visit'>;
type Json = Parameters<Interpreter['visit']>[1];

/**
 * A JMESPath expression, parsed once when the manifest is loaded. `names` are the members it reads of its input, and
 * its variables with `$`.
 */
export class Expression {
  constructor(
    readonly text: string,
    readonly node: Node,
    readonly names: readonly string[],
  ) {}
}

/**
 * Functions that expressions may call, all of which run in linear time (sorting: almost). None of them computes, pads
 * or produces text longer than its arguments: amounts are copied, never added up.
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

/** Variables of an expression over an answer. */
const VARIABLES: ReadonlySet<string> = new Set(['answer', 'request']);

/** Maximum rows mapped per answer, including nested ones. */
const MOST_ROWS = 20_000;
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
        throw new Error(`there is no function ${node.name}; available functions: ${[...FUNCTIONS].sort().join(', ')}`);
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

/**
 * The answer exceeds the limits, or its expressions fail too often. The message names the expression, never a value.
 */
export class EvaluationLimit extends Error {}

/** Evaluates expressions on one answer (or one request, whose `answer` is undefined), within limits. */
export class Evaluation {
  readonly #interpreter: Interpreter;
  #rowsLeft = MOST_ROWS;
  #failuresLeft = MOST_FAILURES;

  constructor(scope: { readonly answer?: unknown; readonly request: object }) {
    // Cast to JSON without a check: an answer was parsed and a request is one of our models; the interpreter only
    // reads.
    this.#interpreter = TreeInterpreter.withScope(scope as Parameters<typeof TreeInterpreter.withScope>[0]);
  }

  /**
   * The value; undefined for null. A function whose argument has the wrong type (`lower` of a number) also gives no
   * value. Throws EvaluationLimit if that happens too often.
   */
  value(expression: Expression, given: unknown): unknown {
    try {
      return this.#interpreter.visit(expression.node, given as Json) ?? undefined;
    } catch {
      // The interpreter's message may quote the answer, so ours names only the expression.
      this.#failuresLeft -= 1;
      if (this.#failuresLeft < 0) throw new EvaluationLimit(`"${expression.text}" cannot be evaluated`);
      return undefined;
    }
  }

  /** Whether the value is truthy as JMESPath defines it: present, not false and not empty. */
  holds(expression: Expression, given: unknown): boolean {
    const value = this.value(expression, given);
    if (value === undefined || value === false || value === '') return false;
    return typeof value !== 'object' || value === null || Object.keys(value).length > 0;
  }

  /** A list to read row by row; undefined for anything else. Throws EvaluationLimit if the answer has too many rows. */
  list(value: unknown): readonly unknown[] | undefined {
    if (!Array.isArray(value)) return undefined;
    this.#rowsLeft -= value.length;
    if (this.#rowsLeft < 0) throw new EvaluationLimit(`the answer has more than ${MOST_ROWS} rows`);
    return value;
  }
}
