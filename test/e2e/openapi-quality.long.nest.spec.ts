import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import spectralCore from '@stoplight/spectral-core';
import spectralRulesets from '@stoplight/spectral-rulesets';
import { configSchema } from '../../src/config/config.schema.js';
import { operations } from '../../src/system/api-operations.js';
import { openApiDocument } from '../../src/system/openapi.js';
import taken from '../../src/system/openapi-examples.json' with { type: 'json' };
import { OpenApiCheck } from '../support/openapi-check.js';
import { PROJECT } from '../support/project.js';

const run = promisify(execFile);
const document = openApiDocument(configSchema.parse({}));
const text = JSON.stringify(document);
/** The description with a change, to see that a check notices it. */
const changed = (from: string, to: string): string => {
  if (!text.includes(from)) throw new Error(`the description has no ${from}`);
  return text.replace(from, to);
};

/** What the recommended rules of redocly find, one line each. */
async function redocly(source: string): Promise<string[]> {
  const config = await createConfig({ extends: ['recommended'] });
  const problems = await lintFromString({ source, absoluteRef: '/openapi.json', config });
  return problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`);
}

/** What Spectral's rules for OpenAPI find, one line each. */
async function spectral(source: string): Promise<string[]> {
  const linter = new spectralCore.Spectral();
  linter.setRuleset({ extends: [spectralRulesets.oas as never] });
  const problems = await linter.run(JSON.parse(source) as Record<string, unknown>);
  return problems.map(({ code, message, path }) => `${code}: ${message} ${path.join('/')}`);
}

/** It would be as long as this description. */
const WITHOUT_EXAMPLE = ['openapi'];

test('redocly finds nothing to warn of in the API description, and would', async () => {
  expect(await redocly(text)).toEqual([]);
  expect((await redocly(changed('"license":', '"x-license":'))).join()).toMatch(/license/);
});

test('Spectral finds nothing to warn of in the API description, and would', async () => {
  expect(await spectral(text)).toEqual([]);
  // A small description, because each run takes seconds.
  expect((await spectral(JSON.stringify({ ...document, info: {}, paths: {} }))).join()).toMatch(/info-contact/);
});

describe('the examples', () => {
  const check = new OpenApiCheck(document as never);

  test.each(
    Object.entries(taken).flatMap(([id, kinds]) =>
      Object.entries(kinds)
        .filter(([kind]) => /^\d+$/.test(kind))
        .map(([status, body]) => [id, status, body] as const),
    ),
  )('%s %s is as described', (id, status, body) => {
    const operation = operations.find((one) => one.id === id);
    const [path = ''] = operation?.paths ?? [];
    const answer = { method: operation?.method.toUpperCase() ?? '', path, status: Number(status) };
    // A text is that of a picture, whose members nothing describes.
    const isPicture = typeof body === 'string';
    const contentType = isPicture ? 'image/svg+xml' : 'application/json; charset=utf-8';
    check.check({ ...answer, contentType, text: isPicture ? body : JSON.stringify(body) });
    const wrong = isPicture ? { contentType: 'text/html', text: body } : { contentType, text: '[]' };
    expect(() => check.check({ ...answer, ...wrong })).toThrow();
  });

  test('are of every operation with an answer, except this description', () => {
    const shown = operations.filter(({ answers }) =>
      Object.entries(answers).some(([status, [, schema]]) => status.startsWith('2') && schema !== null),
    );
    const missing = shown.map(({ id }) => id).filter((id) => !Object.hasOwn(taken, id));
    expect(missing.sort()).toEqual(WITHOUT_EXAMPLE);
  });
});

describe('clients generated from the description', () => {
  const folder = mkdtempSync(join(tmpdir(), 'forecourt-clients-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const tool = (...path: string[]): string => join(PROJECT, 'node_modules', ...path);
  const node = (...words: string[]) => run(process.execPath, words, { cwd: folder, maxBuffer: 10_000_000 });

  /** What tsc reports for a file, in strict mode with further options: one line per error. */
  async function errorsIn(file: string, options: object): Promise<string[]> {
    const strict = { strict: true, noEmit: true, skipLibCheck: true, types: [], target: 'es2023', ...options };
    const lib = { lib: ['es2023', 'dom', 'dom.iterable'], module: 'nodenext', moduleResolution: 'nodenext' };
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ compilerOptions: { ...strict, ...lib }, files: [file] }),
    );
    const words = [tool('typescript-7', 'bin', 'tsc'), '-p', folder, '--pretty', 'false'];
    const { stdout } = await node(...words).catch((error: { stdout: string }) => error);
    return stdout.split('\n').filter((line) => line.includes('error TS'));
  }

  beforeAll(async () => {
    mkdirSync(join(folder, 'hey'));
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    writeFileSync(join(folder, 'openapi.json'), text);
    await node(tool('openapi-typescript', 'bin', 'cli.js'), 'openapi.json', '-o', 'types.ts');
    const plugins = ['-p', '@hey-api/typescript', '@hey-api/sdk', '@hey-api/client-fetch'];
    const words = ['-i', 'openapi.json', '-o', 'hey', '--silent', '--no-log-file', ...plugins];
    await node(tool('@hey-api', 'openapi-ts', 'bin', 'run.js'), ...words);
    writeFileSync(
      join(folder, 'use.ts'),
      `import type { paths } from './types.js';
       type Search = paths['/cars/catalog/v1/vehicles']['get'];
       export const query: Search['parameters']['query'] = { pickup_location: 'BOS', pickup_date: 'x', dropoff_date: 'y' };
       export const total = (found: Search['responses'][200]['content']['application/json']): string =>
         found.vehicles[0]?.price.total.amount ?? '';`,
    );
  }, 120_000);

  test('openapi-typescript: strict with exactOptionalPropertyTypes, with typed searches', async () => {
    expect(await errorsIn('use.ts', { exactOptionalPropertyTypes: true })).toEqual([]);
    writeFileSync(
      join(folder, 'wrong.ts'),
      "import { query } from './use.js'; export const wrong: number = query.pickup_date;",
    );
    expect(await errorsIn('wrong.ts', {})).toHaveLength(1);
  });

  test('@hey-api/openapi-ts: strict; with exactOptionalPropertyTypes, whatever comes from the description', async () => {
    expect(await errorsIn('hey/index.ts', {})).toEqual([]);
    const found = await errorsIn('hey/index.ts', { exactOptionalPropertyTypes: true });
    // Its runtime, which is the same for every description, doesn't compile: hey-api/hey-api#2363.
    expect(found.filter((line) => !/^hey\/(?:client|core)\//.test(line))).toEqual([]);
  });
});
