import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { isGuessable } from './guessable.js';
import { knownSecret, masterSecret } from './master-secret.js';

const folder = mkdtempSync(join(tmpdir(), 'forecourt-secret-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('the master secret', () => {
  it('is generated once, for its user only, in a folder for its user only', () => {
    const dataFolder = join(folder, 'new', 'data');
    const source = { environment: 'production', dataFolder } as const;
    expect(knownSecret(source)).toBeUndefined();
    const secret = masterSecret(source);
    expect([secret.length, isGuessable(secret)]).toEqual([43, false]);
    expect([masterSecret(source), knownSecret(source)]).toEqual([secret, secret]);
    expect(readdirSync(dataFolder)).toEqual(['secret']);
    const modes = [dataFolder, join(dataFolder, 'secret')].map((path) => statSync(path).mode & 0o777);
    expect(modes).toEqual([0o700, 0o600]);
  });

  it('is that of the setting, or else of the file, which gateways can share read-only', () => {
    const secretFile = join(folder, 'shared');
    writeFileSync(secretFile, 'from the file\n');
    chmodSync(secretFile, 0o400);
    const source = { environment: 'production', dataFolder: join(folder, 'other'), secretFile } as const;
    expect(masterSecret(source)).toBe('from the file');
    expect(masterSecret({ ...source, secret: 'from the setting' })).toBe('from the setting');
  });

  it('is generated in a file that is named and does not exist, except in production, for gateways and commands alike', () => {
    const source = { dataFolder: folder, secretFile: join(folder, 'typo') };
    expect(() => masterSecret({ ...source, environment: 'production' })).toThrow(/typo, which doesn't exist.*openssl/);
    expect(existsSync(source.secretFile)).toBe(false);
    expect(masterSecret({ ...source, environment: 'sandbox' })).toHaveLength(43);
  });
});
