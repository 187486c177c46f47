import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { tablesMissing, withTables } from '../../../scripts/docs/tables.js';

const files = readdirSync('docs')
  .filter((name) => name.endsWith('.md'))
  .map((name) => ({ name, markdown: readFileSync(`docs/${name}`, 'utf8') }));

describe('the tables of docs/', () => {
  it.each(files)('$name has those that `npm run docs` writes', ({ markdown }) => {
    expect(markdown).toBe(withTables(markdown));
  });

  it('are each in a file', () => {
    expect(tablesMissing(files.map(({ markdown }) => markdown))).toEqual([]);
  });

  it('a marker that names no table is refused', () => {
    expect(() => withTables('<!-- table:nothing -->\n<!-- /table -->')).toThrow('there is no table nothing');
  });
});
