import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { tablesMissing, withTables } from '../../../scripts/docs/tables.js';

const files = readdirSync('docs')
  .filter((name) => name.endsWith('.md'))
  .map((name) => ({ name, markdown: readFileSync(`docs/${name}`, 'utf8') }));

describe('the tables of docs/', () => {
  it.each(files)('$name has the tables that `npm run docs` writes', ({ markdown }) => {
    expect(markdown).toBe(withTables(markdown));
  });

  it('each appear in a file', () => {
    expect(tablesMissing(files.map(({ markdown }) => markdown))).toEqual([]);
  });

  it('a marker with an unknown table is rejected', () => {
    expect(() => withTables('<!-- table:nothing -->\n<!-- /table -->')).toThrow('there is no table nothing');
  });
});
