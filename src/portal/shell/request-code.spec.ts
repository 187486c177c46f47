import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { describeWith } from '../../../test/support/binaries.js';
import { claim } from '../../../test/support/claim.js';
import { type CodeRequest, codeOf, Variable } from '../assets/request-code.js';

const ORIGIN = 'https://forecourt.example';
const TOKEN = { name: 'Authorization', value: ['Bearer ', new Variable('TOKEN')] };
const request = (more: Partial<CodeRequest> = {}): CodeRequest => ({
  id: 'other',
  method: 'POST',
  template: '/cars/{id}/v1',
  path: { id: 'a' },
  query: { a: 'b', c: 'd' },
  headers: [TOKEN],
  ...more,
});
const URL_SENT = `${ORIGIN}/cars/a/v1?a=b&c=d`;
const ENVIRONMENT = { PATH: process.env.PATH, TOKEN: 'token-1', CLIENT_SECRET: 'secret-1' };

/** The arguments that curl would get from a shell in which TOKEN and CLIENT_SECRET are set. */
function argumentsOf(command = ''): string[] {
  const output = execFileSync('bash', ['--norc', '-c', `curl() { printf '%s\\0' "$@"; }\n${command}`], {
    env: ENVIRONMENT,
    encoding: 'utf8',
  });
  return output.split('\0').slice(0, -1);
}

const HOSTILE = [
  `it's`,
  '$(id)',
  '`id`',
  '"; id; "',
  '\\',
  'a\nb',
  '${CLIENT_SECRET}',
  '%s',
  '@file',
  '\\u0022',
  'é\u2028',
  '{$x}',
  '?>',
  '#{x}',
].flatMap((value) => [value, `${value} $TOKEN`, `$CLIENT_SECRET${value}`]);

describe('a request as a curl command', () => {
  it('is the same request in a shell, with the token and the secret from its variables', () => {
    const form = [
      { name: 'client_id', value: 'demo' },
      { name: 'client_secret', value: new Variable('CLIENT_SECRET') },
    ];
    expect(argumentsOf(codeOf(request({ form }), ORIGIN).curl)).toEqual([
      '-i',
      '-X',
      'POST',
      URL_SENT,
      '-H',
      'Authorization: Bearer token-1',
      '--data-urlencode',
      'client_id=demo',
      '--data-urlencode',
      'client_secret=secret-1',
    ]);
  });

  claim('API8', 'Commands that the console shows run nothing of what a link or a visitor entered.', () => {
    for (const value of HOSTILE) {
      const name = 'X-Request-Id';
      const sent = request({
        query: { b: value },
        headers: [{ name, value }],
        json: { remark: value, id: new Variable('TOKEN') },
      });
      const form = request({ query: { b: value }, headers: [{ name, value }], form: [{ name: 'scope', value }] });
      const [, , , url = '', , header, , body = ''] = argumentsOf(codeOf(sent, ORIGIN).curl);
      expect([new URL(url).searchParams.get('b'), header, JSON.parse(body)]).toEqual([
        value,
        `${name}: ${value}`,
        { remark: value, id: 'token-1' },
      ]);
      expect(argumentsOf(codeOf(form, ORIGIN).curl).at(-1)).toBe(`scope=${value}`);
    }
  });
});

describe('a request as TypeScript', () => {
  it.each(HOSTILE)('has what was entered as data: %j', async (value) => {
    const text = codeOf(
      request({ method: 'PATCH', headers: [{ name: 'a', value }], json: { value } }),
      ORIGIN,
    ).typescript;
    const calls: unknown[] = [];
    const run = new Function('fetch', 'console', `return (async () => { ${text} })()`);
    await run(
      async (...args: unknown[]) => {
        calls.push(args);
        return { status: 200, text: async () => '' };
      },
      { log: () => undefined },
    );
    expect(calls).toEqual([[URL_SENT, { method: 'PATCH', headers: { a: value }, body: JSON.stringify({ value }) }]]);
  });

  it('uses the SDK, whose own methods get the key and the values of a booking', () => {
    const booking = request({
      id: 'createReservation',
      headers: [TOKEN, { name: 'Idempotency-Key', value: 'order-1' }],
      json: { offer_id: new Variable('OFFER_ID'), driver: { age: 30 } },
    });
    expect(codeOf(booking, ORIGIN).typescript).toContain(
      `forecourt.book({\n  offer_id: String(process.env.OFFER_ID),\n  driver: {\n    age: 30,\n  },\n}, { idempotencyKey: 'order-1' });`,
    );
  });
});

/** One program per language that prints, for each text, the text that its literal means. */
const PRINTERS = [
  [
    'python',
    ['python3'],
    'a.py',
    (lines: readonly string[]) => lines.map((line) => `print(${line}, end="\\0")`).join('\n'),
    ['python3', 'a.py'],
  ],
  [
    'php',
    ['php'],
    'a.php',
    (lines: readonly string[]) => `<?php ${lines.map((line) => `echo ${line}, "\\0";`).join('\n')}`,
    ['php', 'a.php'],
  ],
  [
    'java',
    ['java'],
    'A.java',
    (lines: readonly string[]) =>
      `public class A { public static void main(String[] w) throws Exception { var out = new java.io.PrintStream(System.out, true, "UTF-8"); ${lines.map((line) => `out.print(${line} + "\\0");`).join('\n')} } }`,
    ['java', 'A.java'],
  ],
  [
    'csharp',
    ['mcs', 'mono'],
    'a.cs',
    (lines: readonly string[]) =>
      `using System; class A { static void Main() { Console.OutputEncoding = new System.Text.UTF8Encoding(false); ${lines.map((line) => `Console.Write(${line} + "\\0");`).join('\n')} } }`,
    ['sh', '-c', 'mcs a.cs && mono a.exe'],
  ],
] as const;

describe.each(PRINTERS)('a request in %s', (language, programs, file, program, [command, ...words]) => {
  describeWith(...programs)('', () => {
    it('has what was entered as data', () => {
      const folder = mkdtempSync(join(tmpdir(), 'forecourt-literals-'));
      const literals = HOSTILE.map((value) => {
        const code =
          codeOf(request({ headers: [{ name: 'X', value: ['', value] }], query: {}, path: {} }), ORIGIN)[language] ??
          '';
        // The only place with the value: after the name of the header.
        const [, literal = ''] =
          {
            python: /"X": ([^\n]*),\n/,
            php: /('X: .*'),\n {4}\],/s,
            java: /\.header\("X", ([^\n]*)\)\n/,
            csharp: /TryAddWithoutValidation\("X", ([^\n]*)\);/,
          }[language].exec(code) ?? [];
        return literal;
      });
      writeFileSync(join(folder, file), program(literals));
      const output = execFileSync(command, words, { cwd: folder, env: ENVIRONMENT, encoding: 'utf8' });
      rmSync(folder, { recursive: true });
      const expected = HOSTILE.map((value) => (language === 'php' ? `X: ${value}` : value));
      expect(output.split('\0').slice(0, -1)).toEqual(expected);
    });
  });
});
