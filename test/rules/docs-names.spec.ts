import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { sources } from '../../scripts/sources.mjs';
import { configSchema } from '../../src/config/config.schema.js';
import { supplierConfigSchema } from '../../src/config/supplier-config.schema.js';
import { PROJECT } from '../support/project.js';

const files = sources(PROJECT);
/** Without decisions, which describe what was true when they were made. */
const pages = files.filter(({ path }) => /^(?:README|docs\/[\w-]+)\.md$/.test(path));
const code = files
  .filter(({ path }) => /^src\/.*(?<!\.spec)\.tsx?$/.test(path))
  .map(({ text }) => text)
  .join('\n');
const everywhere = files
  .filter(({ path }) => !path.endsWith('.md'))
  .map(({ text }) => text)
  .join('\n');

/** Every match of a pattern's first group in the pages, with its page. */
function named(pattern: RegExp): { readonly page: string; readonly name: string; readonly rest: readonly string[] }[] {
  return pages.flatMap(({ path, text }) =>
    [...text.matchAll(pattern)].map(([, name = '', ...rest]) => ({ page: path, name, rest })),
  );
}
const isIn = (text: string, name: string) => new RegExp(`\\b${name}\\b`).test(text);

/** The default of a setting, by its dotted name; undefined if it has none, or if there is no such setting. */
function defaultOf(name: string): unknown {
  const config: unknown = configSchema.parse({});
  return name.split('.').reduce((value, key) => (value as Record<string, unknown> | undefined)?.[key], config);
}
const GROUPS = Object.entries(configSchema.shape)
  .filter(([, group]) => typeof (group.safeParse({}).data ?? '') === 'object')
  .map(([name]) => name);

describe('what the documentation names is in the code', () => {
  it('metrics', () => {
    const metrics = named(/\b(forecourt_[a-z_]+[a-z])\b/g);
    expect(metrics.length).toBeGreaterThan(10);
    expect(metrics.filter(({ name }) => !isIn(code, name))).toEqual([]);
  });

  it('environment variables', () => {
    const variables = named(/`([A-Z][A-Z0-9]+(?:_[A-Z0-9]+)+)`/g);
    expect(variables.length).toBeGreaterThan(40);
    expect(variables.filter(({ name }) => !isIn(everywhere, name))).toEqual([]);
  });

  it('settings, with their defaults in parentheses', () => {
    const settings = named(
      new RegExp(`\`((?:${GROUPS.join('|')})(?:\\.[a-z]\\w*)+)\`(?: \\((\\d[\\d,]*)( s)?\\b)?`, 'g'),
    ).filter(({ name }) => !/\.[cm]?[jt]sx?$/.test(name));
    expect(settings.length).toBeGreaterThan(20);
    expect(settings.filter(({ name }) => !name.split('.').every((key) => isIn(code, key)))).toEqual([]);
    const wrong = settings.filter(({ name, rest: [figure, seconds] }) => {
      const value = defaultOf(name);
      const stated = Number(figure?.replaceAll(',', '')) * (seconds && name.endsWith('Ms') ? 1_000 : 1);
      return figure !== undefined && typeof value === 'number' && value !== stated;
    });
    expect(wrong).toEqual([]);
  });

  it('commands', () => {
    const words = new Set([...code.matchAll(/\.command\('([\w-]+)/g)].map(([, word]) => word));
    const commands = named(/(?:`|run (?:-s )?)gw (?:-- )?([a-z][\w-]+(?: [a-z][a-z-]+)?)/g);
    expect(commands.length).toBeGreaterThan(25);
    expect(commands.filter(({ name }) => !name.split(' ').every((word) => words.has(word)))).toEqual([]);
  });

  it('the names of the glossary', () => {
    const { text = '' } = pages.find(({ path }) => path === 'docs/glossary.md') ?? {};
    const names = [...text.matchAll(/^\|[^|]+\|[^|]+\|([^|]+)\|$/gm)].flatMap(([, cell = '']) =>
      [...cell.matchAll(/`([\w/]+?)\/?`/g)].map(([, name = '']) => name),
    );
    expect(names.length).toBeGreaterThan(40);
    expect(names.filter((name) => !isIn(everywhere, name) && !code.includes(name) && !name.startsWith('src/'))).toEqual(
      [],
    );
  });
});

describe('the defaults of suppliers', () => {
  it('are those of docs/resilience.md', () => {
    const { text = '' } = pages.find(({ path }) => path === join('docs', 'resilience.md')) ?? {};
    const supplier = { id: 'uno', name: 'Uno', adapter: 'rest', brands: ['Uno'], url: 'https://uno.example' };
    const { breaker, retry, bulkhead } = supplierConfigSchema.parse(supplier).resilience;
    const shown = (values: object) =>
      `{ ${Object.entries(values)
        .map(([name, value]) => `${name}: ${value}`)
        .join(', ')} }`;
    expect(text).toContain(`breaker: ${shown(breaker)}`);
    expect(text).toContain(`retry: ${shown(retry)}`);
    expect(text).toContain(`bulkhead: ${shown(bulkhead)}`);
  });
});
