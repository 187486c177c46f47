import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { loggable } from './plain-error.js';
import { inSource, nameSourceLines, sourceLines } from './source-lines.js';

const folder = mkdtempSync(join(tmpdir(), 'forecourt-lines-'));
// Line 1, column 1 of the file comes from line 3, column 1 of source.ts.
writeFileSync(
  join(folder, 'bundle.js.map'),
  JSON.stringify({ version: 3, sources: ['source.ts'], names: [], mappings: 'AAEA' }),
);
const bundle = pathToFileURL(join(folder, 'bundle.js')).href;
const source = join(folder, 'source.ts');
afterAll(() => rmSync(folder, { recursive: true }));

function failed(): Error {
  return Object.assign(new Error('no'), { stack: `Error: no\n    at run (${bundle}:1:1)\n    at ${bundle}:1:1` });
}
const IN_SOURCE = `Error: no\n    at run (${source}:3:1)\n    at ${source}:3:1`;

describe('lines of the source', () => {
  it('replace those of the bundle, in errors that are logged as well', () => {
    expect(sourceLines(failed().stack ?? '')).toBe(IN_SOURCE);
    expect(inSource(failed()).stack).toBe(IN_SOURCE);
    expect(loggable(failed())).toMatchObject({ stack: IN_SOURCE });
  });

  it.each([
    'Error: no\n    at run (node:fs:1:1)',
    `Error: no\n    at run (${pathToFileURL(join(folder, 'other.js')).href}:1:1)`,
    'no stack',
  ])('are not known for %s', (stack) => {
    expect(sourceLines(stack)).toBe(stack);
  });

  it('are not read for an error that is not printed: Node.js reads the stack of each connection that is closed', () => {
    nameSourceLines();
    process.removeListener('uncaughtExceptionMonitor', inSource);
    expect(Error.prepareStackTrace).toBeUndefined();
  });
});
