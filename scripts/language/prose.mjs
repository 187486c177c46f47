// The parts of a source file that people read, with everything else replaced by spaces, so that lines and columns stay
// the same.
import { extname } from 'node:path';
import ts from 'typescript';

const CODE = /^\.(?:[cm]?js|tsx?)$/;
const TITLES = /^(?:describe|describeWith|it|test|claim)$/;
const IS_TEST = /\.(?:spec|contract)\.tsx?$|^test\//;
const CODE_IN_PROSE = /`[^`\n]*`|\b[a-z][\w.-]*:\/\/\S+/g;

/**
 * In TypeScript and JavaScript: comments, strings that contain a space, and the text of JSX; in tests, comments and
 * test titles. In any other file: the text after a `#`. Not for Markdown.
 */
export function proseOf(path, text) {
  const prose = CODE.test(extname(path)) ? codeProse(path, text) : hashComments(text);
  return prose.replace(CODE_IN_PROSE, (code) => ' '.repeat(code.length));
}

function codeProse(path, text) {
  const kept = blanks(text).split('');
  const keep = (start, end) => {
    for (let at = start; at < end; at += 1) kept[at] = text[at];
  };
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const isTest = IS_TEST.test(path);
  const visit = (node) => {
    if (ts.isJSDoc(node)) return;
    const isToken = node.getChildCount(file) === 0;
    if (isToken && !ts.isJsxText(node)) keep(node.pos, node.getStart(file));
    if (ts.isJsxText(node)) keep(node.pos, node.end);
    // Without its quotes: a backtick would start code.
    else if (isReadable(node, file) && (!isTest || isTitle(node))) keep(node.getStart(file) + 1, node.end - 1);
    for (const child of node.getChildren(file)) visit(child);
  };
  visit(file);
  return kept.join('');
}

/** A string that may be a sentence: not an import, markup or an SQL template. */
function isReadable(node, file) {
  if (!ts.isStringLiteral(node) && !ts.isTemplateLiteralToken(node)) return false;
  if (ts.isImportDeclaration(node.parent) || ts.isTaggedTemplateExpression(templateOf(node).parent)) return false;
  const words = node.getText(file);
  return /\w \w|\} \w|\w \$\{/.test(words) && !/<\/?\w+[ >]/.test(words);
}

/** The complete template that a part belongs to; anything else is returned unchanged. */
function templateOf(node) {
  if (ts.isTemplateHead(node)) return node.parent;
  return ts.isTemplateMiddleOrTemplateTail(node) ? node.parent.parent : node;
}

function isTitle(node) {
  const argument = templateOf(node);
  const call = argument.parent;
  return ts.isCallExpression(call) && call.arguments.includes(argument) && TITLES.test(rootOf(call.expression));
}

/** `test` of `test.each(rows)(…)`. */
function rootOf(expression) {
  if (ts.isIdentifier(expression)) return expression.text;
  const inner =
    ts.isCallExpression(expression) || ts.isPropertyAccessExpression(expression) ? expression.expression : undefined;
  return inner === undefined ? '' : rootOf(inner);
}

function hashComments(text) {
  return text
    .split('\n')
    .map((line) => {
      const start = /(?:^|\s)#/.exec(line)?.index ?? line.length;
      return ' '.repeat(start) + line.slice(start);
    })
    .join('\n');
}

function blanks(text) {
  return text.replace(/[^\n]/g, ' ');
}
