import { expect, it } from '@jest/globals';
import { checkSync } from 'recheck';
import ts from 'typescript';
import { sources } from '../../scripts/sources.mjs';
import { claim } from '../support/claim.js';
import { PROJECT } from '../support/project.js';

/** Code that reads the text of callers and suppliers: all but the rooms that run on a developer's machine. */
const READS_FOREIGN_TEXT = /^src\/(?!cli\/|contract-kit\/).*(?<!\.spec|\.contract)\.tsx?$/;
const CAN_REPEAT = /[*+]|\{\d+,/;
/** A line, except of a comment, that may have such an expression. Files without one needn't be parsed. */
const MAY_HAVE = /^(?!\s*(?:\/[/*]|\*)).*\/.*(?:[*+]|\{\d+,).*\//m;

/** The checker can't judge lookaround. Each of these starts at most once per run of what it repeats. */
const JUDGED_BY_HAND = [
  String.raw`/\/v\d+(?=\/|$)/`,
  String.raw`/(?<!\/)\/+$/`,
  String.raw`/(?<!\s)\s*:$/`,
  String.raw`/(?<![\s,(/-])[\s,(/-]*\bor\s+similar\b\.?[\s)]*$/i`,
  String.raw`/^(?=.*\d)[a-z0-9]{2,8}$/i`,
  String.raw`/^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/`,
  String.raw`/\bres_(\w{20})\b(?<!<\/?(?:[\w.-]+:)?res_\w{20})(?!["']\s*:|\s*=)/gi`,
  String.raw`/_+|(?<=[a-z])(?=[A-Z])/`,
];
/** Measured by card-numbers.spec.ts, and by mask-exchange.spec.ts for at most 16 KiB. */
const MEASURED = ['src/privacy/card-numbers.ts', 'src/privacy/scrub.ts', 'src/privacy/shape.ts'];
/** Reads only its own tables, once. */
const READS_CONSTANTS = 'src/simulators/country-facts.ts';

/** Expressions built at run time, which this test can't read, and why each takes linear time. */
const BUILT: Readonly<Record<string, string>> = {
  'src/model/money.ts': 'anchored; separators are no digits; an amount has at most 40 characters',
  'src/adapters/rest/local-time.ts': 'anchored; tokens have fixed lengths, and everything else is literal',
  'src/places/fold.ts': 'one character of a fixed set',
  'src/portal/docs/error-examples.ts': 'anchored; read against paths of our own catalog, and parameters end at a slash',
  'src/portal/docs/linked-text.tsx': 'a choice of fixed words; read against texts of our own catalog',
  'src/privacy/masked-text.ts': 'a literal, because every special character is escaped',
  'src/privacy/scrub.ts': 'a literal whose special characters are escaped, or digits with at most two separators each',
  'src/privacy/shape.ts': 'one character of a fixed set',
  'src/simulators/recorded/calls.ts': 'anchored; the rest of a path template is literal, and parameters end at a slash',
};

const checked = sources(PROJECT).filter(({ path }) => READS_FOREIGN_TEXT.test(path));

claim(
  'suppliers',
  'Every regular expression literal over the text of callers and suppliers is analyzed, or listed with the reason why it takes linear time.',
  () => {
    const found = new Map<string, string>();
    for (const { path, text } of checked.filter((source) => MAY_HAVE.test(source.text))) {
      if (!MEASURED.includes(path) && path !== READS_CONSTANTS)
        for (const regex of regexesIn(text)) if (CAN_REPEAT.test(regex)) found.set(regex, path);
    }
    expect(found.size).toBeGreaterThan(50);
    const bad = [...found].filter(([regex]) => !JUDGED_BY_HAND.includes(regex) && statusOf(regex) !== 'safe');
    expect(bad).toEqual([]);
    expect(statusOf(String.raw`/^a\s*-\s*\s+b$/`)).toBe('vulnerable');
  },
  60_000,
);

it('every file that builds regular expressions at run time is listed with the reason why they take linear time', () => {
  const built = checked.filter(({ text }) => /\bRegExp\(/.test(text)).map(({ path }) => path);
  expect(built).toEqual(Object.keys(BUILT).sort());
});

function statusOf(regex: string): string {
  const end = regex.lastIndexOf('/');
  return checkSync(regex.slice(1, end), regex.slice(end + 1), { checker: 'automaton' }).status;
}

function regexesIn(text: string): readonly string[] {
  const regexes: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) regexes.push(node.text);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('source.tsx', text, ts.ScriptTarget.Latest, false, ts.ScriptKind.TSX));
  return regexes;
}
