import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { ERROR_REASONS } from './errors.js';
import { otaOptionsSchema } from './options.js';

const page = readFileSync('docs/ota-dialect.md', 'utf8');
const defaults = otaOptionsSchema.parse({});

/** Setting → the default in the docs. */
function documented(): ReadonlyMap<string, string> {
  const rows = page.matchAll(/^\| (`[\w.]+`(?:, `[\w.]+`)*) \| (none|`[^`]*`) \|/gm);
  return new Map(
    [...rows].flatMap(([, names = '', value = '']) =>
      names.split(', ').map((name) => [plain(name), plain(value)] as const),
    ),
  );
}

function plain(code: string): string {
  return code.replaceAll('`', '');
}

/** A default as written in the docs. */
function written(name: string): string {
  const [top = '', below] = name.split('.');
  const group = Reflect.get(defaults, top) as unknown;
  const value: unknown = below === undefined ? group : Reflect.get(group as object, below);
  if (value === undefined) return 'none';
  if (typeof value === 'object') return JSON.stringify(value);
  return value === '' ? "''" : String(value);
}

describe('docs/ota-dialect.md', () => {
  it('lists exactly the settings of the schema', () => {
    const names = [...documented().keys()].map((name) => name.split('.')[0]);
    expect(new Set(names)).toEqual(new Set(Object.keys(otaOptionsSchema.shape)));
    for (const group of ['paths', 'requestor', 'locationCode'] as const) {
      for (const key of Object.keys(defaults[group])) expect([...documented().keys()]).toContain(`${group}.${key}`);
    }
  });

  it('states the default of each', () => {
    const names = [...documented().keys()];
    expect([...documented()]).toEqual(names.map((name) => [name, written(name)]));
  });

  it('lists every reason of an error code', () => {
    const [, words = ''] = /^Reasons: `([\s\S]*?)`/m.exec(page) ?? [];
    expect(words.split(/\s+/)).toEqual(ERROR_REASONS);
  });
});
