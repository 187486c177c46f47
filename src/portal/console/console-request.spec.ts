import { execFileSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import { claim } from '../../../test/support/claim.js';

interface Sent {
  readonly name: string;
  readonly value: string;
  readonly isSecret?: boolean;
  readonly isToken?: boolean;
}
interface SentRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: readonly Sent[];
  readonly json?: object;
  readonly form?: readonly Sent[];
}
interface ConsoleRequest {
  put(target: object, names: readonly string[], value: unknown): void;
  typed(text: string, kind: string): unknown;
  curlOf(request: SentRequest, origin: string): string;
  typeScriptOf(request: SentRequest, origin: string): string;
}
const script = '../assets/console-request.js';
const { put, typed, curlOf, typeScriptOf } = (await import(script)) as ConsoleRequest;

const ORIGIN = 'https://forecourt.example';
const request = (more: Partial<SentRequest> = {}): SentRequest => ({
  method: 'POST',
  path: '/cars/reservation/v1/?a=b&c=d',
  headers: [{ name: 'Authorization', value: 'Bearer $TOKEN', isToken: true }],
  ...more,
});

/** The arguments that curl would get from a shell in which TOKEN and CLIENT_SECRET are set. */
function argumentsOf(command: string): string[] {
  const env = { PATH: process.env.PATH, TOKEN: 'token-1', CLIENT_SECRET: 'secret-1' };
  const output = execFileSync('bash', ['--norc', '-c', `curl() { printf '%s\\0' "$@"; }\n${command}`], {
    env,
    encoding: 'utf8',
  });
  return output.split('\0').slice(0, -1);
}

const HOSTILE = [`it's`, '$(id)', '`id`', '"; id; "', '\\', 'a\nb', '${CLIENT_SECRET}', '%s', '@file'].flatMap(
  (value) => [value, `${value} $TOKEN`, `$CLIENT_SECRET${value}`],
);

describe('a value that was entered', () => {
  it.each<[string, string, unknown]>([
    ['35', 'number', 35],
    ['', 'number', ''],
    ['many', 'number', 'many'],
    ['true', 'flag', true],
    ['no', 'flag', false],
    ['a, b', 'list', ['a', 'b']],
    ['[{"extra_id":"CSI"}]', 'json', [{ extra_id: 'CSI' }]],
    ['[{', 'json', '[{'],
    ['35', 'text', '35'],
  ])('%j as %s is %j', (text, kind, value) => {
    expect(typed(text, kind)).toEqual(value);
  });

  it('is put into nested objects', () => {
    const body = {};
    put(body, ['driver', 'address', 'city'], 'Boston');
    put(body, ['driver', 'age'], 35);
    expect(body).toEqual({ driver: { address: { city: 'Boston' }, age: 35 } });
  });
});

describe('a request as a curl command', () => {
  it('is the same request in a shell, with the token and the secret from its variables', () => {
    const form = [
      { name: 'client_id', value: 'demo' },
      { name: 'client_secret', value: 'typed in', isSecret: true },
    ];
    expect(argumentsOf(curlOf(request({ form }), ORIGIN))).toEqual([
      '-i',
      '-X',
      'POST',
      `${ORIGIN}/cars/reservation/v1/?a=b&c=d`,
      '-H',
      'Authorization: Bearer token-1',
      '--data-urlencode',
      'client_id=demo',
      '--data-urlencode',
      'client_secret=secret-1',
    ]);
  });

  it('with a token in the header is the same request', () => {
    const headers = [{ name: 'Authorization', value: 'Bearer token-2', isToken: false }];
    expect(argumentsOf(curlOf(request({ headers }), ORIGIN)).at(-1)).toBe('Authorization: Bearer token-2');
  });

  claim('API8', 'Commands that the console shows run nothing of what a link or a visitor entered.', () => {
    for (const value of HOSTILE) {
      const name = 'X-Request-Id';
      const sent = request({ path: `/a?b=${value}`, headers: [{ name, value }], json: { remark: value } });
      const form = { ...sent, json: undefined, form: [{ name: 'scope', value }] };
      const start = ['-i', '-X', 'POST', `${ORIGIN}/a?b=${value}`, '-H', `${name}: ${value}`];
      expect(argumentsOf(curlOf(sent, ORIGIN))).toEqual([...start, '-d', JSON.stringify({ remark: value })]);
      expect(argumentsOf(curlOf(form as SentRequest, ORIGIN))).toEqual([
        ...start,
        '--data-urlencode',
        `scope=${value}`,
      ]);
    }
  });
});

describe('a request as TypeScript', () => {
  it('contains no secret that was entered', () => {
    const headers = [{ name: 'client_secret', value: 'typed in', isSecret: true }];
    const text = typeScriptOf(request({ headers }), ORIGIN);
    expect(text).toContain('"client_secret": process.env.CLIENT_SECRET ?? ""');
    expect(text).not.toContain('typed in');
  });

  it('reads a missing token from the environment', () => {
    expect(typeScriptOf(request(), ORIGIN)).toContain('"Authorization": `Bearer ${process.env.TOKEN}`');
  });

  it.each(HOSTILE)('has what was entered as data: %j', async (value) => {
    const text = typeScriptOf(request({ method: 'PATCH', headers: [{ name: 'a', value }], json: { value } }), ORIGIN);
    const calls: unknown[] = [];
    const run = new Function('fetch', 'console', `return (async () => { ${text} })()`);
    await run(
      async (...args: unknown[]) => {
        calls.push(args);
        return { status: 200, text: async () => '' };
      },
      { log: () => undefined },
    );
    expect(calls).toEqual([
      [
        `${ORIGIN}/cars/reservation/v1/?a=b&c=d`,
        { method: 'PATCH', headers: { a: value }, body: JSON.stringify({ value }) },
      ],
    ]);
  });
});
