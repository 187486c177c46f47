// Finds words and phrases that this project doesn't use (language/words.yml) in everything people read: comments,
// messages, test titles, docs. An exception needs a reason (language/allowed.yml). `--counts` prints only the hits per
// room. Exit code 1 for any hit.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { TextlintKernel } from '@textlint/kernel';
import { parse as parseText } from '@textlint/text-to-ast';
import markdownPlugin from '@textlint/textlint-plugin-markdown';
import prhRule from 'textlint-rule-prh';
import { parse as parseYaml } from 'yaml';
import { proseOf } from './language/prose.mjs';
import { sources } from './sources.mjs';

const MOST_ALLOWED = 15;
const LANGUAGE = join(import.meta.dirname, 'language');
const allowed = parseYaml(readFileSync(join(LANGUAGE, 'allowed.yml'), 'utf8'));
const used = new Set();

/** Everything but Markdown goes through `proseOf`; the extension determines the plugin that reads a file. */
class ProseProcessor {
  availableExtensions() {
    return ['.prose'];
  }

  processor() {
    return {
      preProcess: (text, path) => {
        const prose = proseOf(path, text);
        return { text: prose, ast: parseText(prose) };
      },
      postProcess: (messages, filePath) => ({ messages, filePath }),
    };
  }
}

/** The patterns of the words. Nine out of ten files contain none of them; finding that out takes a thirtieth of the time. */
const patterns = parseYaml(readFileSync(join(LANGUAGE, 'words.yml'), 'utf8')).rules.map(({ pattern }) => {
  const [, source, flags] = /^\/(.*)\/(\w*)$/.exec(pattern);
  return new RegExp(source, `${flags}m`);
});
const mayHit = (text) => {
  // A line break in a string is two characters in its source, the second of which is a letter. Texts also begin after marks.
  const plain = text.replaceAll(/\\\w/g, '\n').replaceAll(/(?<=['"`>*_([|{])|^[^\w\n]+/gm, '\n');
  return patterns.some((pattern) => pattern.test(plain));
};

const kernel = new TextlintKernel();
const options = {
  plugins: [
    { pluginId: 'markdown', plugin: moduleOf(markdownPlugin) },
    { pluginId: 'prose', plugin: { Processor: ProseProcessor } },
  ],
  rules: [
    {
      ruleId: 'prh',
      rule: moduleOf(prhRule),
      options: {
        rulePaths: [join(LANGUAGE, 'words.yml')],
        checkLink: true,
        checkBlockQuote: true,
        checkEmphasis: true,
      },
    },
  ],
};

const hits = [];
// The list quotes the words it forbids.
for (const { path, text } of sources(process.cwd())) {
  if (path.startsWith('scripts/language/') || !mayHit(text)) continue;
  const lines = text.split('\n');
  const ext = path.endsWith('.md') ? '.md' : '.prose';
  const { messages } = await kernel.lintText(text, { ...options, ext, filePath: path });
  hits.push(...messages.map((message) => ({ path, ...message })).filter((hit) => !isAllowed(hit, lines)));
}
const complaints = complaintsAboutExceptions();
if (!process.argv.includes('--counts')) {
  for (const { path, line, column, message } of hits) {
    console.log(`${path}:${line}:${column}: ${message.replace('\n', ' · ')}`);
  }
}
for (const [room, count] of countsByRoom()) console.log(`${String(count).padStart(5)} ${room}`);
for (const complaint of complaints) console.log(`scripts/language/allowed.yml: ${complaint}`);
console.log(`${hits.length} hits, ${allowed.length} exceptions`);
process.exitCode = hits.length + complaints.length > 0 ? 1 : 0;

/** An exception is a text of a line in a file, or the word itself in a folder (`…/`). */
function isAllowed({ path, line, column, message }, lines) {
  const source = lines[line - 1];
  const found = source.slice(column - 1, column - 1 + message.indexOf(' => ')).toLowerCase();
  const entry = allowed.find(({ file, text }) =>
    file.endsWith('/') ? path.startsWith(file) && found.startsWith(text) : path === file && source.includes(text),
  );
  if (entry !== undefined) used.add(entry);
  return entry !== undefined;
}

function complaintsAboutExceptions() {
  return [
    ...(allowed.length > MOST_ALLOWED ? [`${allowed.length} exceptions, at most ${MOST_ALLOWED} are allowed`] : []),
    ...allowed.filter(({ reason }) => !reason).map(({ file, text }) => `"${text}" in ${file} has no reason`),
    ...allowed
      .filter((entry) => !used.has(entry))
      .map(({ file, text }) => `"${text}" is no longer in ${file}: delete it`),
  ];
}

function countsByRoom() {
  const counts = new Map();
  for (const { path } of hits) {
    const room = /^(?:src|test)\/[^/]+(?=\/)|^[^/]+(?=\/)/.exec(path)?.[0] ?? '(root)';
    counts.set(room, (counts.get(room) ?? 0) + 1);
  }
  return [...counts].sort(([, a], [, b]) => b - a);
}

/** The plugins are CommonJS modules that export `default`. */
function moduleOf(imported) {
  return imported.default ?? imported;
}
