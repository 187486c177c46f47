import { globSync, readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import ts from 'typescript';

const MOST_LINES = 8;
const ROUTES = new Set(['Get', 'Post', 'Put', 'Patch', 'Delete', 'All', 'Submit']);

interface Handler {
  readonly name: string;
  /** Lines of the body, without its braces and without blank and comment lines. */
  readonly lines: number;
}

/** Every method of a controller that is decorated as a route. */
function handlersOf(path: string): Handler[] {
  const source = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true);
  const found: Handler[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isMethodDeclaration(node) && isRoute(node) && node.body)
      found.push({ name: `${path} ${node.name.getText()}`, lines: linesOf(node.body) });
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function isRoute(method: ts.MethodDeclaration): boolean {
  return (ts.getDecorators(method) ?? []).some(
    ({ expression }) => ts.isCallExpression(expression) && ROUTES.has(expression.expression.getText()),
  );
}

function linesOf(body: ts.Block): number {
  const inside = body.getText().slice(1, -1);
  return inside.split('\n').filter((line) => !/^\s*(\/\/.*)?$/.test(line)).length;
}

const handlers = globSync('src/**/*.controller.{ts,tsx}').flatMap(handlersOf);

it('reads every controller', () => {
  expect(handlers.length).toBeGreaterThan(60);
});

it(`no handler is longer than ${MOST_LINES} lines`, () => {
  expect(handlers.filter(({ lines }) => lines > MOST_LINES)).toEqual([]);
});

it('every 429 is created in one place', () => {
  const sources = globSync('src/**/*.{ts,tsx}', { exclude: (path) => /\.spec\.tsx?$/.test(path) });
  const creating = sources.filter((path) => readFileSync(path, 'utf8').includes("of('throttled'"));
  expect(creating).toEqual(['src/status/throttled.ts']);
});
