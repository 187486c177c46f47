// The parts of a source file that people read, with everything else replaced by spaces, so that lines and columns stay
// the same.
import { extname } from 'node:path';
import ts from 'typescript';

const CODE = /^\.(?:[cm]?js|tsx?)$/;
const TITLES = /^(?:describe|describeWith|it|test|claim)$/;
const IS_TEST = /\.(?:spec|contract)\.tsx?$|^test\//;
const COMMENTS = { '.css': /\/\*[\s\S]*?\*\//g, '.lua': /(?<!\S)--.*/g };
/** Comments of YAML and its values of several words, such as the summary of an alert. */
const YAML_TEXTS = /(?<!\S)#.*|(?<=^[\s-]*[\w.-]+: +)(?=\S+ \S).*/gm;
const CODE_IN_PROSE = /`[^`\n]*`|\b[a-z][\w.-]*:\/\/\S+/g;

/**
 * In TypeScript and JavaScript: comments, strings that contain a space, and the text of JSX; in tests, comments and
 * test titles. In YAML below deploy/: comments and values. In any other file: the comments. Not for Markdown.
 */
export function proseOf(path, text) {
  const extension = extname(path);
  const prose = CODE.test(extension) ? codeProse(path, text) : partsOf(text, textsOf(path, extension));
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
    // The end of the file has the last JSDoc comment as a child.
    const isToken = node.getChildren(file).every(ts.isJSDoc);
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

function textsOf(path, extension) {
  if (/^deploy\/.*\.ya?ml$/.test(path)) return YAML_TEXTS;
  return COMMENTS[extension] ?? /(?<!\S)#.*/g;
}

function partsOf(text, pattern) {
  return [...text.matchAll(pattern)].reduce(
    (kept, { 0: comment, index }) => kept.slice(0, index) + comment + kept.slice(index + comment.length),
    blanks(text),
  );
}

function blanks(text) {
  return text.replace(/[^\n]/g, ' ');
}
