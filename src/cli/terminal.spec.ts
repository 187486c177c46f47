import { readdirSync, readFileSync } from 'node:fs';
import { expect, it, jest } from '@jest/globals';
import { claim } from '../../test/support/claim.js';
import { print, shown, tell } from './terminal.js';

const HOSTILE = '\x1b]0;pwned\x07\x1b[2J\x9b31mAll 214 checks passed\r\u202egnp.exe\u2066\u2028\x7f\u200f';

claim(
  ['suppliers', 'V1.2.1'],
  'A command prints characters that a terminal would obey, such as escapes in the words of a supplier, as in JSON.',
  () => {
    expect(shown(HOSTILE)).toBe(
      '\\u001b]0;pwned\\u0007\\u001b[2J\\u009b31mAll 214 checks passed\\u000d\\u202egnp.exe\\u2066\\u2028\\u007f\\u200f',
    );
    expect(shown('Zürich 🚗 ✓ a\tb\nc')).toBe('Zürich 🚗 ✓ a\tb\nc');
  },
);

it('keeps the meaning of JSON', () => {
  const value = { [HOSTILE]: [HOSTILE, 'a\nb\\u001b'] };
  expect(JSON.parse(shown(JSON.stringify(value, null, 2)))).toEqual(value);
});

it.each([
  ['print', print, 'log'],
  ['tell', tell, 'error'],
] as const)('%s writes one such line', (_name, write, method) => {
  const written = jest.spyOn(console, method).mockReturnValue();
  write(`%s ${HOSTILE}`);
  expect(written.mock.calls).toEqual([[shown(`%s ${HOSTILE}`)]]);
  written.mockRestore();
});

it('is the only way in which commands write to a terminal', () => {
  const folder = new URL('.', import.meta.url);
  const others = readdirSync(folder).filter((name) => /(?<!\.spec)\.ts$/.test(name) && name !== 'terminal.ts');
  const direct = /\bconsole\.\w|\bprocess\.std(?:out|err)\.write/;
  expect(others.filter((name) => direct.test(readFileSync(new URL(name, folder), 'utf8')))).toEqual([]);
});
