import { readdirSync, readFileSync } from 'node:fs';
import type { ChangelogEntry } from '../../src/portal/docs/changelog.js';

interface Schema {
  readonly properties?: Readonly<Record<string, unknown>>;
}

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly { readonly in: string; readonly name: string }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
}

interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

interface Note {
  readonly version: string;
  readonly date?: string;
  readonly notes: readonly string[];
}

const BEGIN = '<!-- changelog -->\n';
const END = '<!-- /changelog -->';

/**
 * The versions of the API description, newest first: notes and dates from releases/changelog.json, and what each added from
 * comparing the files. Throws if a file or a note is without the other, or if only the newest may lack a date and another does.
 */
export function changelogOf(project: string): readonly ChangelogEntry[] {
  const read = (name: string): unknown => JSON.parse(readFileSync(`${project}releases/${name}`, 'utf8'));
  const notes = read('changelog.json') as readonly Note[];
  const files = readdirSync(`${project}releases`).filter((name) => /^openapi-v[\d.]+\.json$/.test(name));
  const named = notes.map(({ version }) => `openapi-${version}.json`);
  const alone = [...files, ...named].filter((name) => !files.includes(name) || !named.includes(name));
  if (alone.length > 0) throw new Error(`releases/: ${alone.join(', ')} without a note, or a note without its file`);
  const open = notes.slice(1).find(({ date }) => date === undefined);
  if (open) throw new Error(`releases/changelog.json: ${open.version} has no date`);
  const descriptions = named.map((name) => read(name) as Description);
  return notes.map((note, at) => {
    const [newer, older] = [descriptions[at], descriptions[at + 1]];
    return { ...note, added: newer && older ? additions(older, newer) : [] };
  });
}

/** Regenerates what is between the markers of docs/changelog.md. */
export function withChangelog(markdown: string, entries: readonly ChangelogEntry[]): string {
  const start = markdown.indexOf(BEGIN);
  if (start === -1) return markdown;
  const end = markdown.indexOf(END, start);
  return `${markdown.slice(0, start)}${BEGIN}\n${entries.map(sectionOf).join('\n')}\n${markdown.slice(end)}`;
}

function sectionOf({ version, date, notes, added }: ChangelogEntry): string {
  const listed = added.map(({ title, names }) => `- ${title}: ${names.map((name) => `\`${name}\``).join(', ')}`);
  return [
    `## ${version}`,
    '',
    `${date ?? 'Not released yet.'}`,
    '',
    ...notes.map((note) => `- ${note}`),
    ...listed,
    '',
  ].join('\n');
}

function additions(older: Description, newer: Description): ChangelogEntry['added'] {
  const before = operationsOf(older);
  const after = operationsOf(newer);
  const known = [...after].filter(([id]) => before.has(id));
  const inputs = Map.groupBy(
    known.map(([id, { operation }]) => {
      const old = new Set(inputsOf(before.get(id)?.operation));
      return { id, names: inputsOf(operation).filter((name) => !old.has(name)) };
    }),
    ({ names }) => names.join(),
  );
  const fields = Object.entries(newer.components.schemas).flatMap(([name, { properties = {} }]) => {
    const old = older.components.schemas[name]?.properties;
    return old
      ? Object.keys(properties)
          .filter((field) => !(field in old))
          .map((field) => `${name}.${field}`)
      : [];
  });
  const operations = [...after].filter(([id]) => !before.has(id)).map(([, { route }]) => route);
  return [
    { title: 'New operations', names: operations },
    ...[...inputs.values()].map((same) => ({
      title: `New parameters of ${same.map(({ id }) => id).join(', ')}`,
      names: same[0]?.names ?? [],
    })),
    { title: 'New fields in responses', names: fields },
  ].filter(({ names }) => names.length > 0);
}

/** By operation id, without the further paths of an operation. */
function operationsOf({
  paths,
}: Description): ReadonlyMap<string, { readonly route: string; readonly operation: Operation }> {
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ route: `${method.toUpperCase()} ${path}`, operation })),
  );
  return new Map(
    all
      .filter(({ operation }) => !/Alias\d+$/.test(operation.operationId))
      .map((one) => [one.operation.operationId, one]),
  );
}

function inputsOf(operation: Operation | undefined): readonly string[] {
  const bodies = Object.values(operation?.requestBody?.content ?? {});
  return [
    ...(operation?.parameters ?? []).map(({ name }) => name),
    ...bodies.flatMap(({ schema }) => Object.keys(schema.properties ?? {})),
  ];
}
