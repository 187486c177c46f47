import ts from 'typescript';
import { ASVS, type AsvsId } from '../../test/support/claim.js';
import type { Source } from '../sources.mjs';

/** A claim of docs/security-*.md and the file that proves it. */
export interface Claim {
  /** Sections and ASVS requirements, as in the call. */
  readonly places: readonly string[];
  readonly sentence: string;
  readonly file: string;
}

const PROOFS = /\.(?:spec|contract)\.tsx?$/;
const MARKED = /(<!-- claims:([\w-]+) -->\n)[\s\S]*?(<!-- \/claims -->)/g;

/**
 * All claims of the spec files among `files`, in their order. Throws if one could be skipped or can't be read: every
 * claim is called directly in its file or in a `describe`, with literal places and a literal sentence, once.
 */
export function claimsIn(files: readonly Source[]): readonly Claim[] {
  const claims = files.filter(({ path }) => PROOFS.test(path)).flatMap(claimsOf);
  const sentences = claims.map(({ sentence }) => sentence);
  const repeated = sentences.find((sentence, index) => sentences.indexOf(sentence) !== index);
  if (repeated !== undefined) throw new Error(`two claims have the sentence "${repeated}"; each needs its own`);
  return claims;
}

/**
 * Regenerates the lines between `<!-- claims:section -->` and `<!-- /claims -->`, and the table of requirements in the
 * section `asvs`.
 */
export function withClaims(markdown: string, claims: readonly Claim[]): string {
  return markdown.replace(MARKED, (_old, begin: string, section: string, end: string) => {
    const lines =
      section === 'asvs' ? asvsTable(claims) : claims.filter(({ places }) => places.includes(section)).map(lineOf);
    return `${begin}\n${lines.join('\n')}\n\n${end}`;
  });
}

/** The sections of a page that have markers. */
export function sectionsOf(markdown: string): readonly string[] {
  return [...markdown.matchAll(MARKED)].map(([, , section = '']) => section);
}

function lineOf({ sentence, file, places }: Claim): string {
  const requirements = places.filter(isAsvs);
  const run = file.includes('.long.') ? ', run by `npm run test:all`' : '';
  return `- ${sentence} \`${file}\`${run}${requirements.length > 0 ? ` (ASVS ${requirements.join(', ')})` : ''}`;
}

function asvsTable(claims: readonly Claim[]): readonly string[] {
  const rows = Object.entries(ASVS).map(([id, requirement]) => {
    const sections = claims
      .filter(({ places }) => places.includes(id))
      .flatMap(({ places }) => places.filter((place) => !isAsvs(place)));
    return `| ${id} | ${requirement} | ${[...new Set(sections)].join(', ')} |`;
  });
  return ['| ASVS | Requirement | Claims in |', '|---|---|---|', ...rows];
}

function isAsvs(place: string): place is AsvsId {
  return place in ASVS;
}

function claimsOf({ path, text }: Source): Claim[] {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const claims: Claim[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node) && node.text === 'claim' && !ts.isImportSpecifier(node.parent))
      claims.push(claimAt(node));
    ts.forEachChild(node, visit);
  };
  visit(file);
  return claims;

  function claimAt(name: ts.Identifier): Claim {
    const call = callOf(name);
    if (!call) throw unreadable(name, 'write claim(places, sentence, …) or claim.each(cases)(places, sentence, …)');
    const [places, sentence] = call.arguments;
    if (!sentence || !ts.isStringLiteralLike(sentence)) throw unreadable(call, 'the sentence of a claim is a literal');
    if (!/^[A-Z0-9`].*\.$/.test(sentence.text) || /%[a-z]|\$/.test(sentence.text))
      throw unreadable(call, 'a claim is a sentence: a capital letter, a period, no placeholder');
    mustRun(call);
    return { places: placesOf(places, call), sentence: sentence.text, file: path };
  }

  function placesOf(node: ts.Expression | undefined, call: ts.Node): readonly string[] {
    const parts = node && ts.isArrayLiteralExpression(node) ? node.elements : [node];
    return parts.map((part) => {
      if (part && ts.isStringLiteralLike(part)) return part.text;
      throw unreadable(call, 'the sections of a claim are literals');
    });
  }

  /** Nothing around a claim may skip it, except `describeWith`, whose programs are installed in every complete run. */
  function mustRun(call: ts.Node): void {
    for (let node = call.parent; !ts.isSourceFile(node); node = node.parent) {
      if (ts.isCallExpression(node) && !runs(node.expression))
        throw unreadable(call, `is in ${node.expression.getText()}`);
      const isPlain =
        ts.isCallExpression(node) ||
        ts.isExpressionStatement(node) ||
        ts.isBlock(node) ||
        ts.isArrowFunction(node) ||
        ts.isForOfStatement(node) ||
        (ts.isFunctionDeclaration(node) && path.includes('.contract.'));
      if (!isPlain) throw unreadable(call, 'a claim is directly in its file or in a describe');
    }
  }

  function unreadable(node: ts.Node, message: string): Error {
    const { line } = file.getLineAndCharacterOfPosition(node.getStart());
    return new Error(`${path}:${line + 1}: ${message}`);
  }
}

/** The call that has places and sentence: `claim(…)`, or the second one of `claim.each(…)(…)`. */
function callOf(name: ts.Identifier): ts.CallExpression | undefined {
  const { parent } = name;
  if (ts.isCallExpression(parent) && parent.expression === name) return parent;
  if (!ts.isPropertyAccessExpression(parent) || parent.name.text !== 'each') return undefined;
  const cases = parent.parent;
  if (!ts.isCallExpression(cases) || cases.expression !== parent) return undefined;
  return ts.isCallExpression(cases.parent) && cases.parent.expression === cases ? cases.parent : undefined;
}

/** `describe`, `describe.each(…)` or `describeWith(…)`. */
function runs(callee: ts.Expression): boolean {
  return /^(?:describe|describe\.each(?:<[^(]*>)?\([\s\S]*\)|describeWith\([\s\S]*\))$/.test(callee.getText());
}
