import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { readCredentials, secretFilesIn } from './supplier-credentials.js';

const folder = mkdtempSync(join(tmpdir(), 'forecourt-secrets-'));
afterAll(() => rmSync(folder, { recursive: true }));

function fileWith(name: string, content: string | Buffer): string {
  const file = join(folder, name);
  writeFileSync(file, content);
  return file;
}

function read(password: string, isRequired = true) {
  const faults: string[] = [];
  const placeIn = (path: readonly PropertyKey[]) => `suppliers/delta.yaml:${path.length}`;
  const credentials = readCredentials(
    { credentials: { password }, isSimulated: false },
    { env: { DELTA_PASSWORD: 'from outside' }, isRequired, placeIn },
    faults,
  );
  return { credentials, faults };
}

describe('credentials', () => {
  it.each([
    ['s3cret\n', 's3cret'],
    ['s3cret\r\n', 's3cret'],
    ['s3cret', 's3cret'],
    [' two words \n\n', ' two words \n'],
    ['schlüssel\n', 'schlüssel'],
  ])('from a file have all of %j but one trailing line break', (content, password) => {
    expect(read(`\${file:${fileWith('plain', content)}}`)).toEqual({ credentials: { password }, faults: [] });
  });

  it('are read from variables as before', () => {
    expect(read('${DELTA_PASSWORD}')).toEqual({ credentials: { password: 'from outside' }, faults: [] });
  });

  const pipe = join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  it.each([
    ['is missing', join(folder, 'none'), 'does not exist'],
    ['is empty', fileWith('empty', '\n'), 'is empty'],
    ['is too large', fileWith('large', 'x'.repeat(16_385)), 'is larger than 16384 bytes'],
    ['is a folder', folder, 'is not a regular file'],
    ['is a pipe, which would block', pipe, 'is not a regular file'],
    ['is not text', fileWith('binary', Buffer.from([0xff, 0xfe, 0xfd])), 'is not UTF-8 text'],
  ])('from a file that %s are a fault with place, key and file', (_why, file, fault) => {
    expect(read(`\${file:${file}}`)).toEqual({
      credentials: {},
      faults: [`suppliers/delta.yaml:2 credentials.password: the file ${file} ${fault}`],
    });
  });

  it('from a file that may not be read are a fault', () => {
    if (process.getuid?.() === 0) return;
    const file = fileWith('private', 'x');
    chmodSync(file, 0);
    expect(read(`\${file:${file}}`).faults[0]).toMatch(/cannot be read: EACCES$/);
  });

  it('that are not required are left out if they are missing', () => {
    expect(read(`\${file:${join(folder, 'none')}}`, false)).toEqual({ credentials: {}, faults: [] });
  });

  it.each(['hunter2', '${file:relative}', '${delta}'])(
    'as %j of a real supplier are refused without a quote',
    (text) => {
      const [fault = ''] = read(text).faults;
      expect(fault).toContain('written ${NAME}, or a file, written ${file:/run/secrets/name}');
      expect(fault).not.toContain(text);
    },
  );
});

it('the secret files that supplier files refer to are found, whether or not they exist', () => {
  const suppliers = join(folder, 'suppliers');
  expect(secretFilesIn(suppliers)).toEqual([]);
  mkdirSync(suppliers);
  writeFileSync(join(suppliers, 'b.yaml'), 'a: ${file:/run/secrets/two}\nb: "${file:/run/secrets/one}"');
  writeFileSync(join(suppliers, 'a.yaml'), 'a: ${file:/run/secrets/two}\nb: ${NAME}');
  expect(secretFilesIn(suppliers)).toEqual(['/run/secrets/one', '/run/secrets/two']);

  // Lock files of editors, dangling links and folders are left out.
  symlinkSync('ada@host.1234:5678', join(suppliers, '.#a.yaml'));
  symlinkSync('nowhere', join(suppliers, 'c.yaml'));
  mkdirSync(join(suppliers, 'd.yaml'));
  writeFileSync(join(suppliers, '.e.yaml'), 'a: ${file:/run/secrets/three}');
  expect(secretFilesIn(suppliers)).toEqual(['/run/secrets/one', '/run/secrets/two']);
});
